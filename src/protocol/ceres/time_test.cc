// SPDX-License-Identifier: Apache-2.0
#include "protocol/ceres/time.h"

#include <gtest/gtest.h>

#include <random>

namespace varve::protocol::ceres {
namespace {

constexpr model::Timestamp kTimesReadAt = 1'617'192'000'000;  // 2021-03-31T12:00:00Z

std::string instant(model::Timestamp t) {
  std::string out;
  append_instant(out, t);
  return out;
}

// As an instant, or "error".
std::string read(std::string_view text, model::Timestamp now = kTimesReadAt) {
  const auto t = parse_time(text, now);
  return t ? instant(*t) : "error";
}

struct TimeCase {
  std::string_view text;
  std::string_view instant;
};

TEST(ParseTime, Forms) {
  const TimeCase cases[] = {
      {"2020-11-10T14:24:35Z", "2020-11-10T14:24:35Z"},
      {"2020-11-10t14:24:35z", "2020-11-10T14:24:35Z"},
      {"2020-11-10T14:24Z", "2020-11-10T14:24:00Z"},
      {"2020-11-10T14:24:35.5Z", "2020-11-10T14:24:35.500Z"},
      {"2020-11-10T14:24:35.658447900Z", "2020-11-10T14:24:35.658Z"},
      {"2020-11-10T14:24:35+01:00", "2020-11-10T13:24:35Z"},
      {"2020-11-10T14:24:35 01:00", "2020-11-10T13:24:35Z"},  // as it comes out of a URL
      {"2020-11-10T14:24:35-0530", "2020-11-10T19:54:35Z"},
      {"2020-11-10T00:24:35+02", "2020-11-09T22:24:35Z"},
      {"2020-02-29T00:00:00Z", "2020-02-29T00:00:00Z"},
      {"2000-02-29T23:59:59.999Z", "2000-02-29T23:59:59.999Z"},
      {"1969-12-31T23:59:59.250Z", "1969-12-31T23:59:59.250Z"},
      {"0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"},
      {"-0001-03-01T00:00:00Z", "-0001-03-01T00:00:00Z"},
      {"+12345-01-02T00:00:00Z", "+12345-01-02T00:00:00Z"},
      {"9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z"},
      // digits: up to 12 are seconds, 13 milliseconds
      {"1605094715", "2020-11-11T11:38:35Z"},
      {"1605094715000", "2020-11-11T11:38:35Z"},
      {"1605094715001", "2020-11-11T11:38:35.001Z"},
      {"0", "1970-01-01T00:00:00Z"},
      {"-1", "1969-12-31T23:59:59Z"},
      {"999999999999", "+33658-09-27T01:46:39Z"},
      {"1000000000000", "2001-09-09T01:46:40Z"},
      // relative to 2021-03-31T12:00:00Z
      {"250ms-ago", "2021-03-31T11:59:59.750Z"},
      {"1s-ago", "2021-03-31T11:59:59Z"},
      {"90m-ago", "2021-03-31T10:30:00Z"},
      {"24h-ago", "2021-03-30T12:00:00Z"},
      {"1d-ago", "2021-03-30T12:00:00Z"},
      {"2w-ago", "2021-03-17T12:00:00Z"},
      {"1n-ago", "2021-02-28T12:00:00Z"},  // there is no 31st
      {"13n-ago", "2020-02-29T12:00:00Z"},
      {"1y-ago", "2020-03-31T12:00:00Z"},
      {"0d-ago", "2021-03-31T12:00:00Z"},
  };
  for (const TimeCase& c : cases) EXPECT_EQ(read(c.text), c.instant) << c.text;
  EXPECT_EQ(read("1y-ago", 1'582'934'400'000), "2019-02-28T00:00:00Z");  // from the 29th of February
}

TEST(ParseTime, Wrong) {
  for (const std::string_view text : {"",
                                      " ",
                                      "now",
                                      "yesterday",
                                      "1ss-ago",
                                      "1-ago",
                                      "-ago",
                                      "s-ago",
                                      "-1s-ago",
                                      "1.5h-ago",
                                      "1s-Ago",
                                      "1S-ago",
                                      "1h ago",
                                      "99999999999999999999s-ago",
                                      "13:03:15.454+0530Z",
                                      "2020-11-10",
                                      "2020-11-10T14:24:35",
                                      "2020-13-10T14:24:35Z",
                                      "2020-00-10T14:24:35Z",
                                      "2021-02-29T00:00:00Z",
                                      "1900-02-29T00:00:00Z",
                                      "2020-11-31T00:00:00Z",
                                      "2020-11-00T00:00:00Z",
                                      "2020-11-10T24:00:00Z",
                                      "2020-11-10T14:60:00Z",
                                      "2020-11-10T14:24:60Z",
                                      "2020-11-10T14:24:35+19:00",
                                      "2020-11-10T14:24:35+1:00",
                                      "2020-11-10T14:24:35+01:60",
                                      "2020-11-10T14:24:35.Z",
                                      "2020-11-10T14:24:35.1234567890Z",
                                      "2020-11-10T14:24:35Zjunk",
                                      "20-11-10T14:24:35Z",
                                      "0x10",
                                      "1605094715.5",
                                      "-",
                                      "9007199254740993",
                                      "99999999999999999999",
                                      "+300000-01-01T00:00:00Z",
                                      "+1234567-01-01T00:00:00Z"}) {
    EXPECT_EQ(read(text), "error") << text;
  }
  EXPECT_TRUE(parse_time("1ss-ago", kTimesReadAt).error().message.starts_with("Invalid relative time format"));
  EXPECT_EQ(*parse_time("999999999y-ago", kTimesReadAt), model::kTimestampMin);  // as far back as there is time
}

TEST(ParseTime, ReadsWhatIsWritten) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20'000; ++i) {
    const auto t = static_cast<std::int64_t>(random() >> (10 + random() % 40)) * (random() % 2 == 0 ? 1 : -1);
    if (t < model::kTimestampMin || t > model::kTimestampMax) continue;
    const auto back = parse_time(instant(t), kTimesReadAt);
    ASSERT_TRUE(back) << instant(t);
    ASSERT_EQ(*back, t) << instant(t);
  }
  // Each day around the turns of centuries follows the one before.
  for (const model::Timestamp start :
       {-62'100'000'000'000LL, -2'210'000'000'000LL, 946'600'000'000LL, 4'100'000'000'000LL}) {
    for (model::Timestamp day = 0; day < 1000; ++day) {
      const model::Timestamp t = start + day * 86'400'000;
      ASSERT_EQ(*parse_time(instant(t), kTimesReadAt), t);
      ASSERT_LT(instant(t), instant(t + 86'400'000));
    }
  }
}

TEST(ParseGranularity, Forms) {
  const auto ms = [](std::string_view text) { return parse_granularity(text).value_or(-1); };
  EXPECT_EQ(ms("PT5M"), 300'000);
  EXPECT_EQ(ms("pt1m"), 60'000);
  EXPECT_EQ(ms("PT1H30M"), 5'400'000);
  EXPECT_EQ(ms("P1D"), 86'400'000);
  EXPECT_EQ(ms("P1DT12H"), 129'600'000);
  EXPECT_EQ(ms("P2W"), 1'209'600'000);
  EXPECT_EQ(ms("PT0.5S"), 500);
  EXPECT_EQ(ms("PT90S"), 90'000);
  EXPECT_EQ(ms("5m"), 300'000);
  EXPECT_EQ(ms("250ms"), 250);
  EXPECT_EQ(ms("1h"), 3'600'000);
  EXPECT_EQ(ms("2d"), 172'800'000);
  EXPECT_EQ(ms("1w"), 604'800'000);
  for (const std::string_view text : {"",
                                      "P",
                                      "PT",
                                      "P1DT",
                                      "PT5",
                                      "5",
                                      "m",
                                      "PT5M1H",
                                      "PT5M5M",
                                      "PT1.5H",
                                      "PT0S",
                                      "0m",
                                      "-5m",
                                      "PT-5M",
                                      "P1M",
                                      "P1Y",
                                      "1n",
                                      "1y",
                                      "5x",
                                      "5 m",
                                      "PT5M ",
                                      "PT99999999999999999999H",
                                      "999999999999999h",
                                      "PT0.0001S",
                                      "1D12H"}) {
    EXPECT_EQ(ms(text), -1) << text;
  }
  EXPECT_TRUE(parse_granularity("7x").error().message.starts_with("Unknown downsample granularity: '7x'"));
}

TEST(GranularityText, AsJavaWritesDurations) {
  EXPECT_EQ(granularity_text(300'000), "PT5M");
  EXPECT_EQ(granularity_text(3'600'000), "PT1H");
  EXPECT_EQ(granularity_text(86'400'000), "PT24H");
  EXPECT_EQ(granularity_text(5'400'000), "PT1H30M");
  EXPECT_EQ(granularity_text(500), "PT0.5S");
  EXPECT_EQ(granularity_text(61'025), "PT1M1.025S");
}

}  // namespace
}  // namespace varve::protocol::ceres
