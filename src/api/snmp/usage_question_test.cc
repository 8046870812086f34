// SPDX-License-Identifier: Apache-2.0
#include "api/snmp/usage_question.h"

#include <gtest/gtest.h>

#include "http/url.h"

namespace varve::api {
namespace {

constexpr model::Timestamp kUsageNow = 1'000'000'999;

Result<UsageQuestion> usage_question(const std::string& parameters) {
  Request request;
  EXPECT_TRUE(http::parse_target("/usage?" + parameters, request.path, request.query)) << parameters;
  return read_usage_question(request, kUsageNow);
}

std::string range_asked(const std::string& parameters) {
  const auto question = usage_question(parameters);
  if (!question) return question.error().message;
  return std::to_string(question->range.first) + " " + std::to_string(question->range.last);
}

TEST(UsageQuestion, range) {
  const std::string begin = "begin is a time in whole seconds since 1970", end = "end" + begin.substr(5);
  EXPECT_EQ(range_asked(""), "913600000 1000000000") << "the last day";
  EXPECT_EQ(range_asked("begin=1&end=2"), "1000 2000");
  EXPECT_EQ(range_asked("begin=-2"), "-2000 1000000000");
  EXPECT_EQ(range_asked("end=86401"), "1000 86401000");
  EXPECT_EQ(range_asked("begin=2&end=2"), "begin is before end");
  EXPECT_EQ(range_asked("begin=3&end=2"), "begin is before end");
  for (const char* const text : {"", "x", "1.5", "1e3", "99999999999999999", "1 "}) {
    EXPECT_EQ(range_asked(std::string("begin=") + (*text == '1' && text[1] == ' ' ? "1%20" : text)), begin) << text;
  }
  EXPECT_EQ(range_asked("begin=1&end=now"), end);
}

TEST(UsageQuestion, isRead) {
  const auto question = usage_question(
      "device=a%2Fb&device=c&interface=xe-0%2F0%2F0&ifAlias__contains=to%20x&tag=site=oslo&tag=k=v=w&agg=30"
      "&sort=out.utilisation&limit=7&sum=1");
  ASSERT_TRUE(question) << question.error().message;
  EXPECT_EQ(question->devices, (std::vector<std::string>{"a/b", "c"}));
  EXPECT_EQ(question->interfaces, std::vector<std::string>{"xe-0/0/0"});
  EXPECT_EQ(question->alias_part, "to x");
  ASSERT_EQ(question->tags.size(), 2U);
  EXPECT_EQ(question->tags[1], (std::pair<std::string, std::string>{"k", "v=w"}));
  EXPECT_EQ(question->width_ms, 30'000);
  EXPECT_TRUE(question->sort && question->sort->by_out && question->sort->field == UsageField::utilisation);
  EXPECT_EQ(question->limit, 7U);
  EXPECT_TRUE(question->sum);
  EXPECT_EQ(usage_question("")->width_ms, 300'000);
  EXPECT_FALSE(usage_question("sum=0")->sum);
}

TEST(UsageQuestion, isRefused) {
  const std::pair<const char*, const char*> cases[] = {
      {"agg=0", "agg is at least a second"},
      {"agg=5m", "agg is a number from 0 to 31622400"},
      {"limit=-1", "limit is a number from 0 to 4294967295"},
      {"tag=site", "tag is written tag=key=value"},
      {"tag==x", "tag is written tag=key=value"},
      {"sort=p95", "sort is in or out, a dot, and bytes, average, max, p95 or utilisation, such as in.p95"},
      {"sort=in.p99", "sort is in or out, a dot, and bytes, average, max, p95 or utilisation, such as in.p95"},
      {"sort=sum.p95", "sort is in or out, a dot, and bytes, average, max, p95 or utilisation, such as in.p95"},
      {"ifAlias__icontains=x", "there is no parameter ifAlias__icontains"},
  };
  for (const auto& [parameters, message] : cases) {
    const auto question = usage_question(parameters);
    EXPECT_EQ(question ? "it is taken" : question.error().message, message) << parameters;
  }
}

}  // namespace
}  // namespace varve::api
