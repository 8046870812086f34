// SPDX-License-Identifier: Apache-2.0
// SeriesMerge: merges the samples of one series from several line groups. The same timestamp may have been written to
// different groups (a line with other fields, another protocol); the later write wins. Groups may have TTLs: expired
// samples are ignored.
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

// Reusable, for one thread. Texts are views of the rows and blocks added, which must stay valid.
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

  // Only samples in the range are taken; of chunks, the rest is not decoded.
  void clear(model::TimeRange range = model::kAllTime) {
    samples_.clear();
    range_ = range;
    live(0, range.first);
  }
  // Samples added from here on are of a group with this TTL; those before `from` are left out. Of samples with the same
  // rank, the one with the shorter TTL wins: see reconcile.h.
  void live(std::uint32_t ttl_s, model::Timestamp from) {
    brevity_ = brevity(ttl_s);
    live_ = {std::max(from, range_.first), range_.last};
  }
  // Samples with a higher rank were written later; among rows of the same rank, those with a higher arrival.
  void add_rows(std::span<const std::byte> rows, RowForm form, unsigned column, std::uint64_t rank);
  Status add_chunk(const chunk::Block& block, std::size_t i, unsigned column, std::uint64_t rank);
  // With a rank for each row of the chunk.
  Status add_chunk(const chunk::Block& block, std::size_t i, unsigned column, std::span<const std::uint64_t> ranks);

  // Sorted by time; of samples with equal times the winner is last.
  std::span<const Sample> sorted();
  // Only the winners, as a typed column with its times.
  void winners(std::vector<model::Timestamp>& times, chunk::Column& column);
  [[nodiscard]] bool empty() const { return samples_.empty(); }

 private:
  std::vector<Sample> samples_;
  template <class Rank>
  Status add_ranked(const chunk::Block& block, std::size_t i, unsigned column, const Rank& rank);

  std::uint32_t brevity_ = 0;
  model::TimeRange range_;
  model::TimeRange live_;
  std::vector<model::Timestamp> chunk_times_;
  chunk::DecodedColumn chunk_column_;
  std::vector<model::ValueType> types_;
  std::vector<std::uint64_t> bits_;
  std::vector<std::string_view> texts_;
};

}  // namespace varve::engine::shared
