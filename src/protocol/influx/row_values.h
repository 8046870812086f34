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

  // All shapes of a line ORed and ANDed: equal if all are alike.
  struct Shapes {
    unsigned any = 0;
    unsigned all = 0xff;
  };
  void set(unsigned i, Number number, Shapes& shapes) {
    bits_[i] = number.bits;
    shapes_[i] = static_cast<std::uint8_t>(number.shape);
    shapes.any |= number.shape;
    shapes.all &= number.shape;
  }
  // The first `count` were set, and these are their shapes.
  void add_row(model::RowBatch& batch, const model::LineGroup& group, model::Timestamp time, unsigned count,
               Shapes shapes) {
    const std::span<const std::int64_t> bits{bits_.data(), count};
    if (shapes.any == shapes.all && shapes.any == Number::kLong) [[likely]]
      return batch.add_longs(group, time, bits);
    if (shapes.any <= Number::kDecimals && (shapes.any == shapes.all || align(count, shapes))) {
      return batch.add_decimals(group, time, bits, shapes.any);
    }
    add_typed(batch, group, time, count);
  }

 private:
  bool align(unsigned count, Shapes& shapes);
  void add_typed(model::RowBatch& batch, const model::LineGroup& group, model::Timestamp time, unsigned count);

  std::array<std::int64_t, kMax> bits_;
  std::array<std::uint8_t, kMax> shapes_;
  std::array<model::Value, kMax> typed_;
};

}  // namespace varve::protocol::influx
