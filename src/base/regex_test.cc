// SPDX-License-Identifier: Apache-2.0
#include "base/regex.h"

#include <gtest/gtest.h>

#include <string>

namespace varve {
namespace {

bool matches(std::string_view expression, std::string_view value) { return Regex::compile(expression)->matches(value); }

std::string error_of(std::string_view expression) {
  const auto regex = Regex::compile(expression);
  return regex ? "" : regex.error().message;
}

TEST(Regex, matches_the_whole_value_and_its_dot_matches_everything) {
  EXPECT_TRUE(matches("a.c", "a\nc"));
  EXPECT_FALSE(matches("a", "ab"));
  EXPECT_TRUE(matches("", ""));
}

TEST(Regex, what_is_wrong_is_said_with_a_part_of_the_expression) {
  EXPECT_EQ(error_of("a("), "regular expression 'a(': missing ): a(");
  EXPECT_LT(error_of('(' + std::string(5'000'000, 'x')).size(), 500U);
}

TEST(Regex, one_that_takes_too_much_memory_is_refused_with_the_bound) {
  EXPECT_NE(error_of("(?i)\\pL{99}").find("1 MiB"), std::string::npos);
  EXPECT_TRUE(Regex::compile("(?i)\\pL{5}"));
}

TEST(Regex, a_check_says_whether_it_is_an_expression_and_not_how_large_it_is) {
  EXPECT_TRUE(Regex::check("a+"));
  EXPECT_TRUE(Regex::check("(?i)\\pL{99}"));
  EXPECT_FALSE(Regex::check("a("));
}

TEST(CapturingRegex, gives_what_its_groups_match) {
  const auto regex = *CapturingRegex::compile("(?P<host>[a-z]+)(-(x))?:(.*)");
  const auto groups = regex.groups("db:1\n2");
  ASSERT_TRUE(groups);
  EXPECT_EQ(*groups, (std::vector<std::string_view>{"db:1\n2", "db", "", "", "1\n2"}));
  EXPECT_EQ(regex.group("host"), 1U);
  EXPECT_EQ(regex.group("4"), 4U);
  EXPECT_EQ(regex.group("5"), std::nullopt);
  EXPECT_EQ(regex.group("port"), std::nullopt);
  EXPECT_FALSE(regex.groups("db"));
  EXPECT_FALSE(CapturingRegex::compile("("));
}

Status yes() { return {}; }

TEST(RegexMeter, a_value_that_takes_too_many_steps_fails_all) {
  const auto regex = *Regex::compile("[ab]*a[ab]{50}x|.*");
  const std::string value(1000, 'a');
  EXPECT_TRUE(regex.matches(value));
  const RegexMeter meter(yes, regex.steps(999));
  EXPECT_TRUE(regex.matches(std::string_view(value).substr(1)));
  EXPECT_TRUE(meter.status());
  EXPECT_FALSE(regex.matches(value));
  ASSERT_FALSE(meter.status());
  EXPECT_EQ(meter.status().error().code, Code::limit);
  EXPECT_FALSE(regex.matches("a"));
}

TEST(RegexMeter, asks_from_time_to_time_whether_to_go_on) {
  const auto regex = *Regex::compile("a*");
  const std::string value(100'000, 'a');
  int asked = 0;
  const RegexMeter meter([&] { return ++asked < 3 ? Status() : fail(Code::cancelled, "enough"); });
  int matched = 0;
  while (matched < 1'000'000 && regex.matches(value)) ++matched;
  EXPECT_EQ(asked, 3);
  EXPECT_GT(matched, 3);
  EXPECT_LT(matched, 1000);
  EXPECT_EQ(meter.status().error().message, "enough");
}

TEST(RegexMeter, the_inner_one_counts_and_the_outer_one_goes_on_behind_it) {
  const auto regex = *Regex::compile("a");
  const RegexMeter outer(yes);
  {
    const RegexMeter inner(yes, 1);
    EXPECT_FALSE(regex.matches("a"));
    EXPECT_FALSE(inner.status());
  }
  EXPECT_TRUE(regex.matches("a"));
  EXPECT_TRUE(outer.status());
}

}  // namespace
}  // namespace varve
