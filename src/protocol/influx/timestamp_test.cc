// SPDX-License-Identifier: Apache-2.0
#include "protocol/influx/timestamp.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <utility>

namespace varve::protocol::influx {
namespace {

__extension__ typedef __int128 Wide;

// How many milliseconds `count` units are, rounded down; `per_ms` units are one where that is not 0.
Wide ms_of(std::int64_t count, std::int64_t unit_ms, std::int64_t per_ms) {
  if (per_ms == 0) return Wide{count} * unit_ms;
  return count / per_ms - (count % per_ms < 0 ? 1 : 0);
}

void expect_as_computed(Precision precision, std::int64_t count, Wide ms) {
  const bool is_time = ms >= model::kTimestampMin && ms <= model::kTimestampMax;
  const std::string text = std::to_string(count);
  TimeReader reader(precision, 7);
  const auto read = reader.read(text);
  ASSERT_EQ(read.has_value(), is_time) << text;
  if (is_time) {
    EXPECT_EQ(*read, static_cast<model::Timestamp>(ms)) << text;
  }
  char line[128] = {};
  std::memcpy(line, (" " + text + "\n").data(), text.size() + 2);
  model::Timestamp fast = 0;
  if (reader.read_end(line, fast) != nullptr) {
    ASSERT_TRUE(is_time) << text;
    EXPECT_EQ(fast, static_cast<model::Timestamp>(ms)) << text;
  } else {
    EXPECT_TRUE(!is_time || count == INT64_MIN) << text;
  }
}

// As computed in 128 bits, at the ends of the numbers, of the times and anywhere else.
TEST(TimeReader, EveryPrecisionAtTheEnds) {
  struct Unit {
    Precision precision;
    std::int64_t ms, per_ms;
  };
  std::mt19937_64 random(9);
  for (const Unit unit : {Unit{Precision::ns, 0, 1'000'000},
                          {Precision::us, 0, 1000},
                          {Precision::ms, 1, 0},
                          {Precision::s, 1000, 0},
                          {Precision::m, 60'000, 0},
                          {Precision::h, 3'600'000, 0}}) {
    const auto look = [&](std::int64_t count) {
      expect_as_computed(unit.precision, count, ms_of(count, unit.ms, unit.per_ms));
    };
    for (std::int64_t off = -2; off <= 2; ++off) {
      look(off);
      if (off <= 0) look(INT64_MAX + off);
      if (off >= 0) look(INT64_MIN + off);
      for (const model::Timestamp end : {model::kTimestampMin, model::kTimestampMax}) {
        if (unit.ms != 0) look(end / unit.ms + off);
        if (unit.per_ms == 1000) look(end * unit.per_ms + off);
      }
    }
    for (int i = 0; i < 1000; ++i) look(static_cast<std::int64_t>(random()) >> random() % 64);
  }
}

}  // namespace
}  // namespace varve::protocol::influx
