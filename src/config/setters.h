// SPDX-License-Identifier: Apache-2.0
// One function a key: text → a checked field of Config. The error's message says what is allowed. Named in keys.cc
// only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "config/config.h"
#include "config/units.h"

namespace varve::config {

// A whole number from `least` to `most`.
template <class T>
Status set_count(T& field, std::string_view text, std::uint64_t least, std::uint64_t most) {
  const auto count = parse_count(text);
  if (!count || *count < least || *count > most) {
    return fail(Code::invalid, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  field = static_cast<T>(*count);
  return {};
}

// true or false.
Status set_switch(bool& field, std::string_view text);
// For setters: a duration (a size) of at least so much; `least_text` is how a user writes that.
Status set_duration(std::int64_t& field, std::string_view text, std::int64_t least_ms, std::string_view least_text);
Status set_size(std::uint64_t& field, std::string_view text, std::uint64_t least_bytes, std::string_view least_text);

// What is wrong with one entry of a list: `'entry' why`.
inline std::unexpected<Error> wrong_entry(std::string_view entry, std::string_view why) {
  return fail(Code::invalid, "'" + std::string(entry) + "' " + std::string(why));
}

Status set_engine(Config& config, std::string_view text);
Status set_roles(Config& config, std::string_view text);
Status set_log_level(Config& config, std::string_view text);
Status set_storage_path(Config& config, std::string_view text);
Status set_storage_sync(Config& config, std::string_view text);
Status set_storage_repair(Config& config, std::string_view text);
Status set_http_listen(Config& config, std::string_view text);
Status set_http_insecure_public(Config& config, std::string_view text);
Status set_http_body_max(Config& config, std::string_view text);
Status set_http_connections_max(Config& config, std::string_view text);
Status set_http_head_timeout(Config& config, std::string_view text);
Status set_http_write_timeout(Config& config, std::string_view text);
Status set_http_idle_timeout(Config& config, std::string_view text);
Status set_http_origins(Config& config, std::string_view text);
Status set_http_hosts(Config& config, std::string_view text);
Status set_telnet_listen(Config& config, std::string_view text);
Status set_syslog_udp(Config& config, std::string_view text);
Status set_syslog_tcp(Config& config, std::string_view text);
Status set_syslog_tls(Config& config, std::string_view text);
Status set_syslog_certificate(Config& config, std::string_view text);
Status set_syslog_key(Config& config, std::string_view text);
Status set_syslog_client_ca(Config& config, std::string_view text);
Status set_syslog_tenant(Config& config, std::string_view text);
Status set_syslog_zone(Config& config, std::string_view text);
Status set_syslog_message_max(Config& config, std::string_view text);
Status set_telnet_connections_max(Config& config, std::string_view text);
Status set_telnet_idle_timeout(Config& config, std::string_view text);
Status set_esmond_keys(Config& config, std::string_view text);
Status set_snmp_credentials(Config& config, std::string_view text);
Status set_snmp_timeout(Config& config, std::string_view text);
Status set_snmp_retries(Config& config, std::string_view text);
Status set_snmp_history(Config& config, std::string_view text);
Status set_snmp_backoff_max(Config& config, std::string_view text);
Status set_snmp_buffer(Config& config, std::string_view text);
Status set_snmp_traps(Config& config, std::string_view text);
Status set_slots_width(Config& config, std::string_view text);
Status set_slots_quiet(Config& config, std::string_view text);
Status set_slots_partitions(Config& config, std::string_view text);
Status set_slots_own(Config& config, std::string_view text);
Status set_slots_jobs(Config& config, std::string_view text);
Status set_slots_lease(Config& config, std::string_view text);
Status set_slots_hot_kept(Config& config, std::string_view text);
Status set_slots_period(Config& config, std::string_view text);
Status set_raw_retention(Config& config, std::string_view text);
Status set_retention_classes(Config& config, std::string_view text);
Status set_messages_retention(Config& config, std::string_view text);
Status set_messages_future(Config& config, std::string_view text);
Status set_messages_rows_max(Config& config, std::string_view text);
Status set_messages_classes(Config& config, std::string_view text);
Status set_messages_shed_disk(Config& config, std::string_view text);
Status set_messages_shed_backlog(Config& config, std::string_view text);
Status set_rollups(Config& config, std::string_view text);
Status set_counters(Config& config, std::string_view text);
Status set_counter_suffixes(Config& config, std::string_view text);
Status set_tenant_default(Config& config, std::string_view text);
Status set_tenant_from(Config& config, std::string_view text);
Status set_series_per_tenant(Config& config, std::string_view text);
Status set_tenants_max(Config& config, std::string_view text);
Status set_memory(Config& config, std::string_view text);
Status set_tags_limit_action(Config& config, std::string_view text);
Status set_tags_value_max(Config& config, std::string_view text);
Status set_tags_excluded_keys(Config& config, std::string_view text);
Status set_otlp_translation(Config& config, std::string_view text);
Status set_otlp_promoted(Config& config, std::string_view text);
Status set_query_memory(Config& config, std::string_view text);
Status set_query_metrics_max(Config& config, std::string_view text);
Status set_query_timeout(Config& config, std::string_view text);
Status set_promql_lookback(Config& config, std::string_view text);
Status set_promql_strict(Config& config, std::string_view text);
Status set_promql_max_series(Config& config, std::string_view text);
Status set_cassandra_hosts(Config& config, std::string_view text);
Status set_cassandra_keyspace(Config& config, std::string_view text);
Status set_cassandra_replication(Config& config, std::string_view text);
Status set_cassandra_consistency(Config& config, std::string_view text);
Status set_cassandra_datacenter(Config& config, std::string_view text);
Status set_cassandra_username(Config& config, std::string_view text);
Status set_cassandra_password_file(Config& config, std::string_view text);
Status set_cassandra_tls(Config& config, std::string_view text);
Status set_redis_url(Config& config, std::string_view text);
Status set_redis_password_file(Config& config, std::string_view text);
Status set_tls_ca(Config& config, std::string_view text);
Status set_tls_certificate(Config& config, std::string_view text);
Status set_tls_key(Config& config, std::string_view text);

}  // namespace varve::config
