// SPDX-License-Identifier: Apache-2.0
#include "aggregate/split.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "aggregate/points_text.h"

namespace varve::aggregate {
namespace {

using model::TimeUnit;

// "number,number|points …", part after part.
std::string parts_of(const std::vector<Split>& splits, const Points& points, model::Timestamp start = 0) {
  std::string out;
  for (const Part& part : split(splits, start, points)) {
    std::string key;
    for (const std::int64_t number : part.key) key += (key.empty() ? "" : ",") + std::to_string(number);
    out += (out.empty() ? "" : " | ") + key + " " + text_of(part.points);
  }
  return out;
}

TEST(Split, ByTime) {
  const Split pairs = TimeSplit{{2, TimeUnit::milliseconds}, 2};
  EXPECT_EQ(parts_of({pairs}, points_of("0:0 2:1 4:2 6:3 7:4")), "0 0:0 4:2 | 1 2:1 6:3 7:4");
  EXPECT_EQ(parts_of({pairs}, points_of("103:0 104:1"), 101), "1 103:0 104:1");
  const Split months = TimeSplit{{7, TimeUnit::months}, 12};
  EXPECT_EQ(parts_of({months}, points_of("0:0 2678399999:1 2678400000:2 31536000000:3")),
            "0 0:0 2678399999:1 31536000000:3 | 1 2678400000:2")
      << "by the calendar, whatever the size";
  EXPECT_EQ(parts_of({months}, points_of("2678399999:1 2678400000:2"), 2'000'000'000),
            "0 2678399999:1 | 1 2678400000:2");
  const Split years = TimeSplit{{1, TimeUnit::years}, 5};
  EXPECT_EQ(parts_of({years}, points_of("31449599999:1 31449600000:2")), "0 31449599999:1 | 1 31449600000:2")
      << "52 weeks";
  EXPECT_EQ(parts_of({pairs}, points_of("97:0 98:1 99:2 100:3 101:4"), 101), "0 97:0 98:1 101:4 | 1 99:2 100:3")
      << "before the start, too";
  EXPECT_EQ(parts_of({TimeSplit{{1, TimeUnit::months}, 5}}, points_of("-1:1 0:2")), "4 -1:1 | 0 0:2");
  EXPECT_EQ(parts_of({TimeSplit{{INT64_MAX, TimeUnit::weeks}, 3}}, points_of("-5:1 -4:2 5:3 6:4")),
            "2 -5:1 -4:2 | 0 5:3 6:4");
  EXPECT_EQ(parts_of({TimeSplit{{INT64_MAX, TimeUnit::weeks}, INT64_MAX}}, points_of("5:1")), "0 5:1");
}

TEST(Split, ByValue) {
  EXPECT_EQ(parts_of({ValueSplit{5}}, points_of("1:1 2:4.9 3:5 4:10 5:-4 6:-5 7:-")),
            "0 1:1 2:4.9 5:-4 7:- | 1 3:5 | 2 4:10 | -1 6:-5");
  EXPECT_EQ(parts_of({ValueSplit{1}}, points_of("1:9223372036854775807")), "9223372036854775807 1:9223372036854775807");
  EXPECT_EQ(parts_of({ValueSplit{5}}, texts_of("1:x 2:7")), "-1 1:x 2:7");
}

TEST(Split, ByBin) {
  const Split bins = BinSplit{{10, 20, 30}};
  EXPECT_EQ(parts_of({bins}, points_of("0:5 1:10 2:25 3:30 4:31 5:19.9")),
            "0 0:5 | 1 1:10 5:19.9 | 2 2:25 | 3 3:30 4:31");
  EXPECT_EQ(parts_of({BinSplit{{30, 10, 20}}}, points_of("0:5 1:15 2:25 3:30")), "0 0:5 1:15 2:25 | 3 3:30")
      << "in no order";
  EXPECT_EQ(parts_of({bins}, texts_of("1:x")), "-1 1:x");
}

TEST(Split, ByAllOfThem) {
  EXPECT_EQ(parts_of({ValueSplit{2}, TimeSplit{{1, TimeUnit::milliseconds}, 2}}, points_of("0:1 1:1 2:2 3:2.5 4:1")),
            "0,0 0:1 4:1 | 0,1 1:1 | 1,0 2:2 | 1,1 3:2.5");
  EXPECT_EQ(parts_of({ValueSplit{2}}, {}), "");
}

}  // namespace
}  // namespace varve::aggregate
