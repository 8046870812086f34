// SPDX-License-Identifier: Apache-2.0
// From the one Config to the Options of the cluster engine and its drivers. Only in builds with VARVE_CLUSTER=ON.
#pragma once

#include "config/config.h"
#include "engine/cassandra/connection.h"
#include "engine/cassandra/options.h"

namespace varve::server {

engine::cassandra::SchemaOptions schema_options(const config::Config& config);
// Without `source`, which is another one for each start.
engine::cassandra::Options cluster_options(const config::Config& config, std::string replica);
// Error: io (a password's file cannot be read).
Result<engine::cassandra::Connection::Servers> cluster_servers(const config::Config& config);

}  // namespace varve::server
