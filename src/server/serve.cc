// SPDX-License-Identifier: Apache-2.0
#include "server/serve.h"

#include "base/clock.h"
#include "base/guarded.h"
#include "base/log.h"
#include "server/build_info.h"
#include "server/memory_trim.h"
#include "server/server.h"
#include "server/signals.h"

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
    log::info(live ? "reloaded" : "needs a restart", {{"key", now.key}, {"value", now.value}});
    if (live) running[i] = now;
  }
  log::set_level(loaded.config.log_level);
  log::info("configuration reloaded");
}

}  // namespace

int serve(const config::Sources& sources, const config::Loaded& loaded) {
  set_malloc_thresholds();
  const Signals signals;
  const SystemClock clock;
  log::set_level(loaded.config.log_level);
  log::info("starting", {{"version", version()}, {"commit", commit()}, {"config", sources.file.value_or("")}});
  Server server(loaded.config, clock);
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
  server.stop(kStopDeadline);
  log::info("stopped");
  return 0;
}

}  // namespace varve::server
