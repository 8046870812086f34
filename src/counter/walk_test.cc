// SPDX-License-Identifier: Apache-2.0
#include "counter/walk.h"

#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include "model/value.h"

namespace varve::counter {
namespace {

using model::Value;

struct Stored {
  model::Timestamp time;
  Value value;
};

// Each interval as begin-end:increase; real ones with an r.
std::string walked(const Evidence& evidence, std::initializer_list<Stored> samples) {
  std::ostringstream out;
  LastSample last;
  for (const Stored& sample : samples) {
    const std::uint64_t bits = sample.value.bits;
    walk(evidence, last, sample.value.type, {&sample.time, 1}, {&bits, 1}, [&](const auto& interval) {
      constexpr bool kReal = std::same_as<std::remove_cvref_t<decltype(interval.increase)>, double>;
      out << (out.tellp() == 0 ? "" : " ") << interval.begin << "-" << interval.end << ":" << interval.increase
          << (kReal ? "r" : "");
    });
  }
  return out.str();
}

Value whole(std::int64_t v) { return Value::of_long(v); }
Value real(double v) { return Value::of_double(v); }
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Walk, TypesMeet) {
  const Evidence evidence{{.gap_ms = 100}};
  EXPECT_EQ(walked(evidence, {{0, whole(5)}, {10, whole(7)}, {20, real(7.5)}, {30, real(8)}, {40, whole(10)}}),
            "0-10:2 10-20:0.5r 20-30:0.5r 30-40:2r");
  EXPECT_EQ(walked(evidence, {{0, whole(9007199254740993)}, {10, whole(9007199254740994)}}), "0-10:1") << "exact";
}

TEST(Walk, WhatIsNoNumberIsNotThere) {
  const Evidence evidence{{.gap_ms = 20}};
  EXPECT_EQ(walked(evidence, {{0, real(kNan)}, {10, real(1)}, {20, real(kNan)}, {30, real(2)}}), "10-30:1r");
  EXPECT_EQ(walked(evidence, {{0, whole(1)}, {10, real(kNan)}, {20, whole(4)}}), "0-20:3");
  EXPECT_EQ(walked(evidence, {{0, whole(1)}, {10, real(std::numeric_limits<double>::infinity())}, {30, whole(4)}}), "");
  EXPECT_EQ(walked(evidence, {{0, real(kNan)}}), "");
}

TEST(Walk, OneWildValueCostsTwoIntervals) {
  const Evidence evidence{{.gap_ms = 100, .max_per_second = 1000}};
  EXPECT_EQ(walked(evidence, {{0, whole(0)}, {10, whole(10)}, {20, whole(1000000)}, {30, whole(30)}, {40, whole(40)}}),
            "0-10:10 30-40:10");
}

TEST(Walk, All64Bits) {
  const Evidence evidence{{.gap_ms = 100, .is_unsigned = true}};
  EXPECT_EQ(walked(evidence, {{0, whole(INT64_MAX)}, {10, whole(INT64_MIN + 4)}, {20, whole(-1)}, {30, whole(0)}}),
            "0-10:5 10-20:9223372036854775803");
  EXPECT_EQ(walked({{.gap_ms = 100}}, {{0, whole(INT64_MAX)}, {10, whole(INT64_MIN + 4)}}), "");
  EXPECT_EQ(walked(evidence, {{0, real(1)}, {10, whole(INT64_MIN)}}), "0-10:9.22337e+18r");
}

TEST(Walk, BreaksAndCeilings) {
  const model::Timestamp breaks[] = {20};
  const Ceiling ceilings[] = {{15, 100}, {35, 1000}};
  const std::initializer_list<Stored> samples = {{0, whole(0)},   {10, whole(10)}, {20, whole(11)},
                                                 {30, whole(13)}, {40, whole(20)}, {50, whole(31)}};
  EXPECT_EQ(walked({{.gap_ms = 100}, {}, breaks}, samples), "0-10:10 20-30:2 30-40:7 40-50:11");
  EXPECT_EQ(walked({{.gap_ms = 100}, ceilings, {}}, samples), walked({{.gap_ms = 100}}, samples)) << "none fell";
  EXPECT_EQ(walked({{.gap_ms = 100, .fall = Fall::wrap32}, ceilings, {}}, {{0, whole(4294967290)},
                                                                           {10, whole(0)},
                                                                           {20, whole(4294967290)},
                                                                           {30, whole(1)},
                                                                           {40, whole(4294967291)},
                                                                           {50, whole(0)}}),
            "0-10:6 10-20:4294967290 30-40:4294967290 40-50:5")
      << "7 in 10 ms are more than 100 a second";
}

// However the samples are cut into calls.
TEST(Walk, PiecesDoNotMatter) {
  const std::vector<model::Timestamp> times{0, 10, 20, 30, 40};
  const std::vector<std::uint64_t> bits{1, 5, 5, 2, 9};
  const Evidence evidence{{.gap_ms = 100}};
  for (std::size_t cut = 0; cut <= times.size(); ++cut) {
    std::uint64_t all = 0;
    int count = 0;
    const auto put = [&](const auto& interval) {
      all += static_cast<std::uint64_t>(interval.increase);
      ++count;
    };
    LastSample last;
    const std::span<const model::Timestamp> all_times(times);
    const std::span<const std::uint64_t> all_bits(bits);
    walk(evidence, last, model::ValueType::long_, all_times.first(cut), all_bits.first(cut), put);
    walk(evidence, last, model::ValueType::long_, all_times.subspan(cut), all_bits.subspan(cut), put);
    EXPECT_EQ(all, 11U) << cut;
    EXPECT_EQ(count, 3) << cut;
  }
}

}  // namespace
}  // namespace varve::counter
