// SPDX-License-Identifier: Apache-2.0
#include "engine/shared/series_folder.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>

#include "engine/shared/testing/rows.h"
#include "model/histogram.h"

namespace varve::engine::shared {
namespace {

using chunk::Column;
using model::ValueType;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct Got {
  model::Timestamp start;
  std::uint64_t count;
  double sum, min, max;
  bool operator==(const Got&) const = default;
};
std::vector<Got> numbers(const SeriesFolder& folder) {
  std::vector<Got> out;
  for (const auto& w : folder.numbers()) out.push_back({w.start, w.count, w.sum, w.min, w.max});
  return out;
}
struct GotText {
  model::Timestamp start;
  std::uint64_t count;
  std::string_view last;
  bool operator==(const GotText&) const = default;
};
std::vector<GotText> texts(const SeriesFolder& folder) {
  std::vector<GotText> out;
  for (const auto& w : folder.texts()) out.push_back({w.start, w.count, w.text->last});
  return out;
}

const std::vector<model::Timestamp> kMixedTimes = {1, 5, 10, 19, 30};

// Long, NaN, text, double, erased.
struct Mixed {
  std::vector<ValueType> types = {ValueType::long_, ValueType::double_, ValueType::string, ValueType::double_,
                                  chunk::kErased};
  std::vector<std::uint64_t> bits = {std::bit_cast<std::uint64_t>(std::int64_t{-3}), std::bit_cast<std::uint64_t>(kNaN),
                                     0, std::bit_cast<std::uint64_t>(2.5), 0};
  std::vector<std::string_view> texts = {"", "", "text", "", ""};
  [[nodiscard]] Column column() const { return {Column::Form::typed, 0, {}, types, bits, texts}; }
};

TEST(SeriesFolder, markers_are_not_there) {
  Mixed mixed;
  mixed.types[0] = mixed.types[3] = ValueType::stale_marker;
  SeriesFolder folder(10);
  folder.start_group();
  folder.fold(kMixedTimes, mixed.column());
  ASSERT_EQ(folder.texts().size(), 1U);
  EXPECT_EQ(folder.texts()[0].count, 1U);
  for (const auto& window : folder.numbers()) EXPECT_EQ(window.start, 0);
  mixed.types.assign(5, ValueType::stale_marker);
  folder.start_group();
  folder.fold(kMixedTimes, mixed.column());
  EXPECT_TRUE(folder.numbers().empty());
  EXPECT_TRUE(folder.texts().empty());
}

TEST(SeriesFolder, longs_and_decimals) {
  const std::vector<std::int64_t> ints = {1, 2, 3, 4, 5};
  SeriesFolder folder(10);
  folder.start_group();
  folder.fold(kMixedTimes, Column{Column::Form::longs, 0, ints, {}, {}, {}});
  const std::vector<Got> expected = {{0, 2, 3, 1, 2}, {10, 2, 7, 3, 4}, {30, 1, 5, 5, 5}};
  EXPECT_EQ(numbers(folder), expected);
  EXPECT_TRUE(folder.texts().empty());
  folder.fold(kMixedTimes, Column{Column::Form::decimals, 1, ints, {}, {}, {}});
  EXPECT_EQ(folder.numbers()[0].min, 0.1);
  EXPECT_EQ(folder.numbers()[2].sum, 0.5);
}

TEST(SeriesFolder, numbers_and_texts_apart_without_what_is_nan_or_erased) {
  const Mixed mixed;
  SeriesFolder folder(10);
  folder.start_group();
  folder.fold(kMixedTimes, mixed.column());
  EXPECT_EQ(numbers(folder), (std::vector<Got>{{0, 1, -3, -3, -3}, {10, 1, 2.5, 2.5, 2.5}}));
  EXPECT_EQ(texts(folder), (std::vector<GotText>{{10, 1, "text"}}));
}

TEST(SeriesFolder, what_is_no_number_is_folded_with_the_texts) {
  const std::vector<ValueType> types = {ValueType::complex, ValueType::histogram, ValueType::string,
                                        ValueType::histogram, ValueType::long_};
  const std::vector<std::uint64_t> bits = {0, 0, 0, 0, 7};
  const std::vector<std::string_view> values = {"c", "h", "s", "i", ""};
  SeriesFolder folder(10);
  folder.start_group();
  folder.fold(kMixedTimes, Column{Column::Form::typed, 0, {}, types, bits, values});
  EXPECT_EQ(numbers(folder), (std::vector<Got>{{30, 1, 7, 7, 7}}));
  EXPECT_EQ(texts(folder), (std::vector<GotText>{{0, 2, "h"}, {10, 2, "i"}}));
  EXPECT_EQ(folder.texts()[0].text->last_type, ValueType::histogram);
}

TEST(SeriesFolder, histograms_become_one_a_window) {
  const auto one = [](double value, std::uint64_t count) {
    return model::encode({.bins = {{model::bin_of(value, 7), count}},
                          .min = value,
                          .max = value,
                          .mean = value,
                          .sum = value * static_cast<double>(count)});
  };
  const std::vector<std::string> bytes = {one(1, 2), one(2, 1), "foreign", one(1, 1), one(4, 1)};
  const std::vector<ValueType> types(5, ValueType::histogram);
  const std::vector<std::uint64_t> bits(5, 0);
  const std::vector<std::string_view> values(bytes.begin(), bytes.end());
  SeriesFolder folder(20, {30, 31});
  folder.start_group();
  folder.fold(kMixedTimes, Column{Column::Form::typed, 0, {}, types, bits, values});
  ASSERT_EQ(folder.texts().size(), 1U);
  EXPECT_EQ(folder.texts()[0].count, 4U);
  const rollup::TextPart& text = *folder.texts()[0].text;
  EXPECT_EQ(text.histograms, 3U);
  EXPECT_EQ(text.first_histogram, 1);
  EXPECT_EQ(
      text.merged,
      model::encode(
          {.bins = {{model::bin_of(1, 7), 3}, {model::bin_of(2, 7), 1}}, .min = 1, .max = 2, .mean = 1.25, .sum = 5}));
}

TEST(SeriesFolder, decoded_columns_fold_as_gathered_ones) {
  const Mixed mixed;
  const std::vector<std::int64_t> ints = {1, 2, 3, 4, 5};
  const std::vector<ValueType> strings(5, ValueType::string);
  const std::vector<std::uint64_t> none(5, 0);
  const std::vector<std::string_view> words = {"a", "b", "c", "d", "e"};
  const std::vector<Column> columns = {mixed.column(),
                                       {Column::Form::longs, 0, ints, {}, {}, {}},
                                       {Column::Form::decimals, 2, ints, {}, {}, {}},
                                       {Column::Form::typed, 0, {}, strings, none, words},
                                       mixed.column()};
  const auto block = testing::block_of(kMixedTimes, columns);
  SeriesFolder gathered(10);
  SeriesFolder decoded(10);
  gathered.start_group();
  decoded.start_group();
  std::vector<model::Timestamp> times;
  chunk::DecodedColumn column;
  ASSERT_TRUE(block->times(0, times));
  for (std::size_t c = 0; c < columns.size(); ++c) {
    gathered.fold(kMixedTimes, columns[c]);
    ASSERT_TRUE(block->column(0, c, column));
    decoded.fold(times, column);
    EXPECT_EQ(numbers(gathered), numbers(decoded)) << c;
    EXPECT_EQ(texts(gathered), texts(decoded)) << c;
    EXPECT_FALSE(gathered.numbers().empty() && gathered.texts().empty()) << c;
  }
}

TEST(SeriesFolder, another_group_has_other_times) {
  const std::vector<std::int64_t> ints = {1, 2, 3, 4, 5};
  const Column column{Column::Form::longs, 0, ints, {}, {}, {}};
  std::vector<model::Timestamp> times = kMixedTimes;
  SeriesFolder folder(10);
  folder.start_group();
  folder.fold(times, column);
  times = {1, 2, 3, 4, 40};  // where the others were
  folder.start_group();
  folder.fold(times, column);
  EXPECT_EQ(numbers(folder), (std::vector<Got>{{0, 4, 10, 1, 4}, {40, 1, 5, 5, 5}}));
}

TEST(SeriesFolder, what_is_excepted_is_left_out) {
  const std::vector<std::int64_t> ints = {1, 2, 3, 4, 5};
  SeriesFolder folder(10, {5, 20});
  folder.start_group();
  for (int twice = 0; twice < 2; ++twice) {
    folder.fold(kMixedTimes, Column{Column::Form::longs, 0, ints, {}, {}, {}});
    EXPECT_EQ(numbers(folder), (std::vector<Got>{{0, 1, 1, 1, 1}, {30, 1, 5, 5, 5}}));
  }
  const Mixed mixed;
  folder.fold(kMixedTimes, mixed.column());
  EXPECT_EQ(numbers(folder), (std::vector<Got>{{0, 1, -3, -3, -3}}));
  EXPECT_TRUE(folder.texts().empty());
}

}  // namespace
}  // namespace varve::engine::shared
