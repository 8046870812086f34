// SPDX-License-Identifier: Apache-2.0
#include "rollup/retention_classes.h"

#include <gtest/gtest.h>

namespace varve::rollup {
namespace {

constexpr std::int64_t kClassDay = 86'400'000;

RetentionRule rule_of(std::string_view conditions, std::int64_t days) {
  RetentionRule rule{.name = "c", .retention_ms = days * kClassDay};
  EXPECT_TRUE(read_retention_conditions(conditions, rule)) << conditions;
  return rule;
}

RetentionClasses classes_of(const std::vector<std::pair<std::string_view, std::int64_t>>& rules) {
  std::vector<RetentionRule> list;
  for (const auto& [conditions, days] : rules) list.push_back(rule_of(conditions, days));
  return RetentionClasses(std::move(list), {90 * kClassDay, {{300'000, 365 * kClassDay}, {kClassDay, kForEver}}});
}

std::string wrong(std::string_view conditions) {
  RetentionRule rule;
  const Status status = read_retention_conditions(conditions, rule);
  return status ? "" : status.error().message;
}

TEST(RetentionClasses, Conditions) {
  const auto rule = rule_of("tenant=acme&metric=debug.*&tag.host=a=b&tag.k=*", 1);
  using On = RetentionRule::Condition::On;
  const std::vector<RetentionRule::Condition> conditions = {{On::tenant, "", "acme", false},
                                                            {On::metric, "", "debug.", true},
                                                            {On::tag, "host", "a=b", false},
                                                            {On::tag, "k", "", true}};
  EXPECT_EQ(rule.conditions, conditions);
}

TEST(RetentionClasses, WhatIsWrongIsNamed) {
  const std::string needs = "needs conditions tenant=…, metric=… or tag.KEY=…, joined by &, not '";
  EXPECT_EQ(wrong(""), needs + "'");
  EXPECT_EQ(wrong("host=a"), needs + "host=a'");
  EXPECT_EQ(wrong("metric"), needs + "metric'");
  EXPECT_EQ(wrong("tag.=a"), needs + "tag.=a'");
  EXPECT_EQ(wrong("metric=a&"), needs + "'");
  EXPECT_EQ(wrong("metric=a & tenant=b"), needs + " tenant=b'");
  EXPECT_EQ(wrong("tenant="), "needs a value behind 'tenant='");
  EXPECT_EQ(wrong("metric=a&tag.host"), "needs a value behind 'tag.host='");
  for (const char* value : {"metric=*x", "metric=a*c", "metric=x**"}) {
    EXPECT_EQ(wrong(value), "can have one * only, at the end of a value: metric") << value;
  }
  EXPECT_EQ(wrong("tag.*=x"), "can have one * only, at the end of a value: tag.*");
  EXPECT_EQ(wrong("metric=~a.*"), "cannot have a regular expression: metric");
  EXPECT_EQ(wrong("tenant=.."), "names a tenant that cannot be: '..'");
  EXPECT_EQ(wrong("tenant=a b"), "names a tenant that cannot be: 'a b'");
  EXPECT_EQ(wrong("metric=x&tenant=t&metric=y"), "has two conditions on metric");
  EXPECT_EQ(wrong("tag.k=x&tag.k=x*"), "has two conditions on tag.k");
  EXPECT_EQ(wrong("tag.k=x&tag.l=x&tenant=*&metric=*"), "");
}

TEST(RetentionClasses, TheFirstThatFits) {
  const auto classes = classes_of({{"metric=debug.keep", 9}, {"metric=debug.*", 1}, {"tag.env=test&tenant=a*", 2}});
  const model::TagViews test = {{"env", "test"}, {"host", "x"}};
  EXPECT_EQ(classes.of("b", "debug.keep", {}), 1);
  EXPECT_EQ(classes.of("b", "debug.keep.not", {}), 2);
  EXPECT_EQ(classes.of("a", "debug", test), 3);
  EXPECT_EQ(classes.of("ab", "m", test), 3);
  EXPECT_EQ(classes.of("b", "m", test), RetentionClasses::kNone);
  EXPECT_EQ(classes.of("a", "m", {{"env", "tests"}}), RetentionClasses::kNone);
  EXPECT_EQ(classes.of("a", "m", {{"host", "test"}}), RetentionClasses::kNone);
  EXPECT_EQ(RetentionClasses().of("a", "m", test), RetentionClasses::kNone);
}

TEST(RetentionClasses, OneTimeForSamplesAndWindows) {
  const auto classes = classes_of({{"metric=short", 1}, {"metric=long", 1000}});
  EXPECT_EQ(classes.retention(0), (Retention{90 * kClassDay, {{300'000, 365 * kClassDay}, {kClassDay, kForEver}}}));
  EXPECT_EQ(classes.retention(1), (Retention{kClassDay, {{300'000, kClassDay}, {kClassDay, kClassDay}}}));
  EXPECT_EQ(classes.retention(2).longest_ms(), 1000 * kClassDay);
  EXPECT_EQ(classes.longest(), (Retention{1000 * kClassDay, {{300'000, 1000 * kClassDay}, {kClassDay, kForEver}}}));
  EXPECT_EQ(classes.shortest(), classes.retention(1));
}

// What cannot be of a tenant does not make its slots stay.
TEST(RetentionClasses, TheLongestOfATenant) {
  const auto classes = classes_of({{"tenant=a", 3}, {"tenant=b&metric=x", 200}, {"metric=y", 7}, {"tenant=c*", 5}});
  EXPECT_EQ(classes.longest_of("a"), classes.retention(1));
  EXPECT_EQ(classes.longest_of("b"), (Retention{200 * kClassDay, {{300'000, 365 * kClassDay}, {kClassDay, kForEver}}}));
  EXPECT_EQ(classes.longest_of("cc").longest_ms(), 7 * kClassDay);
  EXPECT_EQ(classes.longest_of("d"), classes.retention(0));
  EXPECT_FALSE(classes.differ_in("a"));
  EXPECT_TRUE(classes.differ_in("b"));
  EXPECT_TRUE(classes.differ_in("d")) << "its series may be called y";
}

TEST(RetentionClasses, AFingerprintTellsThemApart) {
  const auto print = [](const auto& rules) { return classes_of(rules).fingerprint(); };
  using Rules = std::vector<std::pair<std::string_view, std::int64_t>>;
  EXPECT_EQ(print(Rules{}), 0);
  EXPECT_EQ(print(Rules{{"metric=a", 1}}), print(Rules{{"metric=a", 1}}));
  EXPECT_NE(print(Rules{{"metric=a", 1}}), print(Rules{{"metric=a*", 1}}));
  EXPECT_NE(print(Rules{{"metric=a", 1}}), print(Rules{{"metric=a", 2}}));
  EXPECT_NE(print(Rules{{"metric=a", 1}, {"metric=b", 1}}), print(Rules{{"metric=b", 1}, {"metric=a", 1}}));
  EXPECT_GT(print(Rules{{"metric=a", 1}}), 0);
}

}  // namespace
}  // namespace varve::rollup
