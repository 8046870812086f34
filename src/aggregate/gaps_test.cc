// SPDX-License-Identifier: Apache-2.0
#include "aggregate/gaps.h"

#include <gtest/gtest.h>

#include "aggregate/points_text.h"

namespace varve::aggregate {
namespace {

std::string gaps_of(const Scope& scope, Sampling sampling, const Points& points, bool trim = false) {
  Gaps gaps;
  gaps.sampling = sampling;
  gaps.trim = trim;
  const auto made = apply(gaps, scope, points);
  return made ? text_of(*made) : made.error().message;
}

constexpr Sampling kMs{1, model::TimeUnit::milliseconds};
constexpr Sampling kSecond{1, model::TimeUnit::seconds};

TEST(Gaps, NullWhereNothingIs) {
  EXPECT_EQ(gaps_of({1, 5, {}}, kMs, points_of("1:1 4:2 5:3")), "1:1 2:null 3:null 4:2 5:3");
  EXPECT_EQ(gaps_of({1, 7, {}}, kMs, points_of("3:1 4:2.5 5:3")), "1:null 2:null 3:1 4:2.5 5:3 6:null 7:null");
  EXPECT_EQ(gaps_of({1, 7, {}}, kMs, points_of("3:1 4:2 6:3"), true), "3:1 4:2 5:null 6:3");
  EXPECT_EQ(gaps_of({0, 3000, {}}, kSecond, points_of("0:1 1500:2")), "0:1 1500:2 2000:null 3000:null");
  EXPECT_EQ(gaps_of({0, 2999, {}}, kSecond, points_of("0:1 1500:2")), "0:1 1500:2 2000:null");
  EXPECT_EQ(gaps_of({2500, 4000, {}}, kSecond, points_of("3100:1 3200:2")), "2000:null 3100:1 3200:2 4000:null")
      << "from the window that holds the start";
  EXPECT_EQ(gaps_of({0, 0, {}}, kSecond, points_of("2000:1")), "0:null 1000:null 2000:1") << "up to the last sample";
  EXPECT_EQ(gaps_of({0, -1, {}}, kSecond, points_of("1000:1")), "0:null 1000:1") << "the range ends after now";
  EXPECT_EQ(gaps_of({0, 1000, {}}, kSecond, {}), "0:null 1000:null");
  EXPECT_EQ(gaps_of({0, 1000, {}}, kSecond, {}, true), "");
}

TEST(Gaps, TextsAndNulls) {
  EXPECT_EQ(gaps_of({0, 2, {}}, kMs, texts_of("1:a")), "0:null 1:a 2:null");
  EXPECT_EQ(gaps_of({0, 2, {}}, kMs, points_of("1:null")), "0:null 1:null 2:null");
}

TEST(Gaps, AskForTheirMemoryFirst) {
  std::size_t asked = 0;
  const Scope scope{0, model::kTimestampMax, [&](std::size_t bytes) {
                      asked += bytes;
                      return bytes > 1'000'000 ? Status(fail(Code::limit, "too much")) : Status{};
                    }};
  EXPECT_EQ(gaps_of(scope, kMs, points_of("1:1")), "too much");
  EXPECT_GT(asked, std::size_t{1} << 53);
}

}  // namespace
}  // namespace varve::aggregate
