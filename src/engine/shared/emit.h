// SPDX-License-Identifier: Apache-2.0
// Emit: gives columns of any form to a PieceSink as pieces of one type each, cut to a time range.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "chunk/block.h"
#include "storage/sample_store.h"

namespace varve::engine::shared {

// Reusable, one thread.
class Emitter {
 public:
  Emitter(storage::PieceSink& sink, model::TimeRange range) : sink_(sink), range_(range) {}

  Status emit(std::size_t series, std::span<const model::Timestamp> times, const chunk::Column& column);
  Status emit(std::size_t series, std::span<const model::Timestamp> times, const chunk::DecodedColumn& column);
  [[nodiscard]] model::TimeRange range() const { return range_; }
  [[nodiscard]] storage::PieceSink& sink() const { return sink_; }

 private:
  // Positions of the times inside the range.
  struct Cut {
    std::size_t first, count;
  };
  [[nodiscard]] Cut cut(std::span<const model::Timestamp> times) const;
  // One piece for each type that occurs.
  Status split(std::size_t series, std::span<const model::Timestamp> times, std::span<const model::ValueType> types,
               std::span<const std::uint64_t> bits, std::span<const std::string_view> texts);

  storage::PieceSink& sink_;
  const model::TimeRange range_;
  std::vector<std::uint64_t> bits_;
  std::vector<model::Timestamp> split_times_;
  std::vector<std::uint64_t> split_bits_;
  std::vector<std::string_view> split_texts_;
};

}  // namespace varve::engine::shared
