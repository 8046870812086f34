// SPDX-License-Identifier: Apache-2.0
// Checkpoint: the record of a commit that says what is in the database with it; docs/formats/keys.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace varve::engine::rocksdb {

// How many records of runs and of marks there are.
struct RecordCounts {
  std::uint64_t runs = 0;
  std::uint64_t marks = 0;
  bool operator==(const RecordCounts&) const = default;
};

struct Checkpoint {
  std::uint64_t next_run = 1;
  std::uint64_t first_segment = 1;           // of the log; older segments are in the database
  std::uint64_t sequence = 0;                // of the last log record in the database
  std::uint64_t definitions = 0;             // sequence of the newest definitions; determined at start, not stored
  std::optional<RecordCounts> records = {};  // nullopt: they are not counted
};

struct StoredCheckpoint {
  Checkpoint checkpoint;
  std::uint64_t commit = 0;  // number of the commit; 0: not known
};

std::string encode_checkpoint(const StoredCheckpoint& stored);
// Of any version. Safe for untrusted bytes.
Result<StoredCheckpoint> decode_checkpoint(std::string_view record);

// Are there as many as a checkpoint has counted?
Status check_counts(const std::optional<RecordCounts>& counted, const RecordCounts& found);

}  // namespace varve::engine::rocksdb
