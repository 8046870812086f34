// SPDX-License-Identifier: Apache-2.0
#include "counter/options.h"

#include <gtest/gtest.h>

namespace varve::counter {
namespace {

TEST(Options, OfACounterThatNobodyKnows) {
  EXPECT_EQ(rules_of({}, std::nullopt), (Rules{.gap_ms = 900'000}));
  EXPECT_EQ(rules_of({.max_gap_ms = 5}, std::nullopt).gap_ms, 5);
  EXPECT_EQ(rules_of({.is_32_bits = true}, std::nullopt).fall, Fall::wrap32);
  EXPECT_EQ(rules_of({.from_zero = true}, std::nullopt).fall, Fall::from_zero);
  EXPECT_EQ(rules_of({.is_32_bits = true, .from_zero = true}, std::nullopt).fall, Fall::wrap32);
  EXPECT_EQ(rules_of({.is_32_bits = false, .from_zero = true}, std::nullopt).fall, Fall::from_zero);
  EXPECT_EQ(rules_of({.max_per_second = 7.5}, std::nullopt).max_per_second, 7.5);
}

TEST(Options, WhatIsNotSaidIsAsDeclared) {
  const Declaration own{30'000, {.gap_ms = 90'000, .fall = Fall::wrap32, .max_per_second = 9, .is_unsigned = true}};
  EXPECT_EQ(rules_of({}, own), own.rules);
  EXPECT_EQ(rules_of({.max_gap_ms = 90'000, .is_32_bits = true, .max_per_second = 9}, own), own.rules);
  const Rules said = rules_of({.max_gap_ms = 1, .is_32_bits = false, .max_per_second = 2}, own);
  EXPECT_EQ(said, (Rules{.gap_ms = 1, .fall = Fall::unknown, .max_per_second = 2, .is_unsigned = true}));
  EXPECT_EQ(rules_of({.from_zero = false}, own), own.rules) << "of 32 bits nobody asks that";
}

}  // namespace
}  // namespace varve::counter
