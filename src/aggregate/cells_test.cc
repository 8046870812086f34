// SPDX-License-Identifier: Apache-2.0
// Cells from pieces in any order must say the same as one pass over all samples, merged and sorted.
#include "aggregate/cell_set.h"
#include "aggregate/points_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "aggregate/apply.h"
#include "aggregate/points_text.h"

namespace varve::aggregate {
namespace {

using enum Function;
using model::TimeUnit;
using model::ValueType;

Stage stage_of(Function f, Sampling sampling = {}) {
  Stage stage;
  stage.function = f;
  stage.sampling = sampling;
  return stage;
}

struct Sample {
  model::Timestamp time;
  ValueType type;
  std::uint64_t bits;
  [[nodiscard]] double number() const { return as_double(type, bits); }
};

// The definition, as plainly as it can be written.
std::vector<std::pair<model::Timestamp, double>> naive(const Stage& stage, model::Timestamp start,
                                                       std::vector<Sample> all) {
  std::ranges::stable_sort(
      all, [](auto& a, auto& b) { return std::pair(a.time, a.number()) < std::pair(b.time, b.number()); });
  const Windows windows(stage.sampling, stage.align_sampling, start);
  std::map<std::int64_t, std::vector<Sample>> by_window;
  for (const Sample& s : all) by_window[windows.index(s.time)].push_back(s);
  std::vector<std::pair<model::Timestamp, double>> out;
  for (const auto& [k, samples] : by_window) {
    double total = 0, least = samples[0].number(), most = least;
    for (const Sample& s : samples) {
      total += s.number();
      least = std::min(least, s.number());
      most = std::max(most, s.number());
    }
    double value = 0;
    switch (stage.function) {
      case avg: value = total / static_cast<double>(samples.size()); break;
      case sum: value = total; break;
      case Function::min: value = least; break;
      case Function::max: value = most; break;
      case count: value = static_cast<double>(samples.size()); break;
      case first: value = samples.front().number(); break;
      case last: value = samples.back().number(); break;
      case dev: {
        const double mean = total / static_cast<double>(samples.size());
        for (const Sample& s : samples) value += (s.number() - mean) * (s.number() - mean);
        value = samples.size() < 2 ? 0 : std::sqrt(value / static_cast<double>(samples.size() - 1));
        break;
      }
    }
    const auto own = stage.function == last ? samples.back().time : samples.front().time;
    out.emplace_back(stage.stamp == Stamp::sample         ? own
                     : stage.stamp == Stamp::window_start ? windows.start(k)
                                                          : windows.start(k + 1),
                     value);
  }
  return out;
}

std::vector<std::pair<model::Timestamp, double>> pairs(const Points& p) {
  std::vector<std::pair<model::Timestamp, double>> out;
  for (std::size_t i = 0; i < p.size(); ++i) out.emplace_back(p.times[i], as_double(p.type_of(i), p.bits[i]));
  return out;
}

// A deviation is rounded by the order in which its parts came together.
void expect_points(const Stage& stage, const Points& got, std::vector<std::pair<model::Timestamp, double>> expected,
                   int round) {
  auto points = pairs(got);
  ASSERT_EQ(points.size(), expected.size()) << round;
  for (std::size_t i = 0; stage.function == Function::dev && i < points.size(); ++i) {
    ASSERT_NEAR(points[i].second, expected[i].second, 1e-9) << round;
    points[i].second = expected[i].second;
  }
  ASSERT_EQ(points, expected) << round;
}

TEST(Cells, PiecesInAnyOrderEqualOnePass) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 600; ++round) {
    Stage stage;
    stage.function = static_cast<Function>(round % 8);
    stage.stamp = static_cast<Stamp>(random() % 3);
    stage.align_sampling = random() % 2 == 0;
    const TimeUnit unit =
        std::array{TimeUnit::milliseconds, TimeUnit::seconds, TimeUnit::hours, TimeUnit::months}[random() % 4];
    stage.sampling = {static_cast<std::int64_t>(1 + random() % 5), unit};
    const model::Timestamp start = static_cast<model::Timestamp>(random() % 1'000'000) - 500'000;
    const std::int64_t step = std::array<std::int64_t, 4>{1, 300, 20'000, 100'000'000}[random() % 4];

    std::vector<std::vector<Sample>> pieces(1 + random() % 20);
    std::vector<Sample> all;
    for (auto& piece : pieces) {
      model::Timestamp t = start + static_cast<model::Timestamp>(random() % 100) * step;
      const ValueType type = random() % 2 == 0 ? ValueType::long_ : ValueType::double_;
      for (std::size_t n = random() % 200; n > 0; --n) {
        t += 1 + static_cast<model::Timestamp>(random() % static_cast<std::uint64_t>(step));
        const std::int64_t v = static_cast<std::int64_t>(random() % 1000) - 500;
        piece.push_back({t, type,
                         type == ValueType::long_ ? static_cast<std::uint64_t>(v)
                                                  : std::bit_cast<std::uint64_t>(static_cast<double>(v) / 4)});
      }
      all.insert(all.end(), piece.begin(), piece.end());
    }
    const Windows windows(stage.sampling, stage.align_sampling, start);
    CellSet set;
    for (const auto& piece : pieces) {
      std::vector<model::Timestamp> times;
      std::vector<std::uint64_t> bits;
      for (const Sample& s : piece) times.push_back(s.time), bits.push_back(s.bits);
      std::vector<Cell> cells;
      reduce(stage.function, windows, {piece.empty() ? ValueType::long_ : piece[0].type, times, bits}, cells);
      set.add(stage.function, cells);
    }
    const auto expected = naive(stage, start, all);
    expect_points(stage, to_points(stage, windows, set.take(stage.function)).value(), expected, round);

    // The same from merged points.
    std::ranges::stable_sort(
        all, [](auto& a, auto& b) { return std::pair(a.time, a.number()) < std::pair(b.time, b.number()); });
    Points merged;
    for (const Sample& s : all) {
      merged.times.push_back(s.time);
      merged.types.push_back(s.type);
      merged.bits.push_back(s.bits);
    }
    expect_points(stage, apply(stage, Scope{.start = start}, std::move(merged)).value(), expected, round);
  }
}

TEST(Cells, SumsDoNotDependOnTheOrderOfPieces) {
  const Windows windows({1, TimeUnit::days}, true, 0);
  std::mt19937_64 random(5);
  std::vector<Cell> parts;
  for (int i = 0; i < 1000; ++i) {
    Cell cell;
    cell.count = 1;
    cell.value = static_cast<double>(random() % 1'000'000) / 1000.0;
    parts.push_back(cell);
  }
  double seen = 0;
  for (int round = 0; round < 20; ++round) {
    std::ranges::shuffle(parts, random);
    CellSet set;
    for (const Cell& cell : parts) set.add(sum, {&cell, 1});
    const Points points = to_points(stage_of(sum), windows, set.take(sum)).value();
    const double value = std::bit_cast<double>(points.bits[0]);
    if (round == 0) seen = value;
    ASSERT_EQ(value, seen);
  }
}

TEST(Cells, SumOverflowsToInfinity) {
  const std::vector<model::Timestamp> times = {1, 2};
  const std::vector<std::uint64_t> bits(2, std::bit_cast<std::uint64_t>(1.7e308));
  const Windows windows({1, TimeUnit::days}, true, 0);
  CellSet set;
  for (std::size_t i = 0; i < 2; ++i) {
    std::vector<Cell> cells;
    reduce(sum, windows, {ValueType::double_, std::span(times).subspan(i, 1), std::span(bits).subspan(i, 1)}, cells);
    set.add(sum, cells);
  }
  EXPECT_TRUE(std::isinf(std::bit_cast<double>(to_points(stage_of(sum), windows, set.take(sum)).value().bits[0])));
}

TEST(Cells, SummariesAreAsGoodAsTheirSamples) {
  const Windows windows({1, TimeUnit::seconds}, true, 0);
  const model::Timestamp times[] = {-500, 1500, 1700, 2000, 9000};  // two in one window, a neighbour, a far one
  const std::uint64_t counts[] = {1, 3, 1, 2, 4};
  const auto points = [&](Function f, std::initializer_list<double> values) {
    std::vector<std::uint64_t> bits;
    for (const double v : values) bits.push_back(std::bit_cast<std::uint64_t>(v));
    CellSet set;
    set.add(f, windows, {times, counts, bits});
    const std::string text = text_of(to_points(stage_of(f), windows, CellSet(set).take(f)).value());
    set.add(f, windows, {times, counts, bits});  // onto what is there
    EXPECT_EQ(set.take(f).size(), 4U);
    return text;
  };
  EXPECT_EQ(points(avg, {1, 6, 4, 3, 2}), "-500:1.0 1500:2.5 2000:1.5 9000:0.5");
  EXPECT_EQ(points(sum, {1, 6, 4, 3, 2}), "-500:1.0 1500:10.0 2000:3.0 9000:2.0");
  EXPECT_EQ(points(Function::min, {1, 6, 4, 3, 2}), "-500:1.0 1500:4.0 2000:3.0 9000:2.0");
  EXPECT_EQ(points(Function::max, {1, 6, 4, 3, std::nan("")}), "-500:1.0 1500:6.0 2000:3.0 9000:-");
  EXPECT_EQ(points(count, {0, 0, 0, 0, 0}), "-500:1 1500:4 2000:2 9000:4");
  EXPECT_FALSE(takes_summary(first));
  EXPECT_FALSE(takes_summary(last));
}

TEST(Apply, Texts) {
  Points texts;
  texts.type = ValueType::string;
  texts.times = {1, 2, 1001};
  texts.texts = {"a", "b", "c"};
  const Sampling second{1, TimeUnit::seconds};
  EXPECT_EQ(apply(stage_of(sum, second), Scope{}, texts).value().texts, texts.texts);
  EXPECT_EQ(apply(stage_of(first, second), Scope{}, texts).value().texts, (std::vector<std::string>{"a", "c"}));
  EXPECT_EQ(apply(stage_of(last, second), Scope{}, texts).value().texts, (std::vector<std::string>{"b", "c"}));
  EXPECT_EQ(apply(stage_of(last, second), Scope{}, texts).value().times, (std::vector<model::Timestamp>{2, 1001}));
  EXPECT_EQ(apply(stage_of(count, second), Scope{}, texts).value().bits, (std::vector<std::uint64_t>{2, 1}));
  EXPECT_EQ(apply(stage_of(count, second), Scope{}, texts).value().type, ValueType::long_);
}

TEST(Apply, FirstAndLastKeepTheType) {
  Points mixed;
  mixed.times = {1, 2, 1001};
  mixed.types = {ValueType::long_, ValueType::double_, ValueType::double_};
  mixed.bits = {INT64_MAX, std::bit_cast<std::uint64_t>(0.5), std::bit_cast<std::uint64_t>(1.5)};
  const Points out = apply(stage_of(first, {1, TimeUnit::seconds}), Scope{}, mixed).value();
  ASSERT_EQ(out.size(), 2U);
  EXPECT_EQ(out.type_of(0), ValueType::long_);
  EXPECT_EQ(out.bits[0], static_cast<std::uint64_t>(INT64_MAX));
  EXPECT_EQ(out.type_of(1), ValueType::double_);
}

TEST(Apply, NothingInNothingOut) {
  Points none;
  EXPECT_EQ(apply(stage_of(avg, {1, TimeUnit::seconds}), Scope{}, none).value().size(), 0U);
}

}  // namespace
}  // namespace varve::aggregate
