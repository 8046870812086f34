// SPDX-License-Identifier: Apache-2.0
// The numbers of one line on their way into a row, in the smallest form that holds them all.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "model/row.h"
#include "protocol/compare.h"
#include "protocol/influx/number.h"

namespace varve::protocol::influx {

class RowValues {
 public:
  static constexpr unsigned kMax = 1024;  // series of a group

  void set(unsigned i, Number number) {
    bits_[i] = number.bits;
    shapes_[i] = static_cast<std::uint8_t>(number.shape);
  }
  // The first `count` were set.
  void add_row(model::RowBatch& batch, const model::LineGroup& group, model::Timestamp time, unsigned count) {
    const std::span<const std::int64_t> bits{bits_.data(), count};
    if (are_longs(count)) [[likely]]
      return batch.add_longs(group, time, bits);
    Shapes shapes = shapes_of(count);
    if (shapes.any <= Number::kDecimals && (shapes.any == shapes.all || align(count, shapes))) {
      return batch.add_decimals(group, time, bits, shapes.any);
    }
    add_typed(batch, group, time, count);
  }

 private:
  // All shapes of a line ORed and ANDed: equal if all are alike.
  struct Shapes {
    unsigned any = 0;
    unsigned all = 0xff;
  };
  [[nodiscard]] bool are_longs(unsigned count) const {
    const auto* const shapes = reinterpret_cast<const char*>(shapes_.data());
    for (unsigned i = 0; i < count; i += 32) {
      const std::uint32_t others = ~mask_of(shapes + i, static_cast<char>(Number::kLong));
      if (others << (32 - std::min(32U, count - i)) != 0) return false;
    }
    return true;
  }
  [[nodiscard]] Shapes shapes_of(unsigned count) const;
  bool align(unsigned count, Shapes& shapes);
  void add_typed(model::RowBatch& batch, const model::LineGroup& group, model::Timestamp time, unsigned count);

  std::array<std::int64_t, kMax> bits_;
  std::array<std::uint8_t, kMax> shapes_;
  std::array<model::Value, kMax> typed_;
};

}  // namespace varve::protocol::influx
