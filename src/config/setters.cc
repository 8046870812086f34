// SPDX-License-Identifier: Apache-2.0
#include "config/setters.h"

#include <algorithm>

#include "config/units.h"
#include "model/tenant.h"
#include "model/time_zone.h"

namespace varve::config {
namespace {

constexpr std::int64_t kSecondMs = 1000;
constexpr std::uint64_t kKiB = 1024;
constexpr std::uint64_t kConnectionsMost = 1'000'000;

Status set_optional_address(bool& on, Address& address, std::string_view text) {
  on = !text.empty();
  if (!on) return {};
  const auto parsed = parse_address(text);
  if (!parsed) return fail(Code::invalid, "empty, or " + parsed.error().message);
  address = *parsed;
  return {};
}

Status set_text(std::string& field, std::string_view text) {
  field = text;
  return {};
}

// Has the shape name:N with a name of letters, digits, _ and -, and N from 1 to 99?
bool is_replica_count(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == 0 || colon == std::string_view::npos) return false;
  const bool named = std::ranges::all_of(text.substr(0, colon), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  const auto count = parse_count(text.substr(colon + 1));
  return named && count && *count >= 1 && *count <= 99;
}

}  // namespace

Status set_switch(bool& field, std::string_view text) {
  VARVE_ASSIGN_OR_RETURN(field, parse_switch(text));
  return {};
}

Status set_duration(std::int64_t& field, std::string_view text, std::int64_t least_ms, std::string_view least) {
  VARVE_ASSIGN_OR_RETURN(const std::int64_t ms, parse_duration_ms(text));
  if (ms < least_ms) return fail(Code::invalid, "a duration of at least " + std::string(least));
  field = ms;
  return {};
}

Status set_size(std::uint64_t& field, std::string_view text, std::uint64_t least, std::string_view least_text) {
  VARVE_ASSIGN_OR_RETURN(const std::uint64_t bytes, parse_size_bytes(text));
  if (bytes < least) return fail(Code::invalid, "a size of at least " + std::string(least_text));
  field = bytes;
  return {};
}

Status set_engine(Config& config, std::string_view text) {
  if (text != "embedded" && text != "cluster") return fail(Code::invalid, "embedded or cluster");
  config.engine = text == "cluster" ? Config::Engine::cluster : Config::Engine::embedded;
  return {};
}

Status set_roles(Config& config, std::string_view text) {
  Roles roles{false, false, false, false};
  const auto parts = split_list(text);
  for (const auto part : parts) {
    bool* role = part == "ingest"   ? &roles.ingest
                 : part == "query"  ? &roles.query
                 : part == "rollup" ? &roles.rollup
                 : part == "poll"   ? &roles.poll
                                    : nullptr;
    if (role == nullptr || *role) return fail(Code::invalid, "a list of ingest, query, rollup and poll, each once");
    *role = true;
  }
  if (parts.empty()) return fail(Code::invalid, "at least one of ingest, query, rollup and poll");
  config.roles = roles;
  return {};
}

Status set_log_level(Config& config, std::string_view text) {
  using enum log::Level;
  if (text != "debug" && text != "info" && text != "warn" && text != "error") {
    return fail(Code::invalid, "debug, info, warn or error");
  }
  config.log_level = text == "debug" ? debug : text == "info" ? info : text == "warn" ? warn : error;
  return {};
}

Status set_storage_path(Config& config, std::string_view text) {
  if (text.empty()) return fail(Code::invalid, "a directory");
  config.storage.path = text;
  return {};
}

Status set_storage_sync(Config& config, std::string_view text) {
  config.storage.sync_always = text == "always";
  if (config.storage.sync_always) return {};
  const auto set = set_duration(config.storage.sync_interval_ms, text, 1, "1ms");
  if (!set) return fail(Code::invalid, "always, or " + set.error().message);
  return {};
}

Status set_storage_repair(Config& config, std::string_view text) { return set_switch(config.storage.repair, text); }

Status set_http_listen(Config& config, std::string_view text) {
  VARVE_ASSIGN_OR_RETURN(config.http.listen, parse_address(text));
  return {};
}

Status set_http_insecure_public(Config& config, std::string_view text) {
  return set_switch(config.http.insecure_public, text);
}

Status set_http_body_max(Config& config, std::string_view text) {
  return set_size(config.http.body_bytes_max, text, kKiB, "1KiB");
}

Status set_http_connections_max(Config& config, std::string_view text) {
  return set_count(config.http.connections_max, text, 1, kConnectionsMost);
}

Status set_http_head_timeout(Config& config, std::string_view text) {
  return set_duration(config.http.head_timeout_ms, text, 1, "1ms");
}

Status set_http_write_timeout(Config& config, std::string_view text) {
  return set_duration(config.http.write_timeout_ms, text, 1, "1ms");
}

Status set_http_idle_timeout(Config& config, std::string_view text) {
  return set_duration(config.http.idle_timeout_ms, text, 1, "1ms");
}

Status set_telnet_connections_max(Config& config, std::string_view text) {
  return set_count(config.telnet.connections_max, text, 1, kConnectionsMost);
}

Status set_telnet_idle_timeout(Config& config, std::string_view text) {
  return set_duration(config.telnet.idle_timeout_ms, text, 0, "0s");
}

Status set_telnet_listen(Config& config, std::string_view text) {
  return set_optional_address(config.telnet.on, config.telnet.listen, text);
}

Status set_snmp_traps(Config& config, std::string_view text) {
  return set_optional_address(config.snmp.traps_on, config.snmp.traps, text);
}

Status set_syslog_udp(Config& config, std::string_view text) {
  return set_optional_address(config.syslog.udp_on, config.syslog.udp, text);
}

Status set_syslog_tcp(Config& config, std::string_view text) {
  return set_optional_address(config.syslog.tcp_on, config.syslog.tcp, text);
}

Status set_syslog_tls(Config& config, std::string_view text) {
  return set_optional_address(config.syslog.tls_on, config.syslog.tls, text);
}

Status set_syslog_certificate(Config& config, std::string_view text) {
  config.syslog.certificate = text;
  return {};
}

Status set_syslog_key(Config& config, std::string_view text) {
  config.syslog.key = text;
  return {};
}

Status set_syslog_client_ca(Config& config, std::string_view text) {
  config.syslog.client_ca = text;
  return {};
}

Status set_syslog_tenant(Config& config, std::string_view text) {
  if (!model::is_tenant_name(text) || text == model::kOwnTenant) {
    return fail(Code::invalid, "1 to 64 of A-Z a-z 0-9 . _ -, and not varve");
  }
  config.syslog.tenant = text;
  return {};
}

Status set_syslog_zone(Config& config, std::string_view text) {
  if (!text.empty()) {
    if (const auto zone = model::TimeZone::find(text); !zone) {
      return fail(Code::invalid, "empty, or a time zone such as Europe/Paris or +01:00");
    }
  }
  config.syslog.zone = text;
  return {};
}

Status set_syslog_message_max(Config& config, std::string_view text) {
  VARVE_RETURN_IF_ERROR(set_size(config.syslog.message_bytes_max, text, kKiB / 2, "512B"));
  if (config.syslog.message_bytes_max > kKiB * kKiB) return fail(Code::invalid, "a size of at most 1MiB");
  return {};
}

Status set_slots_width(Config& config, std::string_view text) {
  return set_duration(config.slots.width_ms, text, kSecondMs, "1s");
}

Status set_slots_quiet(Config& config, std::string_view text) {
  return set_duration(config.slots.quiet_ms, text, kSecondMs, "1s");
}

Status set_slots_partitions(Config& config, std::string_view text) {
  return set_count(config.slots.partitions, text, 1, 65536);
}

Status set_slots_own(Config& config, std::string_view text) {
  config.slots.own_ranges.clear();
  config.slots.own = text == "jobs"   ? Config::Slots::Own::jobs
                     : text == "none" ? Config::Slots::Own::none
                                      : Config::Slots::Own::list;
  if (config.slots.own != Config::Slots::Own::list) return {};
  for (const auto part : split_list(text)) {
    const std::size_t dash = part.find('-');
    const auto first = parse_count(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_count(part.substr(dash + 1));
    if (!first || !last || *first > *last || *last > 65535) {
      config.slots.own_ranges.clear();
      break;
    }
    config.slots.own_ranges.emplace_back(*first, *last);
  }
  if (config.slots.own_ranges.empty()) return fail(Code::invalid, "jobs, none, or a list of partitions as 0-15,40");
  return {};
}

Status set_slots_jobs(Config& config, std::string_view text) { return set_count(config.slots.jobs, text, 1, 65536); }

Status set_slots_lease(Config& config, std::string_view text) {
  return set_duration(config.slots.lease_ms, text, kSecondMs, "1s");
}

// Longer than a week they might expire while somebody counts on them.
Status set_slots_hot_kept(Config& config, std::string_view text) {
  VARVE_ASSIGN_OR_RETURN(const std::int64_t ms, parse_duration_ms(text));
  if (ms > 7 * 24 * 3600 * kSecondMs) return fail(Code::invalid, "a duration of at most 7d");
  config.slots.hot_kept_ms = ms;
  return {};
}

Status set_slots_period(Config& config, std::string_view text) {
  return set_duration(config.slots.period_ms, text, kSecondMs, "1s");
}

Status set_raw_retention(Config& config, std::string_view text) {
  return set_duration(config.raw_retention_ms, text, kSecondMs, "1s");
}

Status set_messages_retention(Config& config, std::string_view text) {
  return set_duration(config.messages.retention_ms, text, kSecondMs, "1s");
}

Status set_messages_future(Config& config, std::string_view text) {
  return set_duration(config.messages.future_ms, text, kSecondMs, "1s");
}

Status set_messages_rows_max(Config& config, std::string_view text) {
  return set_count(config.messages.rows_max, text, 1, 1'000'000'000);
}

Status set_rollups(Config& config, std::string_view text) {
  const auto wrong =
      fail(Code::invalid,
           "a list of granularity:retention, such as 5m:1y,1h:5y; granularities ascend, each a multiple "
           "of the one before, none shorter than 1s; the windows of one with the retention 0 are dropped");
  std::vector<Rollup> rollups;
  std::vector<std::int64_t> dropped_ms;
  for (const auto part : split_list(text)) {
    const std::size_t colon = part.find(':');
    if (colon == std::string_view::npos) return wrong;
    const auto granularity = parse_duration_ms(part.substr(0, colon));
    if (granularity && *granularity >= kSecondMs && part.substr(colon + 1) == "0") {
      dropped_ms.push_back(*granularity);
      continue;
    }
    const auto retention = parse_duration_ms(part.substr(colon + 1));
    if (!granularity || !retention || *granularity < kSecondMs || *retention < *granularity) return wrong;
    const std::int64_t finer = rollups.empty() ? *granularity : rollups.back().granularity_ms;
    if (*granularity % finer != 0 || (!rollups.empty() && *granularity == finer)) return wrong;
    rollups.push_back({*granularity, *retention});
  }
  for (const Rollup& rollup : rollups) {
    if (std::ranges::find(dropped_ms, rollup.granularity_ms) != dropped_ms.end()) return wrong;
  }
  config.rollups = std::move(rollups);
  config.dropped_rollups_ms = std::move(dropped_ms);
  return {};
}

Status set_tenant_default(Config& config, std::string_view text) {
  if (!text.empty() && !model::is_tenant_name(text)) {
    return fail(Code::invalid, "empty, or 1 to 64 of A-Z a-z 0-9 . _ -");
  }
  config.tenant_default = text;
  return {};
}

Status set_series_per_tenant(Config& config, std::string_view text) {
  return set_count(config.series_per_tenant_max, text, 1, 4'000'000'000);
}

Status set_memory(Config& config, std::string_view text) {
  config.memory_bytes_max = 0;
  if (text == "auto") return {};
  const Status size = set_size(config.memory_bytes_max, text, 16 * kKiB * kKiB, "16MiB");
  return size ? size : fail(size.error().code, "auto, or " + size.error().message);
}

Status set_tenants_max(Config& config, std::string_view text) {
  return set_count(config.tenants_max, text, 1, 1'000'000'000);
}

Status set_tags_limit_action(Config& config, std::string_view text) {
  using enum Config::Tags::LimitAction;
  if (text != "reject" && text != "exclude" && text != "truncate") {
    return fail(Code::invalid, "reject, exclude or truncate");
  }
  config.tags.limit_action = text == "reject" ? reject : text == "exclude" ? exclude : truncate;
  return {};
}

Status set_tags_value_max(Config& config, std::string_view text) {
  constexpr std::uint64_t kMost = 65'535;  // what the index can hold
  VARVE_ASSIGN_OR_RETURN(const std::uint64_t bytes, parse_size_bytes(text));
  if (bytes < 1 || bytes > kMost) return fail(Code::invalid, "a size from 1 to 65535 bytes");
  config.tags.value_bytes_max = bytes;
  return {};
}

Status set_tags_excluded_keys(Config& config, std::string_view text) {
  config.tags.excluded_keys.clear();
  for (const auto part : split_list(text)) {
    if (part.empty()) return fail(Code::invalid, "a list of tag keys, such as pid,request_id");
    config.tags.excluded_keys.emplace_back(part);
  }
  return {};
}

Status set_cassandra_hosts(Config& config, std::string_view text) {
  config.cassandra.hosts.clear();
  for (const auto part : split_list(text)) {
    const std::size_t colon = part.rfind(':');
    const auto port =
        colon == std::string_view::npos ? Result<std::uint64_t>(9042) : parse_count(part.substr(colon + 1));
    if (part.empty() || colon == 0 || !port || *port == 0 || *port > 65535) {
      return fail(Code::invalid, "a list of host:port, such as db1:9042,db2:9042");
    }
    config.cassandra.hosts.emplace_back(part);
  }
  if (config.cassandra.hosts.empty()) return fail(Code::invalid, "at least one host:port");
  return {};
}

Status set_cassandra_keyspace(Config& config, std::string_view text) {
  const bool good = !text.empty() && text.size() <= 48 && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
  if (!good) return fail(Code::invalid, "1 to 48 of a-z 0-9 _");
  config.cassandra.keyspace = text;
  return {};
}

Status set_cassandra_replication(Config& config, std::string_view text) {
  const auto parts = split_list(text);
  if (parts.empty() || !std::ranges::all_of(parts, is_replica_count)) {
    return fail(Code::invalid, "SimpleStrategy:N or a list of datacenter:N, such as dc1:3,dc2:3");
  }
  config.cassandra.replication = text;
  return {};
}

Status set_cassandra_consistency(Config& config, std::string_view text) {
  using enum Config::Cassandra::Consistency;
  constexpr std::pair<std::string_view, Config::Cassandra::Consistency> kNames[] = {
      {"ONE", one}, {"LOCAL_ONE", local_one}, {"QUORUM", quorum}, {"LOCAL_QUORUM", local_quorum}, {"ALL", all}};
  const auto* const found = std::ranges::find(kNames, text, [](const auto& entry) { return entry.first; });
  if (found == std::end(kNames)) return fail(Code::invalid, "ONE, LOCAL_ONE, QUORUM, LOCAL_QUORUM or ALL");
  config.cassandra.consistency = found->second;
  return {};
}

Status set_cassandra_datacenter(Config& config, std::string_view text) {
  return set_text(config.cassandra.datacenter, text);
}

Status set_cassandra_username(Config& config, std::string_view text) {
  return set_text(config.cassandra.username, text);
}

Status set_cassandra_password_file(Config& config, std::string_view text) {
  return set_text(config.cassandra.password_file, text);
}

Status set_cassandra_tls(Config& config, std::string_view text) { return set_switch(config.cassandra.tls, text); }

Status set_redis_url(Config& config, std::string_view text) {
  if (!text.starts_with("redis://") && !text.starts_with("rediss://")) {
    return fail(Code::invalid, "redis://host:port or rediss://host:port");
  }
  config.redis.url = text;
  return {};
}

Status set_redis_password_file(Config& config, std::string_view text) {
  return set_text(config.redis.password_file, text);
}

Status set_tls_ca(Config& config, std::string_view text) { return set_text(config.tls.ca, text); }

Status set_tls_certificate(Config& config, std::string_view text) { return set_text(config.tls.certificate, text); }

Status set_tls_key(Config& config, std::string_view text) { return set_text(config.tls.key, text); }

}  // namespace varve::config
