// SPDX-License-Identifier: Apache-2.0
#include "counter/unknown.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "counter/walk.h"

namespace varve::counter {
namespace {

constexpr std::int64_t kGapMs = 90'000;

Declaration of_32_bits(std::vector<Ceiling> ceilings = {}) {
  return {30'000, {.gap_ms = kGapMs, .fall = Fall::wrap32}, std::move(ceilings)};
}
Declaration of_64_bits() { return {30'000, {.gap_ms = kGapMs, .is_unsigned = true}}; }

TEST(UnknownTest, AnIncreaseIsKnownHoweverFastItIs) {
  EXPECT_FALSE(why_unknown({0, 5}, {30'000, 5}, of_64_bits()));
  EXPECT_FALSE(why_unknown({0, 0}, {1, std::numeric_limits<std::uint64_t>::max()}, of_64_bits()));
  EXPECT_FALSE(why_unknown({0, 0}, {1, 4294967295}, of_32_bits({{0, 1}}))) << "a speed is nominal";
}

TEST(UnknownTest, AGap) {
  EXPECT_FALSE(why_unknown({0, 5}, {kGapMs, 6}, of_64_bits()));
  EXPECT_EQ(why_unknown({0, 5}, {kGapMs + 1, 6}, of_64_bits()), WhyUnknown::gap);
  EXPECT_EQ(why_unknown({0, 6}, {kGapMs + 1, 5}, of_64_bits()), WhyUnknown::gap);
}

TEST(UnknownTest, AFall) {
  EXPECT_EQ(why_unknown({0, 6}, {30'000, 5}, of_64_bits()), WhyUnknown::fell);
  EXPECT_FALSE(why_unknown({0, 6}, {30'000, 5}, of_32_bits()));
  EXPECT_EQ(why_unknown({0, 5'000'000'000}, {30'000, 5}, of_32_bits()), WhyUnknown::fell) << "more than 32 bits";
}

TEST(UnknownTest, AFallThatTheSpeedForbids) {
  // 1000 in a second, over the end of the 32 bits; the speed changes at 20 s.
  const Sample<std::uint64_t> from{19'000, 4294967295 - 499}, to{20'000, 500};
  EXPECT_FALSE(why_unknown(from, to, of_32_bits({{0, 1000}})));
  EXPECT_EQ(why_unknown(from, to, of_32_bits({{0, 999}})), WhyUnknown::speed);
  EXPECT_FALSE(why_unknown(from, to, of_32_bits({{0, 1}, {20'000, 1000}})));
  EXPECT_FALSE(why_unknown(from, to, of_32_bits({{20'001, 1}}))) << "nothing was known of it then";
}

// What is unknown is what questions leave out.
TEST(UnknownTest, AgreesWithTheWalk) {
  std::mt19937_64 random(7);
  const Declaration declarations[] = {of_32_bits(), of_32_bits({{0, 1e5}, {60'000, 2e8}}), of_64_bits()};
  for (int round = 0; round < 20'000; ++round) {
    const Declaration& declaration = declarations[random() % 3];
    const auto value = [&] { return declaration.rules.is_unsigned ? random() : random() % 4294967296; };
    const Sample<std::uint64_t> from{static_cast<model::Timestamp>(random() % 1000), value()};
    const Sample<std::uint64_t> to{from.time + 1 + static_cast<model::Timestamp>(random() % 120'000), value()};
    const Evidence evidence{declaration.rules, declaration.ceilings};
    LastSample last;
    std::size_t intervals = 0;
    for (const auto& sample : {from, to}) {
      walk(evidence, last, model::ValueType::long_, {&sample.time, 1}, {&sample.value, 1},
           [&](auto&&) { ++intervals; });
    }
    EXPECT_EQ(intervals, why_unknown(from, to, declaration) ? 0U : 1U) << round;
  }
}

}  // namespace
}  // namespace varve::counter
