// SPDX-License-Identifier: Apache-2.0
#include "protocol/ceres/query.h"

#include <gtest/gtest.h>

namespace varve::protocol::ceres {
namespace {

constexpr model::Timestamp kAskedAt = 1'700'000'000'000;
using Parameters = std::vector<Parameter>;

Result<Query> parse(Parameters parameters, std::string_view tenant = "t-1") {
  return parse_query(parameters, tenant, kAskedAt);
}

// With metricName and start, and these.
std::string query_error(Parameters more) {
  more.insert(more.begin(), {{"metricName", "m"}, {"start", "1h-ago"}});
  const auto query = parse(more);
  return query ? "no error" : query.error().message;
}

std::string tags(std::initializer_list<std::string_view> texts) {
  TagPairs pairs;
  for (const std::string_view text : texts) {
    if (const auto status = parse_tags(text, pairs); !status) return "error: " + status.error().message;
  }
  std::string out;
  for (const auto& [key, value] : pairs) out += "[" + key + "|" + value + "]";
  return out;
}

TEST(ParseCeresQuery, Whole) {
  const auto query = parse({{"metricName", "cpu"},
                            {"tag", "os=linux"},
                            {"tag", "host=h-1"},
                            {"aggregator", "avg"},
                            {"granularity", "PT5M"},
                            {"start", "1d-ago"},
                            {"end", "1699999999"}});
  ASSERT_TRUE(query) << query.error().message;
  EXPECT_EQ(query->metric_name, "cpu");
  EXPECT_EQ(query->metric_group, "");
  EXPECT_EQ(query->tags, (TagPairs{{"os", "linux"}, {"host", "h-1"}}));
  EXPECT_EQ(query->aggregator, "avg");
  EXPECT_EQ(query->granularity_ms, 300'000);
  EXPECT_EQ(query->range, (model::TimeRange{kAskedAt - 86'400'000, 1'699'999'999'000}));
}

TEST(ParseCeresQuery, Defaults) {
  const auto query = parse({{"metricGroup", "CPU"}, {"start", "0"}});
  ASSERT_TRUE(query) << query.error().message;
  EXPECT_EQ(query->metric_group, "CPU");
  EXPECT_EQ(query->aggregator, "raw");
  EXPECT_EQ(query->granularity_ms, 0);
  EXPECT_EQ(query->range, (model::TimeRange{0, kAskedAt}));
  EXPECT_TRUE(query->tags.empty());
  EXPECT_TRUE(parse({{"metricName", "m"}, {"metricGroup", " "}, {"start", "0"}}));
  EXPECT_EQ(parse({{"metricName", "m"}, {"granularity", "5m"}, {"start", "0"}})->granularity_ms, 0);
  EXPECT_TRUE(parse({{"metricName", "m"}, {"start", "0"}, {"tenant", "t-1"}}));
}

TEST(ParseCeresQuery, Errors) {
  EXPECT_EQ(query_error({{"metricGroup", "g"}}), "Either metricName or metricGroup must be given, and not both");
  EXPECT_FALSE(parse({{"start", "0"}}));
  EXPECT_FALSE(parse({{"metricName", " "}, {"start", "0"}}));
  EXPECT_EQ(parse({{"metricName", "m"}}).error().message, "Required parameter 'start' is not present");
  EXPECT_EQ(query_error({{"aggregator", "AVG"}}),
            "the aggregator 'AVG' is none of raw, min, max, sum, avg, count, increase, counter_rate");
  EXPECT_EQ(query_error({{"aggregator", ""}}),
            "the aggregator '' is none of raw, min, max, sum, avg, count, increase, counter_rate");
  EXPECT_TRUE(query_error({{"aggregator", "min"}, {"granularity", "x"}}).starts_with("Unknown downsample granularity"));
  EXPECT_TRUE(query_error({{"granularity", "x"}}).starts_with("Unknown downsample granularity"));
  EXPECT_TRUE(query_error({{"end", "1ss-ago"}}).starts_with("Invalid relative time format"));
  EXPECT_EQ(query_error({{"end", "2h-ago"}}), "the end lies before the start");
  EXPECT_EQ(query_error({{"tags", "os=linux"}}).substr(0, 33), "there is no parameter 'tags' here");
  EXPECT_EQ(query_error({{"start", "1"}}), "the parameter start stands twice");
  EXPECT_TRUE(query_error({{"tenant", "t-2"}}).starts_with("the parameter tenant cannot choose a tenant"));
  EXPECT_TRUE(query_error({{"maskTenantId", "t-2"}}).starts_with("the parameter maskTenantId cannot"));
  EXPECT_EQ(query_error({{"tag", "os"}}), "tag 'os' is not key=value");
}

TEST(ParseCeresTags, Forms) {
  EXPECT_EQ(tags({}), "");
  EXPECT_EQ(tags({""}), "");
  EXPECT_EQ(tags({"os=linux"}), "[os|linux]");
  EXPECT_EQ(tags({"os=linux,deployment=dev,host=h-1,"}), "[os|linux][deployment|dev][host|h-1]");
  EXPECT_EQ(tags({"os=linux", "host=h-1"}), "[os|linux][host|h-1]");
  EXPECT_EQ(tags({"os=linux,dc=x", "host=h-1"}), "[os|linux][dc|x][host|h-1]");
  EXPECT_EQ(tags({",,os=linux,,dc=x,,"}), "[os|linux][dc|x]");
  EXPECT_EQ(tags({"expr=a=b"}), "[expr|a=b]");
  EXPECT_EQ(tags({"expr=a=b,host=h"}), "[expr|a=b][host|h]");
  EXPECT_EQ(tags({"list=a,b,c"}), "[list|a,b,c]");
  EXPECT_EQ(tags({"list=a,b,host=h"}), "[list|a,b][host|h]");
  EXPECT_EQ(tags({"os=", ""}), "error: tag 'os' has no value");
  EXPECT_EQ(tags({"=linux"}), "error: tag '=linux' has no key");
  EXPECT_EQ(tags({"linux"}), "error: tag 'linux' is not key=value");
  EXPECT_EQ(tags({"os=linux,os=bsd"}), "error: tag 'os' stands twice");
  EXPECT_EQ(tags({"os=linux", "os=linux"}), "error: tag 'os' stands twice");
}

TEST(CeresPaging, Parts) {
  const auto part = [](Parameters parameters, std::size_t size) {
    const auto paging = paging_of(parameters);
    if (!paging) return std::string("error");
    const auto [first, last] = paging->part(size);
    return std::to_string(first) + "-" + std::to_string(last);
  };
  EXPECT_EQ(part({}, 5), "0-5");
  EXPECT_EQ(part({{"limit", "2"}}, 5), "0-2");
  EXPECT_EQ(part({{"offset", "4"}, {"limit", "2"}}, 5), "4-5");
  EXPECT_EQ(part({{"offset", "9"}}, 5), "5-5");
  EXPECT_EQ(part({{"limit", "18446744073709551615"}}, 5), "0-5");
  for (const char* bad : {"", "-1", "x", "1.5", "99999999999999999999999"})
    EXPECT_EQ(part({{"limit", bad}}, 5), "error");
}

}  // namespace
}  // namespace varve::protocol::ceres
