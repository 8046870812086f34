// SPDX-License-Identifier: Apache-2.0
#include "tracker/redis/keys.h"

#include <gtest/gtest.h>

#include "tracker/redis/member_names.h"

namespace varve::tracker::redis {
namespace {

TEST(Keys, NumbersAreTakenOff) {
  struct Case {
    std::string_view text;
    std::optional<std::int64_t> number;
    std::string_view rest;
  };
  const std::vector<Case> cases = {
      {"1600000000000|name", 1'600'000'000'000, "name"},
      {"-3600000|x", -3'600'000, "x"},
      {"0|", 0, ""},
      {"1|2|3", 1, "2|3"},
      {"", std::nullopt, ""},
      {"|x", std::nullopt, "|x"},
      {"12", std::nullopt, "12"},
      {"12 |", std::nullopt, "12 |"},
      {"x|1", std::nullopt, "x|1"},
      {"99999999999999999999|", std::nullopt, "99999999999999999999|"},
  };
  for (const Case& one : cases) {
    std::string_view text = one.text;
    EXPECT_EQ(take_number(text), one.number) << one.text;
    EXPECT_EQ(text, one.rest);
  }
}

TEST(Keys, EntriesOfAnyBytes) {
  const std::string entry = entry_of(-3'600'000, std::string_view("|\0\n", 3));
  std::string_view text = entry;
  EXPECT_EQ(take_number(text), -3'600'000);
  EXPECT_EQ(text, std::string_view("|\0\n", 3));
}

TEST(Keys, ScoresAreReadyAndGeneration) {
  EXPECT_EQ(ready_of(1'600'000'000'000 * kScoresInMs), 1'600'000'000'000);
  EXPECT_EQ(ready_of(1'600'000'000'000 * kScoresInMs + 1023), 1'600'000'000'000);
  EXPECT_EQ(ready_of(-1), -1);
  EXPECT_EQ(ready_of(-1024), -1);
  EXPECT_EQ(clamp_ready(model::kTimestampMax), kReadyMax);
  // The greatest score, and a thousand touches on top of it, are exact as doubles.
  const std::int64_t score = kReadyMax * kScoresInMs + 1023 + 1000;
  EXPECT_LT(score, std::int64_t{1} << 53);
}

TEST(Keys, NumbersAsRedisWritesThem) {
  EXPECT_EQ(to_number("1600000000000000"), 1'600'000'000'000'000);
  EXPECT_EQ(to_number("1.6e+15"), 1'600'000'000'000'000);
  EXPECT_EQ(to_number("9007199254740991"), 9'007'199'254'740'991);
  EXPECT_EQ(to_number("-5"), -5);
  EXPECT_EQ(to_number(""), 0);
}

TEST(MemberNames, HashThenTenant) {
  model::SeriesSetHash hash;
  for (unsigned char i = 0; i < 16; ++i) hash.bytes[i] = i;
  const std::string name = member_name("tenant|1", hash);
  EXPECT_EQ(name.size(), 24U);
  const NameParts parts = split_name(name).value_or(NameParts{});
  EXPECT_EQ(parts.tenant, "tenant|1");
  EXPECT_EQ(parts.hash, hash);
  EXPECT_TRUE(split_name(member_name("", hash)));
  EXPECT_FALSE(split_name("fifteen bytes.."));
}

}  // namespace
}  // namespace varve::tracker::redis
