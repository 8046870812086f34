// SPDX-License-Identifier: Apache-2.0
#include "server/translate.h"

#include <algorithm>

#include "server/build_info.h"

namespace varve::server {

engine::rocksdb::Options store_options(const config::Config& config) {
  engine::rocksdb::Options options;
  options.path = config.storage.path;
  options.sync_always = config.storage.sync_always;
  options.sync_interval_ms = config.storage.sync_interval_ms;
  options.repair = config.storage.repair;
  options.slot_width_ms = config.slots.width_ms;
  options.series_per_tenant_max = config.series_per_tenant_max;
  return options;
}

http::ServerOptions http_options(const config::Config& config) {
  http::ServerOptions options;
  options.listen = config::to_string(config.http.listen);
  options.tenant_default = config.tenant_default;
  options.body_max = config.http.body_bytes_max;
  // Room for a few of the largest bodies at once, whatever their limit is.
  options.bodies_in_flight_max = std::max(options.bodies_in_flight_max, 4 * options.body_max);
  return options;
}

telnet::ListenerOptions telnet_options(const config::Config& config) {
  telnet::ListenerOptions options;
  options.listen = config::to_string(config.telnet.listen);
  options.tenant_default = config.tenant_default;
  options.version = version();
  return options;
}

query::Limits query_limits(const config::Config& config) {
  query::Limits limits;
  limits.memory_bytes = config.query.memory_bytes_max;
  limits.timeout = std::chrono::milliseconds(config.query.timeout_ms);
  return limits;
}

}  // namespace varve::server
