// SPDX-License-Identifier: Apache-2.0
// From the one Config to the Options of each component, which do not know it.
#pragma once

#include "api/shared/context.h"
#include "config/config.h"
#include "counter/declared.h"
#include "engine/rocksdb/env/options.h"
#include "http/options.h"
#include "http/router.h"
#include "query/engine.h"
#include "syslog/listener.h"
#include "telnet/listener.h"
#include "tracker/ownership.h"
#include "write/message_intake.h"
#include "write/writer.h"

namespace varve::server {

rollup::Levels rollup_levels(const config::Config& config);
// To which those are added that are known by more than their name.
counter::Declared declared_counters(const config::Config& config);
// Does this replica seal and roll up?
bool seals(const config::Config& config);
// `usable`: bytes of memory that the process may use.
engine::rocksdb::Options store_options(const config::Config& config, std::uint64_t usable);
// `replica`: its name on the board of jobs.
tracker::Ownership::Options ownership_options(const config::Config& config, std::string replica);
// Of the devices to be polled; `replica` as above.
tracker::Ownership::Options poll_ownership_options(const config::Config& config, std::string replica);
// Does a server of these roles have routes that do this?
bool serves(const config::Roles& roles, http::Effect effect);
// `memory`: of what all requests hold; a body may have a quarter of it.
http::ServerOptions http_options(const config::Config& config, std::shared_ptr<MemoryLedger> memory);
// limits.memory, in bytes; `usable`: what the process may use.
std::size_t memory_max(const config::Config& config, std::uint64_t usable);
telnet::ListenerOptions telnet_options(const config::Config& config);
// Error: invalid (the machine's time zone is not known).
Result<syslog::ListenerOptions> syslog_options(const config::Config& config);
query::Limits query_limits(const config::Config& config);
model::TagLimits tag_limits(const config::Config& config);
message::Classes message_classes(const config::Config& config);
// Without its gauges.
write::IntakeOptions intake_options(const config::Config& config);
write::Options write_options(const config::Config& config, const Clock& clock);
api::CeresRetentions ceres_retentions(const config::Config& config);
api::OtlpNaming otlp_naming(const config::Config& config);

}  // namespace varve::server
