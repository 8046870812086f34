// SPDX-License-Identifier: Apache-2.0
// The whole configuration, parsed and checked. Components do not see it: server/ translates it to their own Options.
// The meaning of each key is defined once, in keys.cc; docs/operate/configuration.md explains it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"
#include "config/address.h"
#include "counter/declared.h"
#include "message/classes.h"
#include "rollup/retention_classes.h"

namespace varve::config {

struct Roles {
  bool ingest = true, query = true, rollup = true, poll = true;
};

struct Rollup {
  std::int64_t granularity_ms;
  std::int64_t retention_ms;
};

// While `high` percent are reached, and until it is below `low`, messages of this level and less severe ones are
// dropped.
struct Shed {
  unsigned high = 0, low = 0;
  int level = 0;  // syslog's severity
  bool operator==(const Shed&) const = default;
};

struct Config {
  enum class Engine { embedded, cluster };
  Engine engine = Engine::embedded;
  Roles roles;
  log::Level log_level = log::Level::info;

  struct Storage {
    std::string path;
    bool sync_always = false;
    std::int64_t sync_interval_ms = 0;  // where not always
    bool repair = false;
  } storage;

  struct Http {
    Address listen;
    bool insecure_public = false;
    std::uint64_t body_bytes_max = 0;
    std::uint64_t connections_max = 0;
    std::int64_t head_timeout_ms = 0, idle_timeout_ms = 0, write_timeout_ms = 0;
    std::vector<std::string> origins;  // as a browser says them; or "*"
    std::vector<std::string> hosts;    // names, "*.name" or "*"
  } http;

  struct Telnet {
    bool on = false;
    Address listen;
    std::uint64_t connections_max = 0;
    std::int64_t idle_timeout_ms = 0;  // 0: none
  } telnet;

  struct Syslog {
    bool udp_on = false, tcp_on = false, tls_on = false;
    Address udp, tcp, tls;
    std::string certificate, key, client_ca;  // paths
    std::string tenant;
    std::string zone;  // of times without one; empty: the machine's
    std::uint64_t message_bytes_max = 0;
  } syslog;

  struct Snmp {
    std::string credentials;  // a path; empty: there are none
    std::int64_t timeout_ms = 0;
    std::uint32_t retries = 0;
    std::int64_t backoff_max_ms = 0;
    std::int64_t history_ms = 0;  // how long rows of histories are kept
    std::uint64_t buffer_bytes = 0;
    bool traps_on = false;
    Address traps;
  } snmp;

  std::string esmond_keys;  // a path; empty: everybody may do everything

  struct Slots {
    std::int64_t width_ms = 0;
    std::int64_t quiet_ms = 0;
    std::uint32_t partitions = 0;
    enum class Own { jobs, list, none } own = Own::jobs;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> own_ranges;  // both ends included
    std::uint32_t jobs = 0;
    std::int64_t lease_ms = 0;
    std::int64_t period_ms = 0;
    std::int64_t hot_kept_ms = 0;
  } slots;

  std::int64_t raw_retention_ms = 0;
  std::vector<rollup::RetentionRule> retention_classes;  // in order
  struct Messages {
    std::int64_t retention_ms = 0;
    std::int64_t future_ms = 0;
    std::uint64_t rows_max = 0;
    std::vector<message::ClassRule> classes;  // in order
    std::vector<Shed> shed_disk, shed_backlog;
  } messages;
  std::vector<Rollup> rollups;                   // ascending granularity
  std::vector<std::int64_t> dropped_rollups_ms;  // granularities with the retention 0
  std::vector<counter::Pattern> counters;
  std::vector<std::string> counter_suffixes;

  std::string tenant_default;  // empty: a request must name its tenant
  struct TenantFrom {
    bool path = false, x_tenant = false, x_scope_orgid = false, tag = false;
  } tenant_from;
  std::uint64_t series_per_tenant_max = 0;
  std::uint64_t tenants_max = 0;
  std::uint64_t memory_bytes_max = 0;  // of all requests together; 0: half of what the process may use

  struct Tags {
    enum class LimitAction { reject, exclude, truncate } limit_action = LimitAction::reject;
    std::uint64_t value_bytes_max = 0;
    std::vector<std::string> excluded_keys;
  } tags;

  struct Otlp {
    bool escapes = true, adds_suffixes = true;  // names, as Prometheus' translation strategies have it
    std::vector<std::string> promoted;          // attributes of resources that become tags
  } otlp;

  struct Query {
    std::uint64_t memory_bytes_max = 0;
    std::int64_t timeout_ms = 0;
    std::uint64_t metrics_max = 0;
  } query;

  struct Promql {
    std::int64_t lookback_ms = 0;
    bool strict = false;
    std::uint64_t series_max = 0;  // of one selector
  } promql;

  struct Cassandra {
    std::vector<std::string> hosts;
    std::string keyspace, replication;
    enum class Consistency { one, local_one, quorum, local_quorum, all } consistency = Consistency::local_quorum;
    std::string datacenter;  // empty: all are alike
    std::string username, password_file;
    bool tls = false;
  } cassandra;

  struct Redis {
    std::string url, password_file;
  } redis;

  // PEM files for connections to Cassandra and Redis.
  struct Tls {
    std::string ca, certificate, key;
  } tls;
};

}  // namespace varve::config
