// SPDX-License-Identifier: Apache-2.0
// SeriesMerge: one series whose samples stand in several line groups. Two writers may have written the same timestamp
// through different groups (a line with other fields, another protocol); the later one wins, as everywhere. Groups may
// have times to live: a sample whose time is over is none, and does not win.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "chunk/block.h"
#include "engine/shared/rows.h"
#include "engine/shared/stored_for.h"
#include "model/row.h"

namespace varve::engine::shared {

// Reusable, one thread. Texts are views into rows and blocks, which must outlive the use.
class SeriesMerge {
 public:
  struct Sample {
    model::Timestamp time;
    std::uint64_t rank;
    std::uint32_t arrival;
    std::uint32_t group;
    std::uint16_t column;
    std::uint32_t brevity;  // engine/shared/stored_for.h
    model::Value value;
  };

  void clear() {
    samples_.clear();
    live(0, model::kTimestampMin);
  }
  // What is added from here on is of groups with this time to live; of that what is earlier than `from` is left out.
  // Where the rank does not tell which was written later, it is the one that lives shorter: see reconcile.h.
  void live(std::uint32_t ttl_s, model::Timestamp from) {
    brevity_ = brevity(ttl_s);
    from_ = from;
  }
  // What is added with a higher rank was written later; of rows with one rank, what has a higher arrival.
  void add_rows(std::span<const std::byte> rows, RowForm form, unsigned column, std::uint64_t rank);
  Status add_chunk(const chunk::Block& block, std::size_t i, unsigned column, std::uint64_t rank);
  // The same with a rank for each row.
  Status add_chunk(const chunk::Block& block, std::size_t i, unsigned column, std::span<const std::uint64_t> ranks);

  // Sorted by time, and of equal times the winner last.
  std::span<const Sample> sorted();
  // The same with only the winners, as a typed column with its times.
  void winners(std::vector<model::Timestamp>& times, chunk::Column& column);
  [[nodiscard]] bool empty() const { return samples_.empty(); }

 private:
  std::vector<Sample> samples_;
  template <class Rank>
  Status add_ranked(const chunk::Block& block, std::size_t i, unsigned column, const Rank& rank);

  std::uint32_t brevity_ = 0;
  model::Timestamp from_ = model::kTimestampMin;
  std::vector<model::Timestamp> chunk_times_;
  chunk::DecodedColumn chunk_column_;
  std::vector<model::ValueType> types_;
  std::vector<std::uint64_t> bits_;
  std::vector<std::string_view> texts_;
};

}  // namespace varve::engine::shared
