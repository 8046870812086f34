// SPDX-License-Identifier: Apache-2.0
// Sealed messages: runs whose messages are in blocks (message/block/); docs/formats/message-run.md.
#pragma once

#include <memory>
#include <vector>

#include "base/result.h"
#include "engine/rocksdb/runs/block_cache.h"
#include "engine/rocksdb/runs/database.h"
#include "engine/rocksdb/runs/run.h"
#include "message/block/interner.h"
#include "message/block/parts.h"
#include "message/row.h"
#include "storage/message_store.h"

namespace varve::engine::rocksdb {

// Writes the messages of one tenant and slot. For one thread. Nothing is visible before the run is committed.
class SealedMessagesWriter {
 public:
  // `content` as in Run.
  SealedMessagesWriter(const RunKey& key, std::uint64_t content, Database::Draft& draft);

  // Copies the row. In order of time, nanoseconds and arrival.
  Status add(message::RowView row);
  // nullptr: there were none.
  Result<std::shared_ptr<const Run>> finish();

 private:
  Status close_block();

  Database::Draft& draft_;
  Run run_;
  std::uint32_t section_ = 0;   // the next one's number
  message::block::Arena kept_;  // the rows
  std::vector<message::RowView> rows_;
  std::size_t bytes_ = 0;  // of rows
  storage::MessageNames names_;
};

// The blocks of a sealed run, in order of time. They stay readable as long as the snapshot; nullptr: as long as the run
// is listed. The database and the cache (nullptr: none) must outlive them.
struct SealedBlock {
  SealedMessages about;
  std::shared_ptr<const message::block::Sections> sections;
};
std::vector<SealedBlock> sealed_blocks(const Run& run, const Database& database,
                                       const std::shared_ptr<const Database::Snapshot>& snapshot, MessageCache* cache);

}  // namespace varve::engine::rocksdb
