// SPDX-License-Identifier: Apache-2.0
// Replay: puts the log's records into the index and the head again. What makes no sense in a record that is whole, such
// as a row of a line group that nobody defined, was written so by a fault of the program: it is left out and kept in a
// file, and the start goes on. docs/formats/log.md, "Rejected".
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/rocksdb/head/head.h"
#include "engine/rocksdb/head/message_record.h"
#include "engine/rocksdb/log/log_format.h"
#include "index/series_index.h"
#include "model/row.h"

namespace varve::engine::rocksdb {

// May a well-formed row be stored: has it a known line group, a value for each series of it, and a time that there is?
bool row_fits(const index::SeriesIndex& index, model::RowView row);
// Are these well-formed messages, of a tenant whose number is its name's?
bool messages_fit(const index::SeriesIndex& index, const MessageRecord& messages);

// For one thread. The index and the head must not be used by others meanwhile.
class Replay {
 public:
  Replay(index::SeriesIndex& index, Head& head) : index_(index), head_(head) {}

  void enter(std::uint64_t segment) { segment_ = segment; }
  // The record's bytes must stay until keep_rejected().
  void apply(const LogRecord& record);
  // Definition records on their own, of which some may be known. False: not all make sense.
  bool define(std::span<const std::byte> records);

  // Of all that was applied, in their order; afterwards there is none.
  std::string take_definitions();

  struct Rejected {
    std::uint64_t records = 0;  // of which something is left out
    std::uint64_t bytes = 0;    // left out
    std::string reason;         // of the first
  };
  [[nodiscard]] const Rejected& rejected() const { return rejected_; }
  // Writes the records of which something was left out to wal/<segment>.rejected, and says so.
  void keep_rejected(const std::string& directory) const;

 private:
  std::size_t append_rows(const LogRecord& record, std::string& reason);

  index::SeriesIndex& index_;
  Head& head_;
  std::string definitions_;
  bool is_partial_ = false;  // of some definitions a part was applied
  std::uint64_t segment_ = 0;
  Rejected rejected_;
  std::map<std::uint64_t, std::vector<std::span<const std::byte>>> kept_;  // records by segment
};

}  // namespace varve::engine::rocksdb
