// SPDX-License-Identifier: Apache-2.0
// For tests: owned groups of samples that become fragments, and the comparison of what a block gives back.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "chunk/block.h"
#include "model/row.h"

namespace varve::chunk {

// A column with its memory.
struct OwnColumn {
  Column::Form form = Column::Form::longs;
  unsigned decimals = 0;
  std::vector<std::int64_t> ints = {};
  std::vector<model::ValueType> types = {};
  std::vector<std::uint64_t> bits = {};
  std::vector<std::string> texts = {};
  mutable std::vector<std::string_view> text_views = {};

  [[nodiscard]] Column view() const {
    text_views.assign(texts.begin(), texts.end());
    return {form, decimals, ints, types, bits, text_views};
  }
};

inline OwnColumn longs(std::vector<std::int64_t> values) {
  return {.form = Column::Form::longs, .ints = std::move(values)};
}
inline OwnColumn decimals(unsigned places, std::vector<std::int64_t> mantissas) {
  return {.form = Column::Form::decimals, .decimals = places, .ints = std::move(mantissas)};
}
inline OwnColumn typed(const std::vector<model::Value>& values) {
  OwnColumn column{.form = Column::Form::typed};
  for (const model::Value& value : values) {
    column.types.push_back(value.type);
    column.bits.push_back(value.bits);
    column.texts.emplace_back(value.text);
  }
  return column;
}
inline OwnColumn doubles(const std::vector<double>& values) {
  OwnColumn column{.form = Column::Form::typed};
  for (const double value : values) {
    column.types.push_back(model::ValueType::double_);
    column.bits.push_back(std::bit_cast<std::uint64_t>(value));
  }
  return column;
}
inline OwnColumn strings(const std::vector<std::string>& values) {
  OwnColumn column{.form = Column::Form::typed, .texts = values};
  column.types.assign(values.size(), model::ValueType::string);
  column.bits.assign(values.size(), 0);
  return column;
}

struct OwnGroup {
  std::uint32_t id = 0;
  std::vector<model::Timestamp> times;
  std::vector<OwnColumn> columns;
};

inline std::vector<std::byte> seal(BlockBuilder& builder, const std::vector<OwnGroup>& groups) {
  for (const OwnGroup& group : groups) {
    std::vector<Column> columns;
    for (const OwnColumn& column : group.columns) columns.push_back(column.view());
    builder.add({model::GroupId{group.id}, group.times, columns});
  }
  const auto bytes = builder.finish();
  return {bytes.begin(), bytes.end()};
}

inline std::vector<std::byte> seal(const std::vector<OwnGroup>& groups) {
  BlockBuilder builder;
  return seal(builder, groups);
}

inline void expect_column(const OwnColumn& expected, const DecodedColumn& actual, std::size_t rows) {
  using model::ValueType;
  if (expected.form == Column::Form::typed) {
    for (std::size_t r = 0; r < rows; ++r) {
      const ValueType type = actual.uniform ? actual.type : actual.types.at(r);
      ASSERT_EQ(type, expected.types[r]) << "row " << r;
      if (model::in_text(type)) {
        ASSERT_EQ(actual.texts.at(r), expected.texts[r]) << "row " << r;
      } else {
        ASSERT_EQ(actual.bits.at(r), expected.bits[r]) << "row " << r;
      }
    }
    return;
  }
  ASSERT_TRUE(actual.uniform);
  ASSERT_EQ(actual.bits.size(), rows);
  const bool is_long = expected.form == Column::Form::longs;
  ASSERT_EQ(actual.type, is_long ? ValueType::long_ : ValueType::double_);
  for (std::size_t r = 0; r < rows; ++r) {
    const double value = static_cast<double>(expected.ints[r]) / model::kPowerOfTen[expected.decimals];
    const auto bits = is_long ? static_cast<std::uint64_t>(expected.ints[r]) : std::bit_cast<std::uint64_t>(value);
    ASSERT_EQ(actual.bits[r], bits) << "row " << r;
  }
}

// Compares these rows of a column with a column of all rows.
inline void expect_rows(const DecodedColumn& all, Rows rows, const DecodedColumn& some) {
  ASSERT_EQ(some.uniform, all.uniform);
  for (std::size_t r = 0; r < rows.count; ++r) {
    const std::size_t row = rows.first + r;
    const model::ValueType type = all.uniform ? all.type : all.types[row];
    ASSERT_EQ(some.uniform ? some.type : some.types.at(r), type) << "row " << row;
    if (model::in_text(type)) {
      ASSERT_EQ(some.texts.at(r), all.texts[row]) << "row " << row;
    } else {
      ASSERT_EQ(some.bits.at(r), all.bits[row]) << "row " << row;
    }
  }
}

// Some rows: at the edges, where a byte has another symbol, and over what is decoded at once.
inline std::vector<Rows> some_rows(std::size_t rows) {
  std::vector<Rows> out;
  for (const std::size_t first : {std::size_t{0}, std::size_t{1}, std::size_t{2}, rows / 3, rows / 2 + 1, rows - 1}) {
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{7}, rows / 5, rows}) {
      if (first < rows) out.push_back({first, std::min(count, rows - first)});
    }
  }
  return out;
}

// Any range of a group must be as decoding all of it says. Where that is an error, anything may come.
inline void expect_ranges(const Block& block, std::size_t g) {
  std::vector<model::Timestamp> all, times;
  const bool has_times = block.times(g, all).has_value();
  for (const Rows& rows : some_rows(block.rows(g))) {
    if (!has_times) break;
    const model::Timestamp last = rows.count == 0 ? all[rows.first] : all[rows.first + rows.count - 1] + 1;
    for (const std::int64_t before : {0, 1}) {
      const model::TimeRange range{all[rows.first] + before, last};
      const auto in_range = block.times(g, range, times);
      ASSERT_TRUE(in_range) << "rows " << rows.first << " + " << rows.count;
      const auto begin = std::ranges::lower_bound(all, range.first);
      const auto end = std::ranges::lower_bound(all, std::max(range.first, range.last));
      ASSERT_EQ(times, std::vector<model::Timestamp>(begin, end));
      ASSERT_EQ(in_range->count, times.size());
      ASSERT_TRUE(times.empty() || in_range->first == static_cast<std::size_t>(begin - all.begin()));
    }
  }
  DecodedColumn whole, column;
  for (std::size_t c = 0; c < block.columns(g); ++c) {
    SCOPED_TRACE("column " + std::to_string(c));
    const bool has_values = block.column(g, c, whole).has_value();
    for (const Rows& rows : some_rows(block.rows(g))) {
      const auto status = block.column(g, c, rows, column);
      if (!has_values) continue;
      ASSERT_TRUE(status) << "rows " << rows.first << " + " << rows.count;
      ASSERT_NO_FATAL_FAILURE(expect_rows(whole, rows, column));
    }
  }
}

inline void expect_block(const std::vector<OwnGroup>& groups, const Block& block) {
  ASSERT_EQ(block.groups(), groups.size());
  std::vector<model::Timestamp> times;
  DecodedColumn column;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    SCOPED_TRACE("group " + std::to_string(g));
    const OwnGroup& group = groups[g];
    ASSERT_EQ(model::to_int(block.group(g)), group.id);
    ASSERT_EQ(block.find(model::GroupId{group.id}), g);
    ASSERT_EQ(block.columns(g), group.columns.size());
    ASSERT_EQ(block.rows(g), group.times.size());
    ASSERT_EQ(block.first_time(g), group.times.front());
    ASSERT_EQ(block.last_time(g), group.times.back());
    ASSERT_TRUE(block.times(g, times));
    ASSERT_EQ(times, group.times);
    for (std::size_t c = 0; c < group.columns.size(); ++c) {
      SCOPED_TRACE("column " + std::to_string(c));
      const auto status = block.column(g, c, column);
      ASSERT_TRUE(status) << status.error().message;
      expect_column(group.columns[c], column, group.times.size());
    }
    ASSERT_NO_FATAL_FAILURE(expect_ranges(block, g));
  }
}

inline std::shared_ptr<const Block> reopen(const std::vector<std::byte>& bytes) {
  auto block = Block::open(bytes);
  if (!block) ADD_FAILURE() << block.error().message;
  return block ? *block : nullptr;
}

// Seals, opens and compares; returns the bytes.
inline std::vector<std::byte> expect_round_trip(const std::vector<OwnGroup>& groups) {
  const auto bytes = seal(groups);
  if (const auto block = reopen(bytes)) expect_block(groups, *block);
  return bytes;
}

inline std::vector<model::Timestamp> steady_times(std::size_t n, model::Timestamp first = 1'700'000'000'000,
                                                  std::int64_t step = 10'000) {
  std::vector<model::Timestamp> times(n);
  for (std::size_t i = 0; i < n; ++i) times[i] = first + static_cast<std::int64_t>(i) * step;
  return times;
}

// Columns as long as those of a stratum: with symbols of half a byte and of a byte, with escapes, and with few.
inline OwnGroup long_group(std::uint32_t id, std::size_t rows) {
  OwnGroup group{id, steady_times(rows), {}};
  std::uint64_t state = id;
  const auto noise = [&state](std::uint64_t most) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return static_cast<std::int64_t>((state >> 33) % most);
  };
  for (const std::uint64_t most : {5U, 7U, 200U, 3U, 60'000U, 6U, 150U}) {
    std::vector<std::int64_t> values(rows);
    std::int64_t value = 0;
    for (std::size_t r = 0; r < rows; ++r) {
      value += noise(most) - static_cast<std::int64_t>(most / 2) + (r % 500 == 499 ? 5000 : 0);
      values[r] = value;
    }
    group.columns.push_back(most == 60'000 ? decimals(3, values) : longs(values));
  }
  group.columns.push_back(longs(std::vector<std::int64_t>(rows, 7)));
  return group;
}

}  // namespace varve::chunk
