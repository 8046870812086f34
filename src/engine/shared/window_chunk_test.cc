// SPDX-License-Identifier: Apache-2.0
#include "engine/shared/window_chunk.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "engine/shared/testing/rows.h"

namespace varve::engine::shared {
namespace {

using rollup::Kind;
using rollup::Window;
using rollup::Windows;

Window number(model::Timestamp start, std::uint64_t count, double sum, double min, double max) {
  return {start, start + 3, start + 9, count, sum, min, max, {}};
}
Window text(model::Timestamp start, std::uint64_t count, std::string_view last) {
  return {start, start + 1, start + 9, count, 0, 0, 0, last};
}

const Windows kGauge = {number(0, 3, 6, 1, 3), number(10, 0, 0, 0, 0), number(30, 2, 0.1 + 0.2, 0.1, 0.2)};
const Windows kCounter = {number(0, 3, 6, 1, 3), number(20, 1, 7, 7, 7)};
const Windows kText = {text(10, 2, "up"), text(20, 1, "")};

// A column of a unit is two groups: its numbers, its texts.
std::shared_ptr<const chunk::Block> unit() {
  chunk::BlockBuilder builder;
  WindowChunk layout;
  const auto add = [&](std::uint32_t group, Kind kind, const Windows& windows) {
    layout.start(kind);
    // In two parts, as several slots give them.
    layout.add(std::span(windows).first(1));
    layout.add(std::span(windows).subspan(1));
    builder.add(layout.finish(model::GroupId{group}));
  };
  add(0, Kind::gauge, kGauge);
  add(1, Kind::text, kText);
  add(4, Kind::counter, kCounter);
  const auto block = chunk::Block::open(builder.finish());
  EXPECT_TRUE(block);
  return *block;
}

Windows decoded_windows(const chunk::Block& block, std::size_t at) {
  std::vector<model::Timestamp> starts;
  std::vector<chunk::DecodedColumn> columns(block.columns(at));
  EXPECT_TRUE(block.times(at, starts));
  for (std::size_t c = 0; c < columns.size(); ++c) EXPECT_TRUE(block.column(at, c, columns[c]));
  Windows out;
  EXPECT_TRUE(to_windows(starts, columns, out));
  return out;
}

TEST(WindowChunk, windows_of_all_kinds_come_back_from_one_block) {
  const auto block = unit();
  ASSERT_EQ(block->groups(), 3U);
  const auto gauge = decoded_windows(*block, 0);
  ASSERT_EQ(gauge.size(), kGauge.size());
  EXPECT_EQ(gauge[0].count, 3U);
  EXPECT_EQ(gauge[0].first_time, 3);
  EXPECT_EQ(gauge[0].min, 1);
  EXPECT_EQ(gauge[1].count, 0U) << "an empty one too";
  EXPECT_EQ(gauge[2].max, 0.2);
  EXPECT_EQ(gauge[2].sum, 0.3) << "as short as its samples";
  const auto texts = decoded_windows(*block, 1);
  ASSERT_EQ(texts.size(), kText.size());
  EXPECT_EQ(texts[0].last, "up");
  EXPECT_EQ(texts[0].count, 2U);
  EXPECT_EQ(texts[1].start, 20);
  const auto counter = decoded_windows(*block, 2);
  ASSERT_EQ(counter.size(), kCounter.size());
  EXPECT_EQ(counter[1].sum, 7);
  EXPECT_TRUE(std::isnan(counter[1].min) && std::isnan(counter[1].max));
}

// One type for all windows, or a type for each.
TEST(WindowChunk, last_values_keep_their_types) {
  using model::ValueType;
  for (const ValueType other : {ValueType::complex, ValueType::string}) {
    Windows windows = {text(10, 2, "one"), text(20, 1, "two"), text(30, 0, "")};
    for (auto& window : windows) window.last_type = ValueType::complex;
    windows[1].last_type = other;
    chunk::BlockBuilder builder;
    WindowChunk layout;
    layout.start(Kind::text);
    layout.add(windows);
    builder.add(layout.finish(model::GroupId{3}));
    const auto block = chunk::Block::open(builder.finish());
    ASSERT_TRUE(block);
    Gather gather;
    gather.clear();
    ASSERT_TRUE(gather.add_chunk(**block, 0));
    gather.finish();
    Windows gathered;
    ASSERT_TRUE(to_windows(gather, gathered));
    for (const Windows& got : {decoded_windows(**block, 0), gathered}) {
      ASSERT_EQ(got.size(), windows.size());
      for (std::size_t i = 0; i < got.size(); ++i) {
        EXPECT_EQ(got[i].count, windows[i].count);
        EXPECT_EQ(got[i].last, windows[i].last);
        EXPECT_EQ(got[i].last_type, windows[i].last_type);
      }
    }
  }
}

TEST(WindowChunk, gathered_windows_are_those_of_the_later_chunk) {
  WindowChunk layout;
  layout.start(Kind::gauge);
  const Windows later = {number(0, 9, 9, 1, 1)};
  layout.add(later);
  const auto newer = testing::block_of({layout.finish(model::GroupId{0})});
  const auto older = unit();
  Gather gather;
  gather.clear();
  ASSERT_TRUE(gather.add_chunk(*older, 2));
  ASSERT_TRUE(gather.add_chunk(*newer, 0));
  gather.finish();
  Windows out;
  ASSERT_TRUE(to_windows(gather, out));
  ASSERT_EQ(out.size(), 2U);
  EXPECT_EQ(out[0].count, 9U);
  EXPECT_EQ(out[0].max, 1);
  EXPECT_TRUE(std::isnan(out[1].max)) << "it was a counter's";
}

TEST(WindowChunk, columns_as_they_are) {
  const auto block = unit();
  const auto columns_of = [&](std::size_t at, storage::WindowFields wanted, std::vector<chunk::DecodedColumn>& columns,
                              std::vector<model::Timestamp>& starts, std::vector<std::uint64_t>& unknown) {
    EXPECT_TRUE(block->times(at, starts));
    columns.resize(block->columns(at));
    for (std::size_t c = 0; c < columns.size(); ++c) EXPECT_TRUE(block->column(at, c, columns[c]));
    storage::WindowColumns out;
    EXPECT_TRUE(to_window_columns(starts, columns, wanted, unknown, out));
    return out;
  };
  std::vector<chunk::DecodedColumn> columns;
  std::vector<model::Timestamp> starts;
  std::vector<std::uint64_t> unknown;
  const auto gauge = columns_of(0, {.first_time = true, .sum = true, .max = true}, columns, starts, unknown);
  ASSERT_EQ(gauge.size(), 3U);
  EXPECT_EQ(gauge.offsets[0], 3U);
  EXPECT_EQ(std::bit_cast<double>(gauge.maxs[0]), 3);
  EXPECT_TRUE(gauge.mins.empty());
  EXPECT_EQ(gauge.counts[1], 0U);
  const auto counter = columns_of(2, {.min = true}, columns, starts, unknown);
  ASSERT_EQ(counter.mins.size(), 2U);
  EXPECT_TRUE(std::isnan(std::bit_cast<double>(counter.mins[1])));
}

TEST(WindowChunk, what_is_no_rollup_is_corrupt) {
  const std::vector<model::Timestamp> times = {1};
  const auto column = [](model::ValueType type) { return chunk::DecodedColumn{true, type, {0}, {}, {""}}; };
  const auto l = column(model::ValueType::long_);
  const auto d = column(model::ValueType::double_);
  const auto s = column(model::ValueType::string);
  const std::vector<std::vector<chunk::DecodedColumn>> wrong = {
      {}, {l, l}, {l, d, d}, {d, l, d}, {l, l, l}, {l, l, d, d}, {l, l, d, d, l}, {l, l, s, d, d}, {l, l, d, d, d, d}};
  for (const auto& columns : wrong) {
    Windows out;
    const auto read = to_windows(times, columns, out);
    ASSERT_FALSE(read) << columns.size();
    EXPECT_EQ(read.error().code, Code::corrupt);
    EXPECT_TRUE(out.empty());
    std::vector<std::uint64_t> unknown;
    storage::WindowColumns as_columns;
    const storage::WindowFields all{.first_time = true, .sum = true, .min = true, .max = true};
    EXPECT_FALSE(to_window_columns(times, columns, all, unknown, as_columns));
  }
}

}  // namespace
}  // namespace varve::engine::shared
