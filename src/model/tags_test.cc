// SPDX-License-Identifier: Apache-2.0
#include "model/tags.h"

#include <gtest/gtest.h>

#include "model/tenant.h"
#include "model/time.h"

namespace varve::model {
namespace {

TEST(Normalize, SortsByTheBytesOfTheKey) {
  TagViews tags{{"b", "1"}, {"\xc3\xa4", "2"}, {"B", "3"}, {"a", "4"}, {"aa", "5"}};
  ASSERT_TRUE(normalize(tags));
  EXPECT_EQ(tags, (TagViews{{"B", "3"}, {"a", "4"}, {"aa", "5"}, {"b", "1"}, {"\xc3\xa4", "2"}}));
  TagViews none;
  EXPECT_TRUE(normalize(none));
}

TEST(Normalize, NamesTheBadTag) {
  const struct {
    TagViews tags;
    std::string_view says;
  } cases[] = {
      {{{"", "v"}}, "empty name"},
      {{{"host", ""}}, "'host' has an empty value"},
      {{{"b", "1"}, {"a", "2"}, {"b", "1"}}, "'b' stands twice"},
  };
  for (auto [tags, says] : cases) {
    const auto status = normalize(tags);
    ASSERT_FALSE(status) << says;
    EXPECT_EQ(status.error().code, Code::invalid);
    EXPECT_NE(status.error().message.find(says), std::string::npos) << status.error().message;
  }
}

TEST(CheckLimits, EachLimitIsTheLastThatFits) {
  const TagLimits limits{2, 5, 3, 4};
  EXPECT_TRUE(check_limits("12345", {{"abc", "1234"}, {"b", "2"}}, limits));
  const struct {
    std::string_view metric;
    TagViews tags;
    std::string_view says;
  } cases[] = {
      {"", {}, "metric name is empty"},
      {"123456", {}, "metric name has 6 bytes; at most 5"},
      {"m", {{"a", "1"}, {"b", "1"}, {"c", "1"}}, "3 tags; at most 2"},
      {"m", {{"abcd", "1"}}, "tag name has 4 bytes; at most 3"},
      {"m", {{"a", "1"}, {"abc", "12345"}}, "'abc' has 5 bytes; at most 4"},
  };
  for (const auto& [metric, tags, says] : cases) {
    const auto status = check_limits(metric, tags, limits);
    ASSERT_FALSE(status) << says;
    EXPECT_EQ(status.error().code, Code::invalid);
    EXPECT_NE(status.error().message.find(says), std::string::npos) << status.error().message;
  }
}

TEST(Tags, OwnAndView) {
  const TagViews views{{"a", "1"}, {"b", "2"}};
  const Tags tags = to_tags(views);
  EXPECT_EQ(tags, (Tags{{"a", "1"}, {"b", "2"}}));
  EXPECT_EQ(to_views(tags), views);
}

TEST(TenantName, IsOneTo64OfFewCharacters) {
  for (const std::string& good :
       {std::string("a"), std::string("Blue.team_2-x"), std::string(64, 'z'), std::string("..a")}) {
    EXPECT_TRUE(is_tenant_name(good)) << good;
  }
  for (const std::string& bad :
       {std::string(), std::string("."), std::string(".."), std::string(65, 'z'), std::string("a b"),
        std::string("a/b"), std::string("\xc3\xa4"), std::string("a\0", 2), std::string("a\n"), std::string("%41")}) {
    EXPECT_FALSE(is_tenant_name(bad)) << bad;
  }
}

TEST(WindowStart, IsTheFloorAlsoBelowZero) {
  const struct {
    Timestamp time, width, start;
  } cases[] = {{0, 10, 0},
               {9, 10, 0},
               {10, 10, 10},
               {-1, 10, -10},
               {-10, 10, -10},
               {-11, 10, -20},
               {-7, 1, -7},
               {1'700'000'123'456, 3'600'000, 1'699'999'200'000},
               {kTimestampMin, 3'600'000, -9'007'199'254'800'000}};
  for (const auto& [time, width, start] : cases) {
    EXPECT_EQ(window_start(time, width), start) << time;
    EXPECT_LE(window_start(time, width), time);
    EXPECT_GT(window_start(time, width) + width, time);
  }
}

TEST(TimeRange, IsHalfOpen) {
  const TimeRange range{10, 20};
  EXPECT_TRUE(range.contains(10));
  EXPECT_FALSE(range.contains(20));
  EXPECT_TRUE(range.overlaps({19, 30}));
  EXPECT_FALSE(range.overlaps({20, 30}));
  EXPECT_FALSE(range.overlaps({0, 10}));
  EXPECT_TRUE((TimeRange{5, 5}).empty());
  EXPECT_FALSE(range.empty());
  EXPECT_TRUE(TimeRange{}.contains(kTimestampMin));
  EXPECT_TRUE(TimeRange{}.contains(kTimestampMax));
}

std::string cleaned(TagViews tags, const TagLimits& limits) {
  clean(tags, limits);
  std::string out;
  for (const TagView& tag : tags) out.append(tag.key).append("=").append(tag.value).append(",");
  return out;
}

TEST(Clean, LongValues) {
  const TagViews tags{{"host", "this-is-tag-with-invalid-length"}, {"os", "linux"}, {"ten", "0123456789"}};
  TagLimits limits;
  limits.value_bytes_max = 10;
  EXPECT_FALSE(limits.cleans());
  EXPECT_EQ(cleaned(tags, limits), "host=this-is-tag-with-invalid-length,os=linux,ten=0123456789,");
  limits.long_value = LongValue::exclude;
  EXPECT_TRUE(limits.cleans());
  EXPECT_EQ(cleaned(tags, limits), "os=linux,ten=0123456789,");
  limits.long_value = LongValue::truncate;
  EXPECT_EQ(cleaned(tags, limits), "host=this-is-ta,os=linux,ten=0123456789,");
}

TEST(Clean, CharactersStayWhole) {
  TagLimits limits;
  limits.long_value = LongValue::truncate;
  limits.value_bytes_max = 4;
  EXPECT_EQ(cleaned({{"a", "abcé"}, {"b", "éé"}, {"c", "€€"}, {"d", "ab€"}}, limits), "a=abc,b=éé,c=€,d=ab,");
  limits.value_bytes_max = 2;
  EXPECT_EQ(cleaned({{"c", "€"}, {"d", "x€"}}, limits), "d=x,");  // not even one fits
}

TEST(Clean, ExcludedKeys) {
  TagLimits limits;
  limits.excluded_keys = {"pid", "nope"};
  EXPECT_TRUE(limits.cleans());
  EXPECT_EQ(cleaned({{"host", "a"}, {"pid", "7"}}, limits), "host=a,");
  EXPECT_EQ(cleaned({{"PID", "7"}}, limits), "PID=7,");
  EXPECT_EQ(cleaned({{"pid", "7"}}, limits), "");
}

}  // namespace
}  // namespace varve::model
