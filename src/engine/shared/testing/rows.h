// SPDX-License-Identifier: Apache-2.0
// Rows, columns and blocks for the tests here.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <initializer_list>
#include <memory>
#include <vector>

#include "chunk/block.h"
#include "engine/shared/rows.h"
#include "model/row.h"

namespace varve::engine::shared::testing {

// Packed rows of one group, in either form. Arrivals ascend from the first.
class Rows {
 public:
  Rows(RowForm form, std::uint16_t columns, std::uint32_t first_arrival = 100, std::uint32_t group = 3)
      : form_(form), arrival_(first_arrival) {
    group_.id = model::GroupId{group};
    group_.count = columns;
  }
  void longs(model::Timestamp time, std::initializer_list<std::int64_t> values) {
    batch_.add_longs(group_, time, values);
    take();
  }
  void decimals(model::Timestamp time, std::initializer_list<std::int64_t> mantissas, unsigned decimals) {
    batch_.add_decimals(group_, time, mantissas, decimals);
    take();
  }
  void value(model::Timestamp time, const model::Value& value) {
    batch_.add(group_, time, value);
    take();
  }
  void markers(model::Timestamp time) {
    batch_.add_stale_markers(group_, time);
    take();
  }
  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

 private:
  void take() {
    const auto row = batch_.bytes();
    bytes_.insert(bytes_.end(), row.begin(), row.end());
    batch_.clear();
    if (form_ == RowForm::plain) return;
    bytes_.resize(bytes_.size() + kArrivalBytes);
    store_le(bytes_.data() + bytes_.size() - kArrivalBytes, arrival_++);
  }

  const RowForm form_;
  std::uint32_t arrival_;
  model::LineGroup group_;
  model::RowBatch batch_;
  std::vector<std::byte> bytes_;
};

inline model::Value value_at(const chunk::Column& column, std::size_t i) {
  using Form = chunk::Column::Form;
  if (column.form == Form::longs) return model::Value::of_long(column.ints[i]);
  if (column.form == Form::decimals) {
    return model::Value::of_double(static_cast<double>(column.ints[i]) / model::kPowerOfTen[column.decimals]);
  }
  if (model::in_text(column.types[i])) return {column.types[i], 0, column.texts[i]};
  model::Value value;
  value.type = column.types[i];
  value.bits = column.bits[i];
  return value;
}

// A block of these groups.
inline std::shared_ptr<const chunk::Block> block_of(std::initializer_list<chunk::Fragment> fragments) {
  chunk::BlockBuilder builder;
  for (const auto& fragment : fragments) builder.add(fragment);
  const auto block = chunk::Block::open(builder.finish());
  EXPECT_TRUE(block);
  return *block;
}
// Of one group.
inline std::shared_ptr<const chunk::Block> block_of(std::span<const model::Timestamp> times,
                                                    const std::vector<chunk::Column>& columns,
                                                    std::uint32_t group = 3) {
  return block_of({{model::GroupId{group}, times, columns}});
}

}  // namespace varve::engine::shared::testing
