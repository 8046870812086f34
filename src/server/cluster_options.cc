// SPDX-License-Identifier: Apache-2.0
#ifdef VARVE_CLUSTER
#include "server/cluster_options.h"

#include <fstream>
#include <utility>

#include "server/translate.h"

namespace varve::server {
namespace {

// The first line; nothing where no file is named.
Result<std::string> password_in(const std::string& path) {
  std::string password;
  if (path.empty()) return password;
  std::ifstream file(path);
  if (!std::getline(file, password)) return fail(Code::io, path + ": no password can be read there");
  return password;
}

driver::Consistency consistency_of(config::Config::Cassandra::Consistency configured) {
  using From = config::Config::Cassandra::Consistency;
  switch (configured) {
    case From::one: return driver::Consistency::one;
    case From::local_one: return driver::Consistency::local_one;
    case From::quorum: return driver::Consistency::quorum;
    case From::all: return driver::Consistency::all;
    case From::local_quorum: break;
  }
  return driver::Consistency::local_quorum;
}

}  // namespace

engine::cassandra::SchemaOptions schema_options(const config::Config& config) {
  engine::cassandra::SchemaOptions options;
  options.keyspace = config.cassandra.keyspace;
  options.replication = config.cassandra.replication;
  options.slot_width_ms = config.slots.width_ms;
  options.raw_retention_ms = config.raw_retention_ms;
  options.message_retention_ms = config.messages.retention_ms;
  options.message_rules = config.messages.classes;
  options.retention_rules = config.retention_classes;
  options.rollups = rollup_levels(config).levels;
  options.partitions = config.slots.partitions;
  return options;
}

engine::cassandra::Options cluster_options(const config::Config& config, std::string replica) {
  engine::cassandra::Options options;
  options.schema = schema_options(config);
  options.rollups = rollup_levels(config);
  options.rolls_up = seals(config);
  options.slot_quiet_ms = config.slots.quiet_ms;
  options.hot_kept_ms = config.slots.hot_kept_ms;
  options.series_per_tenant_max = config.series_per_tenant_max;
  options.replica = std::move(replica);
  return options;
}

Result<engine::cassandra::Connection::Servers> cluster_servers(const config::Config& config) {
  engine::cassandra::Connection::Servers servers;
  auto& cassandra = servers.cassandra;
  for (const auto& host : config.cassandra.hosts) {
    cassandra.contact_points += (cassandra.contact_points.empty() ? "" : ",") + host;
  }
  cassandra.local_dc = config.cassandra.datacenter;
  cassandra.consistency = consistency_of(config.cassandra.consistency);
  cassandra.user = config.cassandra.username;
  VARVE_ASSIGN_OR_RETURN(cassandra.password, password_in(config.cassandra.password_file));
  const driver::Tls tls{config.cassandra.tls, config.tls.ca, config.tls.certificate, config.tls.key};
  cassandra.tls = tls;
  servers.redis.url = config.redis.url;
  servers.redis.tls = tls;
  servers.redis.tls.enabled = config.redis.url.starts_with("rediss://");
  VARVE_ASSIGN_OR_RETURN(servers.redis.password, password_in(config.redis.password_file));
  return servers;
}

}  // namespace varve::server
#endif
