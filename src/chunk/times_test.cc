// SPDX-License-Identifier: Apache-2.0
#include "chunk/times.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace varve::chunk {
namespace {

using Column = std::vector<model::Timestamp>;

// Ranges that begin and end at rows, between them, before and behind all of them.
void expect_ranges(const Times& times, std::span<const std::byte> gaps, const SequenceBytes& bytes, const Column& all) {
  const auto edge = [&](std::size_t i) { return i == 0 ? all[0] - 5 : i > all.size() ? all.back() + 5 : all[i - 1]; };
  const std::size_t step = 1 + all.size() / 9;
  Column some;
  Rows rows;
  for (std::size_t i = 0; i <= all.size() + 1; i += step) {
    for (std::size_t j = i; j <= all.size() + 1; j += step) {
      for (const std::int64_t beside : {0, 1}) {
        const model::TimeRange range{edge(i) + beside, edge(j) + beside};
        ASSERT_TRUE(decode_times(times, gaps, bytes, range, some, rows));
        const auto begin = std::ranges::lower_bound(all, range.first);
        const auto end = std::ranges::lower_bound(begin, all.end(), range.last);
        ASSERT_EQ(some, Column(begin, end));
        ASSERT_EQ(rows.count, some.size());
        ASSERT_TRUE(some.empty() || rows.first == static_cast<std::size_t>(begin - all.begin()));
      }
    }
  }
}

// Writes the columns one after the other, reads and compares; returns the descriptions.
std::vector<Times> times_back(const std::vector<Column>& columns) {
  TimesWriter writer;
  SequenceWriter sequences;
  Sections out;
  for (const Column& column : columns) writer.write(column, sequences, out);
  for (Bytes& bytes : out.section) bytes.fixed(std::uint64_t{0});  // slack, as an opened block has it
  Places places;
  places.heads = Cursor(out.heads().view());
  places.params = Cursor(out.params().view());
  std::vector<Times> read(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    Times& times = read[i];
    EXPECT_TRUE(read_times(places, i == 0 ? nullptr : &read[i - 1], times));
    EXPECT_EQ(times.rows, columns[i].size());
    EXPECT_EQ(times.first, columns[i].front());
    EXPECT_EQ(times.last, columns[i].back());
    const Sequence& s = times.sequence;
    SequenceBytes bytes;
    if (!s.sparse()) bytes.symbols = out.symbols[s.symbol_class].data() + s.symbols_at;
    bytes.low = out.low().data() + s.low_at;
    bytes.side = out.side().view().subspan(s.side_at, s.side_bytes);
    const auto gaps = out.side().view().subspan(times.gaps_at, times.gaps_bytes);
    Column decoded;
    Rows rows;
    EXPECT_TRUE(decode_times(times, gaps, bytes, {}, decoded, rows));
    EXPECT_EQ(decoded, columns[i]);
    expect_ranges(times, gaps, bytes, columns[i]);
  }
  return read;
}

Column clock(std::size_t rows, model::Timestamp first, std::int64_t step, std::int64_t jitter, std::size_t gap_every) {
  std::mt19937_64 random(rows);
  Column times;
  model::Timestamp grid = first;
  for (std::size_t i = 0; i < rows; ++i) {
    const auto noise = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(jitter + 1));
    times.push_back(grid + noise);
    grid += step * (gap_every != 0 && i % gap_every == gap_every - 1 ? 4 : 1);
  }
  return times;
}

TEST(Times, SteadyClockIsAFewBytes) {
  const auto read = times_back({clock(360, 1'700'000'000'000, 10'000, 0, 0)});
  EXPECT_EQ(read[0].kind, TimesKind::sequence);
  EXPECT_TRUE(read[0].sequence.sparse());
  EXPECT_EQ(read[0].sequence.side_bytes, 0U);
}

TEST(Times, SteadyClockWithGapsIsAList) {
  const auto read = times_back({clock(360, 1'700'000'000'000, 10'000, 0, 100)});
  EXPECT_TRUE(read[0].sequence.sparse());
  EXPECT_LE(read[0].sequence.side_bytes, 3 * 4U);
}

TEST(Times, JitterStaysNearItsGrid) {
  for (const std::size_t gap_every : {0, 1000, 50, 20}) {
    const auto read = times_back({clock(240, 1'700'000'000'000, 15'000, 9, gap_every)});
    EXPECT_EQ(read[0].kind, TimesKind::grid);
    EXPECT_EQ(read[0].step, 15'000U);
    EXPECT_EQ(read[0].sequence.order, 0);
    EXPECT_EQ(read[0].gaps_bytes != 0, gap_every == 50 || gap_every == 20);
  }
}

TEST(Times, GapsAtTheEdges) {
  Column times = clock(240, 0, 15'000, 9, 0);
  for (std::size_t i = 1; i < times.size(); ++i) times[i] += 60'000;
  times.back() += 45'000;
  for (std::size_t i = 120; i < times.size(); ++i) times[i] += 15'000;
  for (std::size_t i = 121; i < times.size(); ++i) times[i] += 15'000;
  EXPECT_EQ(times_back({times})[0].kind, TimesKind::grid);
}

TEST(Times, DaysOfEachClock) {
  for (const std::int64_t jitter : {0, 9, 4000}) {
    for (const std::size_t gap_every : {0, 2000, 50, 20})
      times_back({clock(5000, 1'700'000'000'000, 15'000, jitter, gap_every)});
  }
}

TEST(Times, EqualColumnsAreSaidOnce) {
  const Column a = clock(100, 5, 1000, 300, 0);
  Column b = a;
  for (model::Timestamp& t : b) t += 7;
  const auto read = times_back({a, a, b, b, a});
  // What is said once has its symbols in one place.
  const auto place = [&read](std::size_t i) { return read[i].sequence.symbols_at; };
  EXPECT_FALSE(read[0].sequence.sparse());
  EXPECT_EQ(place(0), place(1));
  EXPECT_LT(place(1), place(2));
  EXPECT_EQ(place(2), place(3));
  EXPECT_LT(place(3), place(4));
}

TEST(Times, AnyAscendingColumn) {
  constexpr std::int64_t kFar = std::int64_t{1} << 53;
  times_back({{0}});
  times_back({{-kFar}, {kFar}, {-1}});
  times_back({{-kFar, kFar}});
  times_back({{-3, -2, -1, 0, 1, 2, 3, 4, 5, 6}});
  times_back({{1, 2, 3, 4, 5, 6, 7, 8, 9, kFar}});
  times_back({{-kFar, 1, 2, 3, 4, 5, 6, 7, 8, 9, kFar}});
  std::mt19937_64 random(4);
  for (int round = 0; round < 300; ++round) {
    Column times;
    model::Timestamp t = static_cast<std::int64_t>(random() >> 11) - kFar / 2;
    const unsigned most = static_cast<unsigned>(random() % 40);
    for (std::size_t n = 1 + random() % 300; n > 0; --n)
      times.push_back(t += 1 + static_cast<std::int64_t>(random() >> (63 - most)));
    times_back({times});
    ASSERT_FALSE(HasFailure()) << "round " << round;
  }
}

TEST(Times, RefusesWhatDoesNotAscend) {
  Times times;
  times.rows = 3;
  times.first = 10;
  times.last = 10;
  times.sequence.symbol_class = kSparse;
  times.sequence.min = 10;
  const auto decodes = [&times] {
    Column out;
    Rows rows;
    return decode_times(times, {}, {}, {}, out, rows);
  };
  EXPECT_FALSE(decodes());
  times.sequence.order = 1;
  times.sequence.base = 5;
  EXPECT_FALSE(decodes());  // ascends, but not to `last`
  times.last = 20;
  EXPECT_TRUE(decodes());
}

}  // namespace
}  // namespace varve::chunk
