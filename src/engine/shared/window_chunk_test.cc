// SPDX-License-Identifier: Apache-2.0
#include "engine/shared/window_chunk.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

#include "engine/shared/testing/rows.h"
#include "model/histogram.h"
#include "rollup/testing/counter_samples.h"

namespace varve::engine::shared {
namespace {

using rollup::Kind;
using rollup::Window;
using rollup::Windows;

Window number(model::Timestamp start, std::uint64_t count, double sum, double min, double max) {
  return {start, start + 3, start + 9, count, sum, min, max, {}};
}
rollup::PartPool pool;  // of all tests
Window text(model::Timestamp start, std::uint64_t count, std::string_view last,
            model::ValueType type = model::ValueType::string) {
  return {start, start + 1, start + 9, count, 0, 0, 0, pool.add({.last = last, .last_type = type})};
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
  EXPECT_TRUE(to_windows(starts, columns, out, pool));
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
  EXPECT_EQ(texts[0].text->last, "up");
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
    const Windows windows = {text(10, 2, "one", ValueType::complex), text(20, 1, "two", other),
                             text(30, 0, "", ValueType::complex)};
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
    ASSERT_TRUE(to_windows(gather, gathered, pool));
    for (const Windows& got : {decoded_windows(**block, 0), gathered}) {
      ASSERT_EQ(got.size(), windows.size());
      for (std::size_t i = 0; i < got.size(); ++i) {
        EXPECT_EQ(got[i].count, windows[i].count);
        EXPECT_EQ(got[i].text->last, windows[i].text->last);
        EXPECT_EQ(got[i].text->last_type, windows[i].text->last_type);
      }
    }
  }
}

// Three columns more, where a window has a histogram; docs/formats/rollup.md.
TEST(WindowChunk, merged_histograms_come_back) {
  using model::ValueType;
  const std::string merged =
      model::encode(model::Histogram{.bins = {{130944, 3}}, .min = 1, .max = 1, .mean = 1, .sum = 3});
  const auto part = [&](std::uint64_t histograms, bool exact) {
    return pool.add({.last = "l",
                     .last_type = ValueType::histogram,
                     .exact = exact,
                     .histograms = histograms,
                     .first_histogram = 5,
                     .merged = merged});
  };
  const Windows windows = {{0, 3, 9, 2, 0, 0, 0, part(2, true)},
                           {10, 11, 19, 1, 0, 0, 0, nullptr},
                           text(20, 1, "up"),
                           {30, 31, 39, 2, 0, 0, 0, part(1, false)}};
  WindowChunk layout;
  layout.start(Kind::text);
  layout.add(windows);
  const chunk::Fragment fragment = layout.finish(model::GroupId{3});
  ASSERT_EQ(fragment.columns.size(), 6U);
  EXPECT_TRUE(std::ranges::equal(fragment.columns[3].ints, std::vector<std::int64_t>{2, 0, 0, -1}));
  EXPECT_TRUE(std::ranges::equal(fragment.columns[4].ints, std::vector<std::int64_t>{5, 0, 0, -25}));
  EXPECT_TRUE(std::ranges::all_of(fragment.columns[5].types, [](auto t) { return t == ValueType::histogram; }));
  EXPECT_EQ(fragment.columns[5].texts[0], merged);
  EXPECT_EQ(fragment.columns[5].texts[2], "");
  const auto block = testing::block_of({fragment});
  const Windows got = decoded_windows(*block, 0);
  ASSERT_EQ(got.size(), 4U);
  EXPECT_EQ(got[0].text->histograms, 2U);
  EXPECT_EQ(got[0].text->first_histogram, 5);
  EXPECT_TRUE(got[0].text->exact);
  EXPECT_EQ(got[0].text->merged, merged);
  EXPECT_EQ(got[2].text->histograms, 0U);
  EXPECT_EQ(got[2].text->last, "up");
  EXPECT_EQ(got[3].text->histograms, 1U);
  EXPECT_FALSE(got[3].text->exact);

  // A run with them and one without, merged: as runs of a level slot are.
  layout.start(Kind::text);
  const Windows plain = {text(20, 2, "down"), text(40, 1, "new")};
  layout.add(plain);
  const auto newer = testing::block_of({layout.finish(model::GroupId{3})});
  Gather gather;
  gather.clear();
  ASSERT_TRUE(gather.add_chunk(*block, 0));
  ASSERT_TRUE(gather.add_chunk(*newer, 0));
  gather.finish();
  const auto rewritten = testing::block_of({{model::GroupId{3}, gather.times(), gather.columns()}});
  Windows gathered;
  ASSERT_TRUE(to_windows(gather, gathered, pool));
  for (const Windows& both : {gathered, decoded_windows(*rewritten, 0)}) {
    ASSERT_EQ(both.size(), 5U);
    EXPECT_EQ(both[0].text->merged, merged);
    EXPECT_EQ(both[2].text->last, "down");
    EXPECT_EQ(both[2].text->histograms, 0U);
    EXPECT_EQ(both[3].text->histograms, 1U);
    EXPECT_EQ(both[4].text->histograms, 0U);
    EXPECT_EQ(both[4].text->merged, "");
  }
  for (const auto* one : {block.get(), rewritten.get()}) {
    std::vector<model::Timestamp> starts;
    std::vector<chunk::DecodedColumn> columns(6);
    ASSERT_TRUE(one->times(0, starts));
    for (std::size_t c = 0; c < columns.size(); ++c) ASSERT_TRUE(one->column(0, c, columns[c]));
    std::vector<WindowHistograms> histograms;
    ASSERT_TRUE(to_histograms(starts, columns, histograms));
    EXPECT_TRUE(histograms[0].says_all());
    EXPECT_EQ(histograms[0].first, 5);
    EXPECT_FALSE(histograms[2].says_all());
    EXPECT_EQ(histograms[3].histograms, 1U);
    EXPECT_FALSE(histograms[3].exact);
    columns.resize(3);
    ASSERT_TRUE(to_histograms(starts, columns, histograms)) << "a chunk without";
    EXPECT_EQ(histograms[0].count, 2U);
    EXPECT_EQ(histograms[0].histograms, 0U);
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
  ASSERT_TRUE(to_windows(gather, out, pool));
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
  const auto h = column(model::ValueType::histogram);
  const std::vector<std::vector<chunk::DecodedColumn>> wrong = {{},
                                                                {l, l},
                                                                {l, d, d},
                                                                {d, l, d},
                                                                {l, l, l},
                                                                {l, l, d, d},
                                                                {l, l, d, d, l},
                                                                {l, l, s, d, d},
                                                                {l, l, d, d, d, d},
                                                                // of texts with histograms
                                                                {l, l, s, l, l},
                                                                {l, l, s, l, l, l},
                                                                {l, l, s, l, l, s},
                                                                {l, l, s, d, l, h},
                                                                {l, l, s, l, d, h},
                                                                {l, l, d, l, l, h}};
  for (const auto& columns : wrong) {
    Windows out;
    const auto read = to_windows(times, columns, out, pool);
    ASSERT_FALSE(read) << columns.size();
    EXPECT_EQ(read.error().code, Code::corrupt);
    EXPECT_TRUE(out.empty());
    std::vector<std::uint64_t> unknown;
    storage::WindowColumns as_columns;
    const storage::WindowFields all{.first_time = true, .sum = true, .min = true, .max = true};
    EXPECT_FALSE(to_window_columns(times, columns, all, unknown, as_columns));
  }
}

// --- Counters

// Windows of one counter, some without a part, in two parts of a chunk.
std::shared_ptr<const chunk::Block> counter_block(const Windows& windows, Kind kind) {
  WindowChunk layout;
  layout.start(kind);
  layout.add(std::span(windows).first(windows.size() / 2));
  layout.add(std::span(windows).subspan(windows.size() / 2));
  chunk::BlockBuilder builder;
  builder.add(layout.finish(model::GroupId{2}));
  return *chunk::Block::open(builder.finish());
}

std::vector<rollup::CounterStretch> decoded_counters(const chunk::Block& block) {
  std::vector<model::Timestamp> starts;
  std::vector<chunk::DecodedColumn> columns(block.columns(0));
  EXPECT_TRUE(block.times(0, starts));
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (!is_of_counters(c, false)) continue;
    EXPECT_TRUE(block.column(0, c, columns[c]));
  }
  CounterRoom room;
  WindowCounters windows;
  EXPECT_TRUE(to_counters(starts, columns, false, room, windows));
  EXPECT_EQ(windows.counts.size(), room.stretches.size());
  EXPECT_TRUE(windows.summaries.empty());
  return room.stretches;
}

void expect_part(const counter::AnySummary& found, const counter::AnySummary& expected) {
  if (std::holds_alternative<counter::Summary<std::uint64_t>>(expected)) {
    EXPECT_EQ(found, expected);
    return;
  }
  auto real = std::get<counter::Summary<double>>(found);
  const auto& wanted = std::get<counter::Summary<double>>(expected);
  EXPECT_NEAR(real.increase, wanted.increase, 1e-9 * std::abs(wanted.last.value)) << "by rounding";
  real.increase = wanted.increase;
  EXPECT_EQ(real, wanted);
}

TEST(WindowChunk, CountersComeBack) {
  std::mt19937_64 random(1);
  constexpr counter::Fall kFalls[] = {counter::Fall::unknown, counter::Fall::from_zero, counter::Fall::wrap32};
  for (unsigned round = 0; round < 200; ++round) {
    const std::int64_t base_ms = 1 + static_cast<std::int64_t>(random() % 400'000);
    counter::Declaration declared{base_ms, {.gap_ms = 3 * base_ms, .fall = kFalls[random() % 3]}, {}};
    declared.rules.is_unsigned = random() % 2 == 0;
    if (random() % 4 == 0) declared.ceilings = {{0, 0x1p40}, {900'000, 0x1p41}};
    const rollup::testing::RandomCounter samples(random, -400'000, 30'000, 1 + random() % 300, random() % 3 != 0);
    rollup::PartPool parts;
    Windows windows = rollup::testing::windows_of(samples, declared, 300'000, parts);
    for (Window& window : windows) {
      if (random() % 8 == 0 && round % 2 == 0) window.counter = nullptr;
      if (random() % 8 == 0 && round % 3 == 0) window.first_time += 1;
      if (random() % 8 == 0 && round % 5 == 0 && window.counter != nullptr) {
        window.counter = parts.add(rollup::CounterPart{window.counter->summary, false});
      }
    }
    const Kind kind = random() % 2 == 0 ? Kind::gauge : Kind::counter;
    const auto block = counter_block(windows, kind);
    const Windows found = decoded_windows(*block, 0);
    ASSERT_EQ(found.size(), windows.size());
    const bool any = std::ranges::any_of(windows, [](const Window& w) { return w.counter != nullptr; });
    EXPECT_EQ(rollup::has_counters(block->columns(0)), any);
    const std::vector<rollup::CounterStretch> counters = decoded_counters(*block);
    ASSERT_EQ(counters.size(), windows.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].count, windows[i].count);
      EXPECT_EQ(found[i].first_time, windows[i].first_time);
      EXPECT_EQ(std::isnan(found[i].min), kind == Kind::counter);
      ASSERT_EQ(found[i].counter == nullptr, windows[i].counter == nullptr) << round;
      if (found[i].counter == nullptr) continue;
      EXPECT_EQ(found[i].counter->exact, windows[i].counter->exact);
      expect_part(found[i].counter->summary, windows[i].counter->summary);
      ASSERT_TRUE(counters[i].is_there);
      EXPECT_EQ(counters[i].exact, found[i].counter->exact);
      EXPECT_EQ(counters[i].stretch, stretch_of(found[i].counter->summary));
    }
  }
}

TEST(WindowChunk, CountersAreMergedWithWindowsThatHaveNone) {
  std::mt19937_64 random(2);
  const counter::Declaration declared{30'000, {.gap_ms = 90'000}, {}};
  const rollup::testing::RandomCounter samples(random, 0, 30'000, 100, true);
  rollup::PartPool parts;
  const Windows windows = rollup::testing::windows_of(samples, declared, 300'000, parts);
  for (const Kind kind : {Kind::gauge, Kind::counter}) {
    const auto told = counter_block({windows[0], windows[2]}, Kind::gauge);
    Window plain = windows[1], over = windows[2];
    plain.counter = over.counter = nullptr;
    const auto untold = counter_block({plain, over}, kind);
    Gather gather;
    ASSERT_TRUE(gather.add_chunk(*told, 0));
    ASSERT_TRUE(gather.add_chunk(*untold, 0));
    gather.finish();
    Windows found;
    ASSERT_TRUE(to_windows(gather, found, parts));
    ASSERT_EQ(found.size(), 3U);
    ASSERT_NE(found[0].counter, nullptr);
    EXPECT_EQ(found[0].counter->summary, windows[0].counter->summary);
    EXPECT_EQ(found[1].counter, nullptr);
    EXPECT_EQ(found[2].counter, nullptr) << "the later run says how it is";
    EXPECT_EQ(std::isnan(found[1].min), kind == Kind::counter);
    // And what was merged is stored and read again.
    const auto block = counter_block(found, Kind::gauge);
    const std::vector<rollup::CounterStretch> counters = decoded_counters(*block);
    ASSERT_EQ(counters.size(), 3U);
    EXPECT_TRUE(counters[0].is_there && !counters[1].is_there && !counters[2].is_there);
    EXPECT_EQ(counters[0].stretch, stretch_of(windows[0].counter->summary));
  }
}

TEST(WindowChunk, CountersOfImpossibleValuesAreCorrupt) {
  rollup::CounterCells cells;
  cells.values[rollup::CounterColumns::rule] = 30'000 << 3;
  cells.values[rollup::CounterColumns::last_offset] = 60'000;
  cells.values[rollup::CounterColumns::places] = 1 * 2 + 1;
  EXPECT_TRUE(counter_part(cells));
  const auto expect_corrupt = [](const rollup::CounterCells& wrong) {
    EXPECT_EQ(counter_part(wrong).error().code, Code::corrupt);
  };
  for (const std::uint64_t rule : {std::uint64_t{1}, std::uint64_t{30'000 << 3 | 6}, ~std::uint64_t{0}}) {
    auto wrong = cells;
    wrong.values[rollup::CounterColumns::rule] = rule;
    expect_corrupt(wrong);
  }
  for (const std::uint64_t places : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}}) {
    auto wrong = cells;
    wrong.values[rollup::CounterColumns::places] = places;
    expect_corrupt(wrong);
  }
  for (const std::uint64_t offset : {static_cast<std::uint64_t>(-1), std::uint64_t{1} << 62}) {
    auto wrong = cells;
    wrong.values[rollup::CounterColumns::last_offset] = offset;
    expect_corrupt(wrong);
  }
  using namespace std::string_view_literals;
  for (const auto irregular :
       {"\x80"sv, "\x00x"sv, "\x04\x01"sv, "\x08\xe1\xd4\x03"sv, "\x80\x04"sv, "\x10\xff\xff\xff\x0f"sv}) {
    auto wrong = cells;
    wrong.irregular = irregular;
    expect_corrupt(wrong);
  }
}

}  // namespace
}  // namespace varve::engine::shared
