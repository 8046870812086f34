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

// The line of points is the same wherever they lie; KairosDB's loses its last digits on the way from 1970.
TEST(LeastSquares, IsAsExactTodayAsIn1970) {
  const double values[] = {2, 4, 5, 4, 5, 9};
  LeastSquares line;
  line.sampling = {2, model::TimeUnit::days};
  for (const std::int64_t step : {std::int64_t{1}, std::int64_t{7919}}) {
    for (const model::Timestamp from : {model::Timestamp{0}, model::Timestamp{1'700'000'000'000}, model::kTimestampMin,
                                        model::kTimestampMax - 5 * step}) {
      Points in;
      for (std::int64_t i = 0; i < 6; ++i) {
        in.push(from + i * step, model::ValueType::double_, std::bit_cast<std::uint64_t>(values[i]));
      }
      const Points out = apply(line, Scope{.start = from}, in).value();
      ASSERT_EQ(out.size(), 2U);
      EXPECT_NEAR(out.number(0), 46.0 / 21, 1e-12) << from;
      EXPECT_NEAR(out.number(1), 157.0 / 21, 1e-12) << from;
    }
  }
}

}  // namespace
}  // namespace varve::aggregate
