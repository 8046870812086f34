// SPDX-License-Identifier: Apache-2.0
#include "aggregate/filter.h"

#include <gtest/gtest.h>

#include "aggregate/points_text.h"

namespace varve::aggregate {
namespace {

using enum Filter::Compare;

TEST(Filter, TakesOutWhatSatisfiesTheTest) {
  const struct {
    Filter::Compare compare;
    const char* left;
  } cases[] = {{less_or_equal, "0:20 2:30.5"}, {less, "0:20 1:15 2:30.5"},          {greater_or_equal, "3:10 4:-10.0"},
               {greater, "1:15 3:10 4:-10.0"}, {equal, "0:20 2:30.5 3:10 4:-10.0"}, {not_equal, "1:15"}};
  for (const auto& c : cases) {
    EXPECT_EQ(text_of(apply(Filter{c.compare, 15.0}, points_of("0:20 1:15 2:30.5 3:10 4:-10.0"))), c.left);
  }
  EXPECT_EQ(text_of(apply(Filter{greater, 1.0}, points_of("0:0.5 1:1.5 2:null"))), "0:0.5 2:null") << "doubles";
  EXPECT_EQ(text_of(apply(Filter{greater, 1.0}, {})), "");
}

TEST(Filter, Texts) {
  EXPECT_EQ(text_of(apply(Filter{equal, "alfa"}, texts_of("0:alfa 1:beta 2:alfa2"))), "1:beta 2:alfa2");
  EXPECT_EQ(text_of(apply(Filter{less, "b"}, texts_of("0:alfa 1:beta 2:b"))), "1:beta 2:b");
}

TEST(Filter, WhatCannotBeComparedGoes) {
  EXPECT_EQ(text_of(apply(Filter{equal, "15"}, points_of("0:15 1:16 2:null"))), "2:null");
  EXPECT_EQ(text_of(apply(Filter{not_equal, 15.0}, texts_of("0:15 1:x"))), "");
}

}  // namespace
}  // namespace varve::aggregate
