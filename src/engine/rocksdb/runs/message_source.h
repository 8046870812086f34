// SPDX-License-Identifier: Apache-2.0
// MessageSource: the messages of a run, frames or sealed, one after the other in order.
#pragma once

#include <memory>
#include <span>

#include "engine/rocksdb/runs/database.h"
#include "engine/rocksdb/runs/run.h"
#include "message/merged_rows.h"

namespace varve::engine::rocksdb {

// Has one frame, or one block, in memory at a time. The run must stay listed.
std::unique_ptr<message::RowSource> message_source(std::shared_ptr<const Run> run, const Database& database);

// Of several runs of a slot as one, without what senders repeated.
message::MergedRows merged_messages(std::span<const std::shared_ptr<const Run>> runs, const Database& database);

}  // namespace varve::engine::rocksdb
