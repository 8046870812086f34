// SPDX-License-Identifier: Apache-2.0
// What is refused when windows of counters are read back.
#include "rollup/counter_columns.h"

#include <limits>

#include <gtest/gtest.h>

#include "counter/summary.h"

namespace varve::rollup {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Whether a window of one sample with this ceiling is read as it was stored.
bool comes_back(double ceiling) {
  counter::Terms terms;
  terms.base_ms = 1000;
  terms.rules.gap_ms = counter::kGapBins * terms.base_ms;
  terms.rules.max_wrap_per_second = ceiling;
  const CounterPart part{counter::summary_of<std::uint64_t>(terms, {5000, 7}), true};
  Window window;
  window.start = window.first_time = 5000;
  window.count = 1;
  window.counter = &part;
  CounterColumns columns;
  columns.add({&window, 1});
  CounterCells cells{5000, 5000, columns.types[0], {}, columns.irregular[0]};
  for (std::size_t c = 0; c < kCounterColumns; ++c) cells.values[c] = columns.bits[c][0];
  const auto read = counter_part(cells);
  return read && read->summary == part.summary;
}

TEST(CounterColumns, CeilingsAreNumbersThatAreNotNegative) {
  EXPECT_TRUE(comes_back(1.25e9));
  EXPECT_TRUE(comes_back(0));
  EXPECT_FALSE(comes_back(-1));
  EXPECT_FALSE(comes_back(kNaN));
}

}  // namespace
}  // namespace varve::rollup
