// SPDX-License-Identifier: Apache-2.0
// Message runs: what a flush wrote of the messages of one tenant and slot, as frames (sealed ones: sealed_messages.h).
// docs/formats/message-run.md.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/result.h"
#include "engine/rocksdb/runs/database.h"
#include "engine/rocksdb/runs/run.h"
#include "storage/message_store.h"

namespace varve::engine::rocksdb {

// Sorts the rows and writes them. Nothing is visible before the run is committed.
Result<std::shared_ptr<const Run>> write_message_run(const RunKey& key,
                                                     std::span<const std::span<const std::byte>> rows,
                                                     Database::Draft& draft);

// The frames of the run that overlap the time, both inclusive. Error: corrupt.
Result<storage::MessageRows> read_message_run(const Run& run, const Database& database,
                                              const Database::Snapshot* snapshot, std::int64_t first_us,
                                              std::int64_t last_us);

// Of a run's times. Rounded down.
model::Timestamp ms_of(std::int64_t us);

// Writes them as the last of the run's blocks, and lists it.
Status put_names(Run& run, const storage::MessageNames& names, Database::Draft& draft);
// The names that its messages have brought along are kept beside the frames. Error: corrupt.
Status read_message_names(const Run& run, const Database& database, const Database::Snapshot* snapshot,
                          storage::MessageNames& out);

}  // namespace varve::engine::rocksdb
