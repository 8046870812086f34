// SPDX-License-Identifier: Apache-2.0
#include "language/analytics/time.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace varve::language::analytics {
namespace {

constexpr std::int64_t kNow = 1'700'000'000'000'123;
constexpr std::int64_t kSecond = 1'000'000;

TEST(AnalyticsTime, Forms) {
  const struct {
    std::string_view text;
    std::int64_t time_us;
  } cases[] = {
      {"now", kNow},
      {"now-5h", kNow - 5 * 3600 * kSecond},
      {"now-120m", kNow - 120 * 60 * kSecond},
      {"now+3600s", kNow + 3600 * kSecond},
      {"now+2d", kNow + 2 * 86'400 * kSecond},
      {"now-0s", kNow},
      {"now-007s", kNow - 7 * kSecond},
      {"1488491800401440", 1'488'491'800'401'440},
      {"0", 0},
      {"-5", -5},
      {"9223372036854775807", std::numeric_limits<std::int64_t>::max()},
  };
  for (const auto& [text, time_us] : cases) EXPECT_EQ(parse_time(text, kNow).value_or(-1), time_us) << text;
}

TEST(AnalyticsTime, NothingElse) {
  for (const auto* bad : {"",
                          "now+2d2h",
                          "now+",
                          "now+2hours",
                          "now-2m2d",
                          "now+2minutes",
                          "4hours",
                          "now2d",
                          "now-d",
                          "now--2d",
                          "now+-2d",
                          "now- 2d",
                          " now",
                          "now ",
                          "NOW",
                          "now-2w",
                          "now-1.5h",
                          "now-2",
                          "-10m",
                          "+5",
                          "1e15",
                          "1.0",
                          "0x10",
                          "5us",
                          "tomorrow",
                          "2017 Mar 02",
                          "now-2D",
                          "now+9223372036854775807s",
                          "9223372036854775808",
                          "now+99999999999999d"}) {
    const auto time = parse_time(bad, kNow);
    ASSERT_FALSE(time) << bad;
    EXPECT_EQ(time.error().code, Code::invalid);
    EXPECT_EQ(time.error().message, "'" + std::string(bad) +
                                        "' is not a time: it is microseconds since 1970, now, or now with + or -, a "
                                        "number and one of s m h d");
  }
}

}  // namespace
}  // namespace varve::language::analytics
