// SPDX-License-Identifier: Apache-2.0
// Apply: creates the schema in a Cassandra, and checks what stands there.
#pragma once

#include <functional>
#include <string_view>

#include "base/result.h"
#include "driver/cassandra.h"
#include "engine/cassandra/tables/schema.h"
#include "model/tags.h"

namespace varve::engine::cassandra {

// The version that stands in the keyspace; 0: none. Errors: those of the driver.
Result<int> schema_version(const driver::Session& session, std::string_view keyspace);

// May this build work on the keyspace, so configured? Errors: unsupported (newer than this build, or older, or not
// there, or made for other slots.width or slots.partitions: it says what to do), those of the driver.
Status check_schema(const driver::Session& session, const SchemaOptions& options);

// Is every write that ended at this consistency seen by every read at it, whichever replica asks? Not by LOCAL_QUORUM
// where the keyspace stands in several data centres, nor by ONE where it has several copies. Errors: those of the
// driver.
Result<bool> reads_see_writes(const driver::Session& session, const std::string& keyspace,
                              driver::Consistency consistency);
// The same of a keyspace's replication as Cassandra has it: {"class": …, data centre: copies, …}. Errors: corrupt.
Result<bool> reads_see_writes(const model::TagViews& replication, driver::Consistency consistency);

// Creates what is missing, notes the slots' width and partitions, and waits until all nodes agree; `said` is told each
// step. One process at a time: nodes of Cassandra that are asked to create one table twice at once may not agree. Done
// again it changes nothing. Errors: unsupported (a newer schema stands there; nothing is touched), those of the driver.
Status apply_schema(const driver::Session& session, const SchemaOptions& options,
                    const std::function<void(std::string_view)>& said);

}  // namespace varve::engine::cassandra
