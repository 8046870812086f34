// SPDX-License-Identifier: Apache-2.0
#include "cli/migrate_steps.h"

#ifdef VARVE_CLUSTER
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "base/log.h"
#include "logs/http_call.h"
#include "model/tenant.h"
#include "rollup/levels.h"
#include "server/cluster_options.h"

namespace varve::cli {
namespace {

std::string short_number(double number) {
  char text[32];
  const char* unit = number >= 1e9 ? "G" : number >= 1e6 ? "M" : number >= 1e3 ? "k" : "";
  const double by = number >= 1e9 ? 1e9 : number >= 1e6 ? 1e6 : number >= 1e3 ? 1e3 : 1;
  std::snprintf(text, sizeof text, by == 1 ? "%.0f%s" : "%.1f%s", number / by, unit);
  return text;
}

std::string duration(double seconds) {
  char text[32];
  const auto s = static_cast<std::int64_t>(seconds);
  std::snprintf(text, sizeof text, "%lld:%02lld:%02lld", static_cast<long long>(s / 3600),
                static_cast<long long>(s / 60 % 60), static_cast<long long>(s % 60));
  return text;
}

// Nothing is sealed before all of it is there, and nothing that was copied is dropped before it has been counted. What
// is acknowledged is on the disk, since the progress says that it is.
config::Config copying_config(config::Config config) {
  config.slots.own = config::Config::Slots::Own::none;
  if (config.engine == config::Config::Engine::embedded) {
    config.raw_retention_ms = rollup::kForEver;
    config.retention_classes.clear();
    config.messages.retention_ms = rollup::kForEver;
    for (auto& rule : config.messages.classes) rule.retention_ms = rollup::kForEver;
    config.storage.sync_always = true;
  }
  return config;
}

}  // namespace

bool is_embedded(const config::Config& config) { return config.engine == config::Config::Engine::embedded; }

void say(std::FILE* to, const std::string& line) { std::fputs((line + "\n").c_str(), to); }

int migrate_failed(const std::string& why, int status) {
  say(stderr, "varve: " + why);
  return status;
}

int migrate_command(const config::Config& config, const std::vector<config::Setting>& own, std::string_view what,
                    const MigrateRun& run) {
  const auto args = migrate_arguments(config, own, what);
  if (!args) return migrate_failed(args.error().message, 2);
  const server::Signals signals;
  log::set_level(config.log_level);
  const auto status = run(config, *args, signals);
  if (status) return *status;
  if (status.error().code == Code::cancelled) return migrate_failed("stopped; the same command goes on from here");
  return migrate_failed(status.error().message);
}

Result<MigrateArguments> migrate_arguments(const config::Config& config, const std::vector<config::Setting>& own,
                                           std::string_view what) {
  std::string from;
  MigrateArguments out;
  out.tenant = config.tenant_default;
  for (const auto& flag : own)
    (flag.key == "from"     ? from
     : flag.key == "tenant" ? out.tenant
     : flag.key == "to"     ? out.to
                            : out.progress) = flag.value;
  if (from.empty()) return fail(Code::invalid, "--from=cassandra://HOST:PORT/KEYSPACE is missing");
  auto parsed = migrate::parse_source(from);
  if (!parsed) return fail(Code::invalid, "--from: " + parsed.error().message);
  out.from = std::move(*parsed);
  if (!model::is_tenant_name(out.tenant))
    return fail(Code::invalid, "--tenant: \"" + out.tenant + "\" is not a tenant's name");
  if (const auto url = out.to.empty() ? Result<logs::Url>() : logs::parse_url(out.to); !url)
    return fail(Code::invalid, "--to: " + url.error().message);
  if (out.progress.empty()) out.progress = std::string(what) + "-" + out.from.keyspace + ".progress";
  return out;
}

Result<driver::SessionOptions> source_session(config::Config config, const migrate::SourceAddress& from) {
  auto& cassandra = config.cassandra;
  if (from.datacenter) cassandra.datacenter = *from.datacenter;
  if (from.username) cassandra.username = *from.username;
  if (from.password_file) cassandra.password_file = *from.password_file;
  if (from.tls) cassandra.tls = *from.tls;
  VARVE_ASSIGN_OR_RETURN(auto servers, server::cluster_servers(config));
  servers.cassandra.contact_points = from.contact_points;
  servers.cassandra.keyspace = from.keyspace;
  servers.cassandra.request_timeout_ms = 30'000;  // of a page
  return std::move(servers.cassandra);
}

Result<std::unique_ptr<server::Engine>> open_to_copy(const config::Config& config, const Clock& clock) {
  constexpr std::int64_t kAwaitedNs = 10'000'000'000;  // Redis: somebody looks on
  const config::Config copying = copying_config(config);
  server::Surroundings surroundings;
  surroundings.go_on = [&clock, until_ns = clock.steady_ns() + kAwaitedNs] { return clock.steady_ns() < until_ns; };
  return is_embedded(config) ? server::open_embedded(copying, nullptr, clock, "migrate")
                             : server::open_cluster(copying, nullptr, clock, "migrate", surroundings);
}

std::string target_name(const config::Config& config, const std::string& tenant) {
  const bool embedded = is_embedded(config);
  const std::string place =
      embedded ? std::filesystem::absolute(config.storage.path).lexically_normal().string() : config.cassandra.keyspace;
  return (embedded ? "embedded " : "cluster ") + place + " tenant " + tenant;
}

MigrateDisplay::MigrateDisplay(std::function<MigrateState()> state, std::string things, const Clock& clock)
    : state_(std::move(state)),
      things_(std::move(things)),
      clock_(clock),
      begin_ranges_(state_().done),
      begin_ns_(clock.steady_ns()),
      terminal_(::isatty(STDERR_FILENO) == 1) {}

void MigrateDisplay::show(bool last) {
  if (!terminal_ && !last && calls_++ % 10 != 0) return;
  const MigrateState state = state_();
  const double seconds = static_cast<double>(clock_.steady_ns() - begin_ns_) / 1e9;
  const auto written = static_cast<double>(state.written);
  std::string line = "ranges " + std::to_string(state.done) + "/" + std::to_string(state.ranges) + ", " +
                     short_number(static_cast<double>(state.rows)) + " rows, " + short_number(written) + " " + things_ +
                     ", " + short_number(written / std::max(seconds, 0.001)) + " " + things_ + "/s";
  const std::size_t done = state.done - begin_ranges_;
  if (done > 0 && !last) {
    line +=
        ", " + duration(seconds * static_cast<double>(state.ranges - state.done) / static_cast<double>(done)) + " left";
  }
  if (last) line += ", " + duration(seconds);
  std::fputs((terminal_ ? "\r" + line + "\x1b[K" + (last ? "\n" : "") : line + "\n").c_str(), stderr);
}

}  // namespace varve::cli
#endif
