// SPDX-License-Identifier: Apache-2.0
// The numbers of one line on their way into a row, in the smallest form that holds them all.
#pragma once

#include <array>
#include <cstdint>

#include "model/row.h"
#include "protocol/influx/number.h"

namespace varve::protocol::influx {

class RowValues {
 public:
  static constexpr unsigned kMax = 1024;  // series of a group

  // What all values of a line are: shapes ORed and ANDed, equal if all are alike; RowBatch::magnitude_bits() ORed.
  struct Seen {
    unsigned any = 0;
    unsigned all = 0xff;
    std::uint64_t magnitudes = 0;
  };
  void set(unsigned i, Number number, Seen& seen) {
    bits_[i] = number.bits;
    shapes_[i] = static_cast<std::uint8_t>(number.shape);
    seen.any |= number.shape;
    seen.all &= number.shape;
    seen.magnitudes |= model::RowBatch::magnitude_bits(number.bits);
  }
  // The first `count` were set, and these are what was seen.
  void add_row(model::RowBatch& batch, const model::LineGroup& group, model::Timestamp time, unsigned count,
               Seen seen) {
    const std::span<const std::int64_t> bits{bits_.data(), count};
    if (seen.any == seen.all && seen.any == Number::kLong) [[likely]]
      return batch.add_longs(group, time, bits, seen.magnitudes);
    if (seen.any <= Number::kDecimals && (seen.any == seen.all || align(count, seen))) {
      return batch.add_decimals(group, time, bits, seen.any, seen.magnitudes);
    }
    add_typed(batch, group, time, count);
  }

 private:
  bool align(unsigned count, Seen& seen);
  void add_typed(model::RowBatch& batch, const model::LineGroup& group, model::Timestamp time, unsigned count);

  std::array<std::int64_t, kMax> bits_;
  std::array<std::uint8_t, kMax> shapes_;
  std::array<model::Value, kMax> typed_;
};

}  // namespace varve::protocol::influx
