// SPDX-License-Identifier: Apache-2.0
#include "write/watermarks.h"

#include <gtest/gtest.h>

namespace varve::write {
namespace {

constexpr int kNone = Watermarks::kNothing;

TEST(Watermarks, WithoutMarksNothingIsDropped) { EXPECT_EQ(Watermarks({}).update(100), kNone); }

TEST(Watermarks, EachMarkHoldsFromHighUntilBelowLow) {
  Watermarks marks({{85, 80, 7}, {90, 85, 6}, {95, 90, 3}});
  EXPECT_EQ(marks.update(84.9), kNone);
  EXPECT_EQ(marks.update(85), 7);
  EXPECT_EQ(marks.update(80), 7);
  EXPECT_EQ(marks.update(79.9), kNone);
  EXPECT_EQ(marks.update(84), kNone);  // it begins at its high again
  EXPECT_EQ(marks.update(96), 3);
  EXPECT_EQ(marks.update(90), 3);
  EXPECT_EQ(marks.update(89), 6);
  EXPECT_EQ(marks.update(84), 7);
  EXPECT_EQ(marks.update(0), kNone);
}

TEST(Watermarks, TheOrderOfMarksDoesNotMatter) {
  Watermarks marks({{95, 90, 3}, {85, 80, 7}});
  EXPECT_EQ(marks.update(97), 3);
  EXPECT_EQ(marks.update(89), 7);
}

TEST(Watermarks, EqualEndsAndZero) {
  Watermarks equal({{50, 50, 6}});
  EXPECT_EQ(equal.update(50), 6);
  EXPECT_EQ(equal.update(49), kNone);
  Watermarks always({{0, 0, 6}});
  EXPECT_EQ(always.update(0), 6);
}

}  // namespace
}  // namespace varve::write
