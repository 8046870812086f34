// SPDX-License-Identifier: Apache-2.0
#include "aggregate/trim.h"

#include <gtest/gtest.h>

#include "aggregate/points_text.h"

namespace varve::aggregate {
namespace {

std::string trimmed(bool first, bool last, const Points& points) { return text_of(apply(Trim{first, last}, points)); }

TEST(Trim, TheEnds) {
  const Points three = points_of("0:10 1:20.5 2:null");
  EXPECT_EQ(trimmed(true, false, three), "1:20.5 2:null");
  EXPECT_EQ(trimmed(false, true, three), "0:10 1:20.5");
  EXPECT_EQ(trimmed(true, true, three), "1:20.5");
  EXPECT_EQ(trimmed(false, false, three), "0:10 1:20.5 2:null");
  EXPECT_EQ(trimmed(true, true, points_of("0:1 1:2")), "");
  EXPECT_EQ(trimmed(true, false, points_of("0:1")), "");
  EXPECT_EQ(trimmed(true, true, {}), "");
  EXPECT_EQ(trimmed(true, false, texts_of("0:a 1:b")), "1:b");
  EXPECT_EQ(apply(Trim{true, true}, texts_of("0:a")).type, model::ValueType::string);
}

}  // namespace
}  // namespace varve::aggregate
