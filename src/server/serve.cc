// SPDX-License-Identifier: Apache-2.0
#include "server/serve.h"

#include <sys/resource.h>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/log.h"
#include "server/build_info.h"
#include "server/memory_trim.h"
#include "server/notify.h"
#include "server/server.h"
#include "server/signals.h"
#include "syslog/listener.h"

namespace varve::server {
namespace {

constexpr int kExitConfiguration = 2;  // as of a key or a value that is not allowed
constexpr std::chrono::seconds kTick{5};
constexpr std::chrono::seconds kStopDeadline{3};  // leaves two of the promised five to close the store

// Says what a changed configuration needs; applies what can be changed while running.
void reload(const config::Sources& sources, std::vector<config::Setting>& running) {
  const config::Loaded loaded = config::load(sources);
  for (const auto& fault : loaded.faults) log::error("configuration not reloaded", {{"fault", fault}});
  if (!loaded.faults.empty()) return;
  for (std::size_t i = 0; i < running.size(); ++i) {
    const auto& now = loaded.effective[i];
    if (now.value == running[i].value) continue;
    const bool live = now.key == "log.level";
    if (!live) {
      log::warn("needs a restart", {{"key", now.key}, {"value", now.value}});
      continue;
    }
    log::info("reloaded", {{"key", now.key}, {"value", now.value}});
    running[i] = now;
  }
  log::set_level(loaded.config.log_level);
  log::info("configuration reloaded");
}

// Tables, segments of the log, and what else is no connection.
constexpr std::uint64_t kOwnDescriptors = 1'000;

// The server takes all that it may have.
void warn_of_descriptors(const config::Config& config) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_max == RLIM_INFINITY) return;
  const std::size_t syslog_streams = (config.syslog.tcp_on ? 1U : 0U) + (config.syslog.tls_on ? 1U : 0U);
  const std::uint64_t wanted = config.http.connections_max + (config.telnet.on ? config.telnet.connections_max : 0) +
                               syslog_streams * syslog::ListenerOptions().connections_max + kOwnDescriptors;
  if (limit.rlim_max >= wanted) return;
  log::warn("the process may open too few files for its connections: LimitNOFILE of its unit, or ulimit -n",
            {{"allowed", limit.rlim_max}, {"wanted", wanted}});
}

// What is not as it comes, by name: whoever reads a log needs to know.
std::string keys_set(const config::Loaded& loaded) {
  std::string out;
  for (const auto& setting : loaded.effective) {
    if (setting.origin.empty()) continue;  // the default
    out += (out.empty() ? "" : ",") + setting.key;
  }
  return out;
}

}  // namespace

int serve(const config::Sources& sources, const config::Loaded& loaded) {
  set_malloc_thresholds();
  const Signals signals;
  const SystemClock clock;
  log::set_level(loaded.config.log_level);
  log::info(
      "starting",
      {{"version", version()}, {"commit", commit()}, {"config", sources.file.value_or("")}, {"set", keys_set(loaded)}});
  warn_of_descriptors(loaded.config);
  Server server(loaded.config, clock, loaded.effective);
  bool stops = false;
  const auto go_on = [&] {
    stops = stops || signals.wait(std::chrono::milliseconds(0)) == Signals::Kind::stop;
    return !stops;
  };
  if (const Status started = guarded([&] { return server.start(go_on); }); !started) {
    if (stops) {
      log::info("stopped");
      return 0;
    }
    log::error("cannot start", {{"reason", started.error().message}});
    return started.error().code == Code::invalid ? kExitConfiguration : 1;
  }
  log::info("ready");
  notify_service_manager("READY=1");
  auto running = loaded.effective;
  MemoryTrim trim;
  for (;;) {
    server.tick();
    trim.look(clock.steady_ns());
    const auto signal = signals.wait(kTick);
    if (signal == Signals::Kind::stop) break;
    if (signal == Signals::Kind::reload) {
      reload(sources, running);
      server.reload();
    }
  }
  log::info("stopping");
  notify_service_manager("STOPPING=1");
  server.stop(kStopDeadline);
  log::info("stopped");
  return 0;
}

}  // namespace varve::server
