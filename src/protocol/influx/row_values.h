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

  void clear() {
    any_ = 0;
    all_ = 0xff;
  }
  void set(unsigned i, Number number) {
    bits_[i] = number.bits;
    shapes_[i] = static_cast<std::uint8_t>(number.shape);
    any_ |= number.shape;
    all_ &= number.shape;
  }
  // The first `count` were set since clear().
  void add_row(model::RowBatch& batch, const model::LineGroup& group, model::Timestamp time, unsigned count) {
    const std::span<const std::int64_t> bits{bits_.data(), count};
    if (any_ == all_ && any_ == Number::kLong) [[likely]]
      return batch.add_longs(group, time, bits);
    if (any_ <= Number::kDecimals && (any_ == all_ || align(count))) return batch.add_decimals(group, time, bits, any_);
    add_typed(batch, group, time, count);
  }

 private:
  bool align(unsigned count);
  void add_typed(model::RowBatch& batch, const model::LineGroup& group, model::Timestamp time, unsigned count);

  unsigned any_ = 0;  // all shapes ORed and ANDed: equal if all are alike
  unsigned all_ = 0xff;
  std::array<std::int64_t, kMax> bits_;
  std::array<std::uint8_t, kMax> shapes_;
  std::array<model::Value, kMax> typed_;
};

}  // namespace varve::protocol::influx
