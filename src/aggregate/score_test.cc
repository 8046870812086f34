// SPDX-License-Identifier: Apache-2.0
#include "aggregate/score.h"

#include <gtest/gtest.h>

#include "aggregate/points_text.h"

namespace varve::aggregate {
namespace {

TEST(Score, CountsThresholdsPassed) {
  const Score score{{{0, true}, {10, false}}, false};
  EXPECT_EQ(text_of(apply(score, points_of("0:-1 1:1 2:11 3:0 4:10 5:null"))), "0:0.0 1:1.0 2:2.0 3:1.0 4:1.0 5:null");
  EXPECT_EQ(text_of(apply({score.thresholds, true}, points_of("0:-1 1:1 2:11 3:0 4:10.0"))),
            "0:2.0 1:1.0 2:0.0 3:1.0 4:1.0");
  EXPECT_EQ(text_of(apply({{{10, false}, {0, true}}, false}, points_of("0:11 1:10 2:0"))), "0:2.0 1:1.0 2:1.0")
      << "any order";
  EXPECT_EQ(text_of(apply({{{5, false}, {5, true}}, false}, points_of("0:4 1:5 2:6"))), "0:0.0 1:1.0 2:2.0");
  EXPECT_EQ(text_of(apply(Score{}, points_of("0:4.5"))), "0:0.0");
}

}  // namespace
}  // namespace varve::aggregate
