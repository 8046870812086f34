// SPDX-License-Identifier: Apache-2.0
#include "aggregate/least_squares.h"

#include <gtest/gtest.h>

#include "aggregate/points_text.h"

namespace varve::aggregate {
namespace {

std::string line_of(const std::string& points, Sampling sampling = {1, model::TimeUnit::days}) {
  LeastSquares line;
  line.sampling = sampling;
  return text_of(apply(line, {}, points_of(points)).value());
}

TEST(LeastSquares, TwoPointsAWindow) {
  EXPECT_EQ(line_of("0:2 1:4 2:5 3:4 4:5 5:9"), "0:2.19047619 5:7.476190476");
  EXPECT_EQ(line_of("1:2"), "1:2") << "is its own line";
  EXPECT_EQ(line_of("1:2 5:9.5"), "1:2 5:9.5");
  EXPECT_EQ(line_of("1:2 5:null 6:4"), "1:2 6:4");
  EXPECT_EQ(line_of("0:1 1:3 2:5 10:7 25:1 26:1 28:1", {10, model::TimeUnit::milliseconds}),
            "0:1.0 2:5.0 10:7 25:1.0 28:1.0");
  EXPECT_EQ(line_of("5:1 5:2 5:6"), "5:3.0 5:3.0") << "flat";
  EXPECT_EQ(line_of(""), "");
}

// As the answer of a KairosDB 1.3.0: from 1970 to today a steep line loses its last digits.
TEST(LeastSquares, RoundedAsKairosDb) {
  const Points in =
      points_of("1700000000000:2 1700000000001:4 1700000000002:5 1700000000003:4 1700000000004:5 1700000000005:9");
  LeastSquares line;
  line.sampling = {1, model::TimeUnit::days};
  const Points out = apply(line, {}, in).value();
  ASSERT_EQ(out.size(), 2U);
  EXPECT_EQ(out.number(0), 2.1904296875);
  EXPECT_EQ(out.number(1), 7.47607421875);
}

}  // namespace
}  // namespace varve::aggregate
