// SPDX-License-Identifier: Apache-2.0
#include "server/translate.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "model/tenant.h"
#include "server/build_info.h"
#include "snmp/poller/fleet.h"

namespace varve::server {
namespace {

// At most so many replicas poll; each job has a few partitions of the devices.
constexpr std::uint32_t kPollJobs = 32;

}  // namespace

rollup::Levels rollup_levels(const config::Config& config) {
  rollup::Levels rollups;
  for (const auto& level : config.rollups) rollups.levels.push_back({level.granularity_ms, level.retention_ms});
  rollups.counter_suffixes = config.counter_suffixes;
  return rollups;
}

counter::Declared declared_counters(const config::Config& config) { return counter::Declared(config.counters); }

bool seals(const config::Config& config) {
  return config.roles.rollup && config.slots.own != config::Config::Slots::Own::none;
}

namespace {

constexpr std::uint64_t kHeadLeast = std::uint64_t{8} << 20;
constexpr std::uint64_t kCacheLeast = std::uint64_t{4} << 20;

// Where little memory may be used, two heads take an eighth of it at most, and what is kept for queries a tenth.
void fit_memory(engine::rocksdb::Options& options, std::uint64_t usable) {
  options.head_bytes_max = std::min<std::size_t>(options.head_bytes_max, std::max(usable / 16, kHeadLeast));
  options.head_messages_bytes_max = std::min(options.head_messages_bytes_max, options.head_bytes_max / 4);
  options.cache_bytes_max = std::min<std::size_t>(options.cache_bytes_max, std::max(usable / 32, kCacheLeast));
}

}  // namespace

engine::rocksdb::Options store_options(const config::Config& config, std::uint64_t usable) {
  engine::rocksdb::Options options;
  fit_memory(options, usable);
  options.path = config.storage.path;
  options.sync_always = config.storage.sync_always;
  options.sync_interval_ms = config.storage.sync_interval_ms;
  options.repair = config.storage.repair;
  options.slot_width_ms = config.slots.width_ms;
  options.series_per_tenant_max = config.series_per_tenant_max;
  options.rollups = rollup_levels(config);
  options.dropped_granularities_ms = config.dropped_rollups_ms;
  options.slot_quiet_ms = config.slots.quiet_ms;
  options.raw_retention_ms = config.raw_retention_ms;
  options.retention_classes = config.retention_classes;
  options.message_classes = message_classes(config);
  options.partitions = config.slots.partitions;
  options.rolls_up = seals(config);
  return options;
}

tracker::Ownership::Options ownership_options(const config::Config& config, std::string replica) {
  using Own = config::Config::Slots::Own;
  tracker::Ownership::Options options;
  options.replica = std::move(replica);
  options.own = config.slots.own == Own::jobs   ? tracker::Own::jobs
                : config.slots.own == Own::list ? tracker::Own::list
                                                : tracker::Own::none;
  if (!config.roles.rollup) options.own = tracker::Own::none;
  options.jobs.partitions = options.own == tracker::Own::list
                                ? tracker::partitions_in(config.slots.own_ranges, config.slots.partitions)
                                : tracker::all_partitions(config.slots.partitions);
  options.jobs.jobs = config.slots.jobs;
  options.jobs.lease_ms = config.slots.lease_ms;
  options.jobs.period_ms = config.slots.period_ms;
  return options;
}

tracker::Ownership::Options poll_ownership_options(const config::Config& config, std::string replica) {
  tracker::Ownership::Options options;
  options.replica = std::move(replica);
  options.own = config.roles.poll ? tracker::Own::jobs : tracker::Own::none;
  options.jobs.name = "polls|";
  options.jobs.partitions = tracker::all_partitions(snmp::poller::kPartitions);
  options.jobs.jobs = kPollJobs;
  options.jobs.lease_ms = config.slots.lease_ms;
  return options;
}

bool serves(const config::Roles& roles, http::Effect effect) {
  switch (effect) {
    case http::Effect::reads: return roles.query;
    case http::Effect::writes:
    case http::Effect::deletes: return roles.ingest;
    case http::Effect::administers: break;
  }
  return true;
}

std::size_t memory_max(const config::Config& config, std::uint64_t usable) {
  if (config.memory_bytes_max != 0) return config.memory_bytes_max;
  // The index, the heads and the program itself have to find room beside it: they do not become less as the machine
  // does.
  const std::uint64_t beside = std::uint64_t{1} << 30;
  return std::min(usable / 2, std::max(usable / 4, usable > beside ? usable - beside : 0));
}

http::ServerOptions http_options(const config::Config& config, std::shared_ptr<MemoryLedger> memory) {
  http::ServerOptions options;
  options.listen = config::to_string(config.http.listen);
  options.tenant_default = config.tenant_default;
  // Else the largest would be sent again and again, and always be refused for lack of room.
  options.body_max = std::min<std::size_t>(config.http.body_bytes_max, memory->limit() / 4);
  options.memory = std::move(memory);
  options.tenant_from = {config.tenant_from.path, config.tenant_from.x_tenant, config.tenant_from.x_scope_orgid};
  options.connections_max = config.http.connections_max;
  options.head_timeout = std::chrono::milliseconds(config.http.head_timeout_ms);
  options.idle_timeout = std::chrono::milliseconds(config.http.idle_timeout_ms);
  options.write_timeout = std::chrono::milliseconds(config.http.write_timeout_ms);
  options.origins = config.http.origins;
  options.hosts = config.http.hosts;
  return options;
}

telnet::ListenerOptions telnet_options(const config::Config& config) {
  telnet::ListenerOptions options;
  options.listen = config::to_string(config.telnet.listen);
  options.tenant_default = config.tenant_default;
  options.connections_max = config.telnet.connections_max;
  options.idle_timeout = std::chrono::milliseconds(config.telnet.idle_timeout_ms);
  options.tenant_tag = config.tenant_from.tag;
  options.version = version();
  return options;
}

namespace {

// As the C library finds it: TZ, else where /etc/localtime leads to. "": UTC.
std::string machine_zone() {
  constexpr std::string_view kDirectory = "zoneinfo/";
  if (const char* const name = std::getenv("TZ"); name != nullptr) return name[0] == ':' ? name + 1 : name;
  std::error_code error;
  const std::string target = std::filesystem::read_symlink("/etc/localtime", error).string();
  const std::size_t at = target.find(kDirectory);
  return error || at == std::string::npos ? std::string() : target.substr(at + kDirectory.size());
}

}  // namespace

Result<syslog::ListenerOptions> syslog_options(const config::Config& config) {
  syslog::ListenerOptions options;
  if (config.syslog.udp_on) options.udp = config::to_string(config.syslog.udp);
  if (config.syslog.tcp_on) options.tcp = config::to_string(config.syslog.tcp);
  if (config.syslog.tls_on) options.tls = config::to_string(config.syslog.tls);
  options.tls_files = {config.syslog.certificate, config.syslog.key, config.syslog.client_ca};
  options.tenant = config.syslog.tenant;
  options.future = std::chrono::milliseconds(config.messages.future_ms);
  options.message_max = config.syslog.message_bytes_max;
  const std::string name = config.syslog.zone.empty() ? machine_zone() : config.syslog.zone;
  auto zone = model::TimeZone::find(name);
  if (!zone) return fail(Code::invalid, "the machine's time zone '" + name + "' is not known: set syslog.zone");
  options.zone = *zone;
  return options;
}

query::Limits query_limits(const config::Config& config) {
  query::Limits limits;
  limits.memory_bytes = config.query.memory_bytes_max;
  limits.timeout = std::chrono::milliseconds(config.query.timeout_ms);
  limits.metrics_max = config.query.metrics_max;
  return limits;
}

model::TagLimits tag_limits(const config::Config& config) {
  using Action = config::Config::Tags::LimitAction;
  model::TagLimits limits;
  limits.value_bytes_max = config.tags.value_bytes_max;
  limits.excluded_keys = config.tags.excluded_keys;
  limits.long_value = config.tags.limit_action == Action::exclude    ? model::LongValue::exclude
                      : config.tags.limit_action == Action::truncate ? model::LongValue::truncate
                                                                     : model::LongValue::reject;
  return limits;
}

message::Classes message_classes(const config::Config& config) {
  return {config.messages.classes, config.messages.retention_ms};
}

write::IntakeOptions intake_options(const config::Config& config) {
  const auto marks = [](const std::vector<config::Shed>& shed) {
    std::vector<write::Watermark> out;
    for (const config::Shed& mark : shed) out.push_back({mark.high, mark.low, mark.level});
    return out;
  };
  write::IntakeOptions options;
  options.classes = message_classes(config);
  options.future_ms = config.messages.future_ms;
  options.disk = marks(config.messages.shed_disk);
  options.backlog = marks(config.messages.shed_backlog);
  return options;
}

namespace {

// Of a line group with series of several classes the longest counts.
write::Options::Shorter kept_by_class(const config::Config& config) {
  const auto classes = std::make_shared<const rollup::RetentionClasses>(
      config.retention_classes, rollup::Retention{config.raw_retention_ms, rollup_levels(config).levels});
  write::Options::Shorter shorter;
  for (std::size_t number = 0; number <= config.retention_classes.size(); ++number) {
    const auto& one = classes->retention(static_cast<rollup::RetentionClasses::Number>(number));
    shorter.kept_ms.push_back(one.longest_ms() < rollup::kForEver ? one.longest_ms() : write::kForEverMs);
  }
  shorter.of = [classes](std::string_view tenant, const model::TagViews& tags,
                         std::span<const std::string_view> metrics) -> std::uint8_t {
    rollup::RetentionClasses::Number longest = classes->of(tenant, metrics[0], tags);
    for (const std::string_view metric : metrics.subspan(1)) {
      const auto number = classes->of(tenant, metric, tags);
      if (classes->retention(number).longest_ms() > classes->retention(longest).longest_ms()) longest = number;
    }
    return static_cast<std::uint8_t>(longest + 1);
  };
  return shorter;
}

}  // namespace

write::Options write_options(const config::Config& config, const Clock& clock) {
  write::Options options;
  options.tag_limits = tag_limits(config);
  options.kept_ms = config.raw_retention_ms;
  for (const config::Rollup& rollup : config.rollups) options.kept_ms = std::max(options.kept_ms, rollup.retention_ms);
  for (const auto& rule : config.retention_classes) options.kept_ms = std::max(options.kept_ms, rule.retention_ms);
  if (!config.retention_classes.empty()) options.shorter = kept_by_class(config);
  if (options.kept_ms >= rollup::kForEver) options.kept_ms = write::kForEverMs;
  options.clock = &clock;
  options.tenants_max = config.tenants_max;
  options.uncounted_tenant = model::kOwnTenant;
  return options;
}

api::CeresRetentions ceres_retentions(const config::Config& config) {
  api::CeresRetentions kept;
  kept.raw_ms = config.raw_retention_ms;
  for (const config::Rollup& rollup : config.rollups) {
    kept.rollups.push_back({rollup.granularity_ms, rollup.retention_ms});
  }
  return kept;
}

api::OtlpNaming otlp_naming(const config::Config& config) {
  return {{config.otlp.escapes, config.otlp.adds_suffixes},
          config.otlp.promoted,
          std::max<std::int64_t>(config.promql.lookback_ms / 2, 1)};
}

}  // namespace varve::server
