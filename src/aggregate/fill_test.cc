// SPDX-License-Identifier: Apache-2.0
#include "aggregate/fill.h"

#include <gtest/gtest.h>

#include "aggregate/points_text.h"
#include "model/testing/lengths.h"

namespace varve::aggregate {
namespace {

Windows every(std::int64_t ms) { return Windows({ms, model::TimeUnit::milliseconds}, false, 0); }
std::string gathered(Reducer reducer, std::int64_t ms, const std::string& in) {
  return text_of(gather(reducer, every(ms), points_of(in)).value());
}
std::string filled(std::int64_t ms, model::TimeRange range, bool zero, const std::string& in) {
  return text_of(fill(every(ms), range, zero, points_of(in)).value());
}

TEST(Gather, OnePointAWindow) {
  EXPECT_EQ(gathered(Reducer::sum, 10, ""), "");
  EXPECT_EQ(gathered(Reducer::sum, 10, "1:1 9:2 10:5 35:1.5"), "0:3 10:5 30:1.5");
  EXPECT_EQ(gathered(Reducer::dev, 10, "0:2 3:4 12:7"), "0:1.0 10:0.0");
  EXPECT_EQ(gathered(Reducer::p50, 100, "0:1 3:2 12:7"), "0:2.0");
  EXPECT_EQ(gathered(Reducer::last, 1000, "-5:1 1500:2 1700:3"), "-1000:1 1000:3");
  EXPECT_EQ(gathered(Reducer::max, 10, "0:- 1:3 10:-"), "0:3 10:-");
}

TEST(Fill, WindowsThatBeginInTheRange) {
  EXPECT_EQ(windows_in(every(10), {0, 1}), 1U);
  EXPECT_EQ(windows_in(every(10), {0, 31}), 3U);  // the one that begins at the last millisecond would be of one sample
  EXPECT_EQ(windows_in(every(10), {5, 32}), 4U);
  EXPECT_EQ(windows_in(every(10), {-5, 6}), 2U);
  EXPECT_EQ(filled(10, {0, 31}, true, "10:5"), "0:0 10:5 20:0");
  EXPECT_EQ(filled(10, {0, 31}, false, "10:5"), "0:- 10:5 20:-");
  EXPECT_EQ(filled(10, {5, 36}, true, "0:1.5 30:2.5"), "0:1.5 10:0 20:0 30:2.5");
  EXPECT_EQ(filled(10, {0, 21}, true, "20:7"), "0:0 10:0 20:7");  // but if there is a sample it is shown
  EXPECT_EQ(filled(10, {0, 20}, true, ""), "0:0 10:0");
}

TEST(Fill, ByTheCalendar) {
  const Windows months({1, model::TimeUnit::months}, true, 0);
  using model::testing::kDay;
  EXPECT_EQ(text_of(fill(months, {0, 60 * kDay}, true, {}).value()), "0:0 2678400000:0 5097600000:0");
}

}  // namespace
}  // namespace varve::aggregate
