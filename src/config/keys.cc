// SPDX-License-Identifier: Apache-2.0
#include "config/keys.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <vector>

#include "config/setters.h"

namespace varve::config {
namespace {

constexpr Key kKeys[] = {
    {"engine", "embedded", "embedded, or cluster (Cassandra and Redis)", set_engine},
    {"roles", "ingest,query,rollup,poll", "what this process does", set_roles},
    {"storage.path", "./varve-data", "data directory of the embedded engine; one process at a time", set_storage_path},
    {"storage.sync", "1s", "longest time from an acknowledgement to fsync; always: fsync first", set_storage_sync},
    {"storage.repair", "false", "start although the log is damaged; keep what is readable", set_storage_repair},
    {"http.listen", "127.0.0.1:8080", "address of all HTTP protocols", set_http_listen},
    {"http.insecure_public", "false", "allow addresses that other machines can reach", set_http_insecure_public},
    {"http.body_max", "64MiB", "largest request body, after decompression", set_http_body_max},
    {"http.connections_max", "10000", "connections at a time; more are closed", set_http_connections_max},
    {"http.head_timeout", "10s", "from the first byte of a request's head to its last", set_http_head_timeout},
    {"http.idle_timeout", "2m", "how long a connection without a request stays open", set_http_idle_timeout},
    {"http.write_timeout", "60s", "in which a client must read 64 KiB of a pending answer", set_http_write_timeout},
    {"http.origins", "", "origins whose web pages may use this server; a list of scheme://host[:port], or *",
     set_http_origins},
    {"http.hosts", "", "accepted names in Host besides addresses and localhost; a list of name, *.name or *",
     set_http_hosts},
    {"telnet.listen", "127.0.0.1:4242", "address of the OpenTSDB and KairosDB line protocol; empty: off",
     set_telnet_listen},
    {"telnet.connections_max", "10000", "connections at a time; more are closed", set_telnet_connections_max},
    {"telnet.idle_timeout", "1h", "how long a silent connection stays open; 0s: for ever", set_telnet_idle_timeout},
    {"syslog.udp", "", "address of syslog over UDP; empty: off", set_syslog_udp},
    {"syslog.tcp", "", "address of syslog over TCP; empty: off", set_syslog_tcp},
    {"syslog.tls", "", "address of syslog over TLS; empty: off", set_syslog_tls},
    {"syslog.certificate", "", "PEM file of the certificate and its chain", set_syslog_certificate},
    {"syslog.key", "", "PEM file of the certificate's key", set_syslog_key},
    {"syslog.client_ca", "", "PEM file of who signs clients' certificates; empty: clients need none",
     set_syslog_client_ca},
    {"syslog.tenant", "default", "tenant of all syslog messages", set_syslog_tenant},
    {"syslog.zone", "", "time zone of syslog times that name none; empty: the machine's", set_syslog_zone},
    {"syslog.message_max", "64KiB", "longest syslog message", set_syslog_message_max},
    {"snmp.credentials", "", "YAML file of SNMP credentials, which others must not read; reloaded by SIGHUP",
     set_snmp_credentials},
    {"snmp.timeout", "2s", "how long an agent has for an answer, before it is asked again", set_snmp_timeout},
    {"snmp.retries", "2", "how often an agent is asked again, before it counts as silent", set_snmp_retries},
    {"snmp.backoff_max", "1m", "longest pause between two tries of a silent agent", set_snmp_backoff_max},
    {"snmp.buffer", "64MiB", "memory for polled rows that the store refuses; over it the oldest go", set_snmp_buffer},
    {"snmp.traps", "", "address of SNMP traps (UDP); empty: off", set_snmp_traps},
    {"snmp.history", "5y", "how long ended rows of histories are kept; 20 years or more: for ever", set_snmp_history},
    {"esmond.keys", "",
     "YAML file of users and their keys for esmond's API, which others must not read; reloaded by SIGHUP",
     set_esmond_keys},
    {"slots.width", "1h", "width of a time slot", set_slots_width},
    {"slots.quiet", "5m", "grace period: a slot is sealed this long after its end", set_slots_quiet},
    {"slots.partitions", "64", "partitions of all series, by hash", set_slots_partitions},
    {"slots.own", "jobs", "which partitions are sealed here: jobs, a list such as 0-15,40, or none", set_slots_own},
    {"slots.jobs", "4", "jobs that the partitions are divided into", set_slots_jobs},
    {"slots.lease", "30s", "how long a replica that stops responding keeps its jobs", set_slots_lease},
    {"slots.period", "1m", "each partition is checked once per period (cluster)", set_slots_period},
    {"slots.hot_kept", "6h", "how long samples stay in hot rows beside sealed ones (cluster)", set_slots_hot_kept},
    {"raw.retention", "90d", "how long samples are kept; 20 years or more: for ever", set_raw_retention},
    {"retention.classes", "", "which series are kept otherwise; a list of NAME:RETENTION:CONDITION",
     set_retention_classes},
    {"messages.retention", "30d", "how long log messages are kept; 20 years or more: for ever", set_messages_retention},
    {"messages.future", "1d", "how far ahead of the clock a message's time may be", set_messages_future},
    {"messages.rows_max", "2500000", "rows of one answer to a query of messages", set_messages_rows_max},
    {"messages.classes", "", "which log messages are kept otherwise; a list of NAME:RETENTION:COLUMN=VALUE",
     set_messages_classes},
    {"messages.shed.disk", "85/80:debug,90/85:info,95/90:err",
     "percent high/low of the disk: this level and less severe messages are dropped; a list", set_messages_shed_disk},
    {"messages.shed.backlog", "85/80:debug,90/85:info,95/90:err", "likewise, of the memory for unsealed messages",
     set_messages_shed_backlog},
    {"rollups", "5m:1y,1h:5y,1d:20y", "granularity:retention of each rollup", set_rollups},
    {"counters", "*_total:1m", "metrics that are counters, and how often they come; a list of PATTERN:FREQUENCY",
     set_counters},
    {"rollup.counter_suffixes", "reads,writes,bytes", "metrics whose names end so are delta counters",
     set_counter_suffixes},
    {"tenant.default", "default", "tenant of a request that names none; empty: refused", set_tenant_default},
    {"tenant.from", "path,x-tenant,x-scope-orgid,tag", "what may name the tenant of a request; a list",
     set_tenant_from},
    {"limits.series_per_tenant", "10000000", "series of a tenant; new ones beyond it are refused",
     set_series_per_tenant},
    {"limits.tenants", "10000", "tenants that have series or messages; a write for one more is refused",
     set_tenants_max},
    {"limits.memory", "auto", "memory of all requests; auto: half of what the process may use", set_memory},
    {"tags.limit_action", "reject", "for tag values over tags.value_max: reject, exclude or truncate",
     set_tags_limit_action},
    {"tags.value_max", "4096", "longest tag value, in bytes", set_tags_value_max},
    {"tags.excluded_keys", "", "tags removed from every sample; a list of keys", set_tags_excluded_keys},
    {"otlp.translation", "UnderscoreEscapingWithSuffixes",
     "how OTLP's names of metrics and attributes become names here; one of Prometheus' four strategies",
     set_otlp_translation},
    {"otlp.promote_resource_attributes", "", "attributes of OTLP's resources that become tags of their metrics; a list",
     set_otlp_promoted},
    {"query.memory", "1GiB", "memory of one query", set_query_memory},
    {"query.timeout", "60s", "time of one query", set_query_timeout},
    {"query.metrics_max", "10000", "metrics of one query", set_query_metrics_max},
    {"promql.lookback", "5m", "for so long a sample is the newest one of its series", set_promql_lookback},
    {"promql.strict", "false", "refuse the words of MetricsQL", set_promql_strict},
    {"promql.max_series", "1000000", "series of one selector", set_promql_max_series},
    {"cassandra.hosts", "127.0.0.1:9042", "contact points of the cluster; a list of host:port", set_cassandra_hosts},
    {"cassandra.keyspace", "varve", "keyspace of the tables", set_cassandra_keyspace},
    {"cassandra.replication", "SimpleStrategy:1", "SimpleStrategy:N, or a list of datacenter:N",
     set_cassandra_replication},
    {"cassandra.consistency", "LOCAL_QUORUM", "consistency level of every read and write", set_cassandra_consistency},
    {"cassandra.datacenter", "", "only its nodes are contacted; empty: any", set_cassandra_datacenter},
    {"cassandra.username", "", "empty: no authentication", set_cassandra_username},
    {"cassandra.password_file", "", "file containing the password", set_cassandra_password_file},
    {"cassandra.tls", "false", "encrypt connections to Cassandra", set_cassandra_tls},
    {"redis.url", "redis://127.0.0.1:6379", "Redis of the cluster's slot tracker; rediss:// encrypts", set_redis_url},
    {"redis.password_file", "", "file containing the password", set_redis_password_file},
    {"tls.ca", "", "PEM file: authority for Cassandra and Redis; empty: the system's", set_tls_ca},
    {"tls.certificate", "", "PEM file: client certificate for Cassandra and Redis; empty: none", set_tls_certificate},
    {"tls.key", "", "PEM file: private key of that certificate", set_tls_key},
    {"log.level", "info", "debug, info, warn or error; reloaded by SIGHUP", set_log_level},
};

// Levenshtein distance.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t kept = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({kept, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::span<const Key> keys() { return kKeys; }

const Key* find_key(std::string_view name) {
  const auto* found = std::ranges::find(kKeys, name, &Key::name);
  return found == std::end(kKeys) ? nullptr : found;
}

const Key* nearest_key(std::string_view name) {
  const Key* best = nullptr;
  std::size_t best_distance = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const Key& key : kKeys) {
    if (const std::size_t d = distance(name, key.name); d < best_distance) {
      best = &key;
      best_distance = d;
    }
  }
  return best;
}

std::string environment_name(std::string_view key) {
  std::string name = "VARVE_";
  for (const char c : key) name += c == '.' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

std::string shown_value(std::string_view key, std::string_view text) {
  const std::size_t at = text.rfind('@');
  const std::size_t scheme = text.find("://");
  if (key != "redis.url" || at == std::string_view::npos || scheme == std::string_view::npos) return std::string(text);
  const std::size_t colon = text.find(':', scheme + 3);
  if (colon > at) return std::string(text);
  return std::string(text.substr(0, colon + 1)) + "***" + std::string(text.substr(at));
}

}  // namespace varve::config
