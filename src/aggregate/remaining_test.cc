// SPDX-License-Identifier: Apache-2.0
#include "aggregate/remaining.h"

#include <gtest/gtest.h>

#include "aggregate/pipeline.h"
#include "aggregate/points_text.h"
#include "model/testing/histograms.h"

namespace varve::aggregate {
namespace {

using enum Filter::Compare;
using model::testing::histogram_of;

// Two, a second apart, and one that has counted nothing.
std::string remaining_of(const Pipeline& steps) {
  Points in;
  in.type = model::ValueType::histogram;
  for (const auto& values : {std::vector<double>{1, 2, 3, 4}, {3, 4, 5, 6, 7, 8}, {}}) {
    in.times.push_back(static_cast<model::Timestamp>(in.size()) * 1000);
    in.texts.push_back(model::encode(histogram_of(values)));
  }
  return text_of(*run(steps, {0, 9000, {}}, false, in, {}));
}

TEST(PercentRemaining, IsOfWhatFiltersLeft) {
  Merge minute;
  minute.sampling = {1, model::TimeUnit::minutes};
  const HistogramFilter less_than_4{less, 4, false};
  EXPECT_EQ(remaining_of({PercentRemaining{}}), "0:1.0 1000:1.0");
  EXPECT_EQ(remaining_of({less_than_4, PercentRemaining{}}), "0:0.25 1000:0.8333333333");
  EXPECT_EQ(remaining_of({less_than_4, HistogramFilter{greater, 7, false}, PercentRemaining{}}),
            "0:0.25 1000:0.6666666667");
  EXPECT_EQ(remaining_of({less_than_4, minute, PercentRemaining{}}), "0:0.6");
  EXPECT_EQ(remaining_of({minute, less_than_4, PercentRemaining{}}), "0:0.6");
  EXPECT_EQ(remaining_of({minute, PercentRemaining{}}), "0:1.0");
  EXPECT_EQ(remaining_of({HistogramFilter{greater, 0, false}, PercentRemaining{}}), "");
  EXPECT_EQ(remaining_of({less_than_4, PercentRemaining{}, Scale{100}}), "0:25.0 1000:83.33333333")
      << "numbers from here on";
}

TEST(PercentRemaining, OthersPass) {
  const Pipeline steps = {PercentRemaining{}};
  EXPECT_EQ(text_of(*run(steps, {0, 9000, {}}, false, points_of("1:5"), {})), "1:5");
}

}  // namespace
}  // namespace varve::aggregate
