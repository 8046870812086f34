// SPDX-License-Identifier: Apache-2.0
#include "model/instant.h"

#include <gtest/gtest.h>

namespace varve::model {
namespace {

constexpr InstantForm kPlain;
constexpr InstantForm kYears{.any_year = true};
constexpr InstantForm kOffsets{.short_offset = true};
constexpr InstantForm kFractions{.any_fraction = true};

// As it is written, or "none".
std::string read(std::string_view text, InstantForm form = kPlain) {
  const auto t = parse_instant(text, form);
  return t ? instant(*t) : "none";
}

TEST(Instant, Written) {
  EXPECT_EQ(instant(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(instant(-1), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(instant(951'782'400'000), "2000-02-29T00:00:00Z");
  EXPECT_EQ(instant(-62'167'219'200'000), "0000-01-01T00:00:00Z");
  EXPECT_EQ(instant(-62'167'219'200'001), "-0001-12-31T23:59:59.999Z");
  EXPECT_EQ(instant(253'402'300'800'000), "+10000-01-01T00:00:00Z");
}

TEST(Instant, ReadInEveryForm) {
  for (const InstantForm form : {kPlain, kYears, kOffsets, kFractions}) {
    EXPECT_EQ(read("2020-11-10T14:24:35Z", form), "2020-11-10T14:24:35Z");
    EXPECT_EQ(read("2020-11-10t14:24z", form), "2020-11-10T14:24:00Z");
    EXPECT_EQ(read("2020-11-10T14:24:35.25Z", form), "2020-11-10T14:24:35.250Z");
    EXPECT_EQ(read("2020-11-10T14:24:35.123456789Z", form), "2020-11-10T14:24:35.123Z");
    EXPECT_EQ(read("2020-11-10T14:24:35+05:30", form), "2020-11-10T08:54:35Z");
    EXPECT_EQ(read("2020-11-10T14:24:35-18:59", form), "2020-11-11T09:23:35Z");
    EXPECT_EQ(read("2020-02-29T00:00:00Z", form), "2020-02-29T00:00:00Z");
    EXPECT_EQ(read("0000-01-01T00:00:00Z", form), "0000-01-01T00:00:00Z");
  }
}

TEST(Instant, ReadInNoForm) {
  for (const auto* text : {"",
                           "2020-11-10",
                           "2020-11-10T",
                           "2020-11-10T14Z",
                           "2020-11-10T14:24:35",
                           "2020-11-10 14:24:35Z",
                           "2020-11-10T14:24:35Z ",
                           "2020-11-10T14:24:35.Z",
                           "2020-11-10T14:24:60Z",
                           "2020-11-10T24:00:00Z",
                           "2020-11-10T14:60:00Z",
                           "2020-13-10T14:24:35Z",
                           "2020-00-10T14:24:35Z",
                           "2020-11-31T14:24:35Z",
                           "2021-02-29T14:24:35Z",
                           "2020-11-00T14:24:35Z",
                           "1900-02-29T00:00:00Z",
                           "20-11-10T14:24:35Z",
                           "2020-1-10T14:24:35Z",
                           "2020-11-10T14:24:35+19:00",
                           "2020-11-10T14:24:35+01:60",
                           "2020-11-10T14:24:35+1:00",
                           "2020-11-10T14:24:35+01:",
                           "20201-11-10T14:24:35Z",
                           "2020/11/10T14:24:35Z"}) {
    for (const InstantForm form : {kPlain, kYears, kOffsets, kFractions}) EXPECT_EQ(read(text, form), "none") << text;
  }
}

TEST(Instant, ReadInSomeForms) {
  struct Case {
    const char* text;
    InstantForm form;
    const char* want;
  };
  const Case cases[] = {
      {"+12345-01-02T00:00:00Z", kYears, "+12345-01-02T00:00:00Z"},
      {" 12345-01-02T00:00:00Z", kYears, "+12345-01-02T00:00:00Z"},
      {"-0001-02-29T00:00:00Z", kYears, "none"},
      {"-0004-02-29T00:00:00Z", kYears, "-0004-02-29T00:00:00Z"},
      {"-283457-03-21T15:00:59Z", kYears, "-283457-03-21T15:00:59Z"},
      {"+287396-10-12T08:59:00Z", kYears, "+287396-10-12T08:59:00Z"},
      {"2020-11-10T14:24:35+0130", kOffsets, "2020-11-10T12:54:35Z"},
      {"2020-11-10T14:24:35-02", kOffsets, "2020-11-10T16:24:35Z"},
      {"2020-11-10T14:24:35 01:00", kOffsets, "2020-11-10T13:24:35Z"},
      {"2020-11-10T14:24:35.1234567891Z", kFractions, "2020-11-10T14:24:35.123Z"},
      {"2020-11-10T14:24.5Z", kFractions, "2020-11-10T14:24:00.500Z"},
  };
  for (const Case& one : cases) {
    EXPECT_EQ(read(one.text, one.form), one.want) << one.text;
    EXPECT_EQ(read(one.text), "none") << one.text;
  }
}

}  // namespace
}  // namespace varve::model
