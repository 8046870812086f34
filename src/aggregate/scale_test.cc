// SPDX-License-Identifier: Apache-2.0
#include "aggregate/scale.h"

#include <gtest/gtest.h>

#include "aggregate/points_text.h"

namespace varve::aggregate {
namespace {

TEST(Scale, EachValue) {
  EXPECT_EQ(text_of(apply(Scale{2.5}, points_of("1:10 2:3 3:5 4:25"))), "1:25.0 2:7.5 3:12.5 4:62.5");
  EXPECT_EQ(text_of(apply(Scale{0}, points_of("1:10 2:-3.5"))), "1:0.0 2:-0.0");
  EXPECT_EQ(text_of(apply(Scale{2}, points_of("1:1.5 2:null 3:- 4:2"))), "1:3.0 2:null 3:- 4:4.0");
  EXPECT_EQ(text_of(apply(Scale{2}, {})), "");
}

TEST(Divide, EachValue) {
  EXPECT_EQ(text_of(apply(Divide{2.5}, points_of("1:10 2:3 3:5 4:25"))), "1:4.0 2:1.2 3:2.0 4:10.0");
  EXPECT_EQ(text_of(apply(Divide{-2}, points_of("1:1.0 2:null"))), "1:-0.5 2:null");
}

}  // namespace
}  // namespace varve::aggregate
