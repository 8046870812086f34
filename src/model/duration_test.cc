// SPDX-License-Identifier: Apache-2.0
#include "model/duration.h"

#include <gtest/gtest.h>

#include <string>

#include "model/time.h"

namespace varve::model {
namespace {

std::string parsed(std::string_view text) {
  const auto duration = parse_duration(text);
  if (!duration) return "none";
  return std::to_string(duration->count) + "*" + std::to_string(static_cast<int>(duration->unit));
}

TEST(Duration, Parsed) {
  EXPECT_EQ(parsed("500ms"), "500*0");
  EXPECT_EQ(parsed("1s"), "1*1");
  EXPECT_EQ(parsed("15m"), "15*2");
  EXPECT_EQ(parsed("0h"), "0*3");
  EXPECT_EQ(parsed("007d"), "7*4");
  EXPECT_EQ(parsed("2w"), "2*5");
  EXPECT_EQ(parsed("3n"), "3*6");
  EXPECT_EQ(parsed("4y"), "4*7");
  EXPECT_EQ(parsed("-1m"), "-1*2");
  EXPECT_EQ(parsed("9223372036854775807ms"), "9223372036854775807*0");
  for (const auto* text : {"", "m", "1", "1M", "1 m", " 1m", "+1m", "1.5m", "1mm", "1m ", "9223372036854775808ms"}) {
    EXPECT_EQ(parsed(text), "none") << text;
  }
}

TEST(Duration, InMilliseconds) {
  EXPECT_EQ(duration_ms({500, TimeUnit::milliseconds}), 500);
  EXPECT_EQ(duration_ms({2, TimeUnit::weeks}), 14 * kDayMs);
  EXPECT_EQ(duration_ms({2, TimeUnit::months}), 60 * kDayMs);
  EXPECT_EQ(duration_ms({-1, TimeUnit::years}), -365 * kDayMs);
  EXPECT_EQ(duration_ms({std::int64_t{1} << 60, TimeUnit::seconds}), std::nullopt);
}

}  // namespace
}  // namespace varve::model
