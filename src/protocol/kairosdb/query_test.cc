// SPDX-License-Identifier: Apache-2.0
#include "protocol/kairosdb/query.h"

#include <gtest/gtest.h>

namespace varve::protocol::kairosdb {
namespace {

constexpr model::Timestamp kNow = 1'700'000'000'000;

std::string error_of(std::string_view json) {
  const auto query = parse_query(json, kNow);
  return query ? "no error" : query.error().message;
}

// A query whose only metric has these fields besides its name.
std::string error_of_metric(const std::string& fields) {
  return error_of(R"({"start_absolute":1,"metrics":[{"name":"m",)" + fields + "}]}");
}
std::string error_of_aggregator(const std::string& fields) {
  return error_of_metric(R"("aggregators":[{)" + fields + "}]");
}

TEST(ParseQuery, Whole) {
  const auto query = parse_query(R"({
    "start_absolute": 1000, "end_absolute": "2000", "cache_time": 0, "time_zone": "UTC", "other": [{}],
    "metrics": [
      {"name": "cpu", "tags": {"host": ["a", "regex:b.*"], "dc": "x", "none": []}, "limit": "7", "order": "desc",
       "exclude_tags": true, "group_by": [{"name": "tag", "tags": ["host", "dc", "host"]}],
       "aggregators": [{"name": "sum", "sampling": {"value": "10", "unit": "MINUTES"}, "align_sampling": "false",
                        "align_start_time": true},
                       {"name": "last", "align_end_time": true}]},
      {"name": "mem"}]})",
                                 kNow);
  ASSERT_TRUE(query) << query.error().message;
  EXPECT_EQ(query->range, (model::TimeRange{1000, 2001}));
  ASSERT_EQ(query->metrics.size(), 2U);
  const QueryMetric& cpu = query->metrics[0];
  EXPECT_EQ(cpu.name, "cpu");
  ASSERT_EQ(cpu.tags.size(), 2U);  // an empty list filters nothing
  EXPECT_EQ(cpu.tags[0].key, "host");
  EXPECT_EQ(cpu.tags[0].values, (std::vector<std::string>{"a", "regex:b.*"}));
  EXPECT_EQ(cpu.tags[1].values, std::vector<std::string>{"x"});
  EXPECT_EQ(cpu.limit, 7U);
  EXPECT_TRUE(cpu.descending);
  EXPECT_TRUE(cpu.exclude_tags);
  EXPECT_EQ(cpu.group_by.tags, (std::vector<std::string>{"host", "dc"}));
  ASSERT_EQ(cpu.aggregators.size(), 2U);
  EXPECT_EQ(cpu.aggregators[0].sampling_value, 10);
  EXPECT_EQ(cpu.aggregators[0].sampling_unit, model::TimeUnit::minutes);
  EXPECT_FALSE(cpu.aggregators[0].align_sampling);
  EXPECT_TRUE(cpu.aggregators[0].align_start_time);
  EXPECT_EQ(cpu.aggregators[1].name, "last");
  EXPECT_EQ(cpu.aggregators[1].sampling_value, 1);
  EXPECT_TRUE(cpu.aggregators[1].align_sampling);
  EXPECT_TRUE(cpu.aggregators[1].align_end_time);
  EXPECT_EQ(query->metrics[1].limit, 0U);
}

TEST(ParseQuery, Times) {
  const auto range = [](const std::string& times) {
    const auto query = parse_query("{" + times + R"(,"metrics":[{"name":"m"}]})", kNow);
    EXPECT_TRUE(query) << query.error().message;
    return query ? query->range : model::TimeRange{0, 0};
  };
  EXPECT_EQ(range(R"("start_absolute":-5)"), (model::TimeRange{-5, model::kTimestampMax + 1}));
  EXPECT_EQ(range(R"("start_absolute":5,"end_absolute":5)"), (model::TimeRange{5, 6}));
  EXPECT_EQ(range(R"("start_relative":{"value":"2","unit":"days"})").first, kNow - 2 * 86'400'000);
  EXPECT_EQ(range(R"("start_relative":{"unit":"days"})").first, kNow);
  EXPECT_EQ(range(R"("start_relative":{"value":1,"unit":"Months"})").first, 1'697'321'600'000);  // 31 days
  EXPECT_EQ(range(R"("start_absolute":1,"end_relative":{"value":1,"unit":"weeks"})").last, kNow - 7 * 86'400'000 + 1);
  EXPECT_EQ(range(R"("start_absolute":-9e300,"end_absolute":99999999999999999999)"), model::TimeRange{});
  EXPECT_EQ(range(R"("start_relative":{"value":9223372036854775807,"unit":"years"})").first, model::kTimestampMin);
  EXPECT_EQ(range(R"("start_absolute":7,"start_relative":{"value":1,"unit":"days"})").first, 7);
}

TEST(ParseQuery, Lenient) {
  EXPECT_EQ(error_of("{start_absolute: 1, 'metrics': [{name: 'o.e'}]}"), "no error");
  EXPECT_EQ(error_of(R"({"start_absolute":1,"metrics":[]})"), "no error");
  EXPECT_EQ(error_of(R"({"start_absolute":1,"metrics":[{"name":"m","bogus":1}],"other":2})"), "no error");
}

TEST(ParseQuery, ErrorsOfTheWhole) {
  EXPECT_EQ(error_of(R"({"metrics":[{"name":"m"}]})"),
            "query.metric[0].start_time relative or absolute time must be set");
  EXPECT_EQ(error_of(R"({"metrics":[{"name":"m","start_absolute":1}]})"),
            "query.metric[0].start_time relative or absolute time must be set");
  EXPECT_EQ(error_of(R"({"start_absolute":1})"), "query.metric[] must have a size of at least 1");
  EXPECT_EQ(error_of(R"({"start_absolute":4,"end_absolute":3,"metrics":[{"name":"m"}]})"),
            "query.metric[0].end_time must be greater than the start time");
  EXPECT_EQ(error_of(R"({"start_absolute":"yesterday","metrics":[{"name":"m"}]})"),
            R"(java.lang.NumberFormatException: For input string: "yesterday")");
  EXPECT_EQ(
      error_of(R"({"start_relative":{"value":1,"unit":"eons"},"metrics":[{"name":"m"}]})"),
      "query.eons is not a valid time unit, must be one of MILLISECONDS,SECONDS,MINUTES,HOURS,DAYS,WEEKS,MONTHS,YEARS");
  EXPECT_EQ(error_of(R"({"start_relative":{"value":-1,"unit":"days"},"metrics":[{"name":"m"}]})"),
            "start_relative.value must be greater than or equal to 0");
  EXPECT_EQ(error_of(R"({"start_absolute":1,"cache_time":-1,"metrics":[{"name":"m"}]})"),
            "cache_time must be greater than or equal to 0");
  EXPECT_EQ(error_of(R"({"start_absolute":1,"plugins":[{"name":"nope"}],"metrics":[{"name":"m"}]})"),
            ".plugins[0].nope invalid query plugin name");
  EXPECT_NE(error_of(R"({"start_absolute":1,"time_zone":"Mars/Olympus","metrics":[{"name":"m"}]})")
                .find("query.Mars/Olympus is not a valid time zone"),
            std::string::npos);
}

TEST(ParseQuery, ErrorsOfJson) {
  EXPECT_EQ(error_of("hello"), R"(Not a JSON Object: "hello")");
  EXPECT_EQ(error_of("[]"), "Not a JSON Object: []");
  EXPECT_NE(error_of(""), "no error");
  EXPECT_NE(error_of("{} {}"), "no error");
  EXPECT_EQ(error_of(R"({"start_absolute": 1, "metrics": [{"name": "o.e")"),
            "java.io.EOFException: End of input at line 1 column 49");
  EXPECT_EQ(error_of(R"({"a":)" + std::string(100, '[') + std::string(100, ']') + "}"),
            "JSON nested more than 64 deep");
}

TEST(ParseQuery, ErrorsOfAMetric) {
  EXPECT_EQ(error_of(R"({"start_absolute":1,"metrics":[{"tags":{}}]})"), "query.metric[0].name may not be null");
  EXPECT_EQ(error_of(R"({"start_absolute":1,"metrics":[{"name":"m"},{"name":""}]})"),
            "query.metric[1].name may not be empty");
  EXPECT_EQ(error_of_metric(R"("order":"up")"), "query.metric[0].order must be either 'asc' or 'desc'");
  EXPECT_EQ(error_of_metric(R"("limit":-1)"), "query.metric[0].limit must be greater than or equal to 0");
  EXPECT_EQ(error_of_metric(R"("tags":{"host":null})"), "query.metric[0].tags[0].host value must not be null or empty");
  EXPECT_EQ(error_of_metric(R"("tags":{"dc":"x","host":[""]})"),
            "query.metric[0].tags[1].host value must not be null or empty");
  EXPECT_EQ(error_of_metric(R"("tags":["host"])"), R"(java.lang.IllegalStateException: Not a JSON Object: ["host"])");
  EXPECT_EQ(error_of_metric(R"("group_by":[{"name":"tag","tags":[]}])"),
            "query.metric[0].group_by[0].tags may not be empty");
  EXPECT_EQ(error_of_metric(R"("group_by":[{"name":"bogus"}])"),
            "query.metric[0].group_by[0].bogus invalid group_by name");
  EXPECT_EQ(error_of_metric(R"("group_by":[{"tags":["host"]}])"), "query.metric[0].group_by[0] must have a name");
}

TEST(ParseQuery, ErrorsOfAnAggregator) {
  EXPECT_EQ(error_of_aggregator(R"("name":"bogus")"), "query.metric[0].aggregators[0].bogus invalid aggregators name");
  EXPECT_EQ(error_of_aggregator(R"("align_sampling":true)"), "query.metric[0].aggregators[0] must have a name");
  EXPECT_EQ(error_of_aggregator(R"("name":"sum","bogus":3)"),
            "Property 'bogus' was specified for object 'sum' but no matching setter was found on "
            "'class org.kairosdb.core.aggregator.SumAggregator'");
  EXPECT_EQ(error_of_aggregator(R"("name":"sum","sampling":{"value":1,"unit":"fortnights"})"),
            "query.metric[0].aggregators[0].fortnights is not a valid time unit, must be one of "
            "MILLISECONDS,SECONDS,MINUTES,HOURS,DAYS,WEEKS,MONTHS,YEARS");
  EXPECT_EQ(error_of_aggregator(R"("name":"sum","sampling":{"value":-1,"unit":"days"})"),
            "query.metric[0].aggregators[0].sampling.value must be greater than or equal to 0");
  EXPECT_EQ(error_of_aggregator(R"("name":"sum","sampling":{"value":1})"),
            "query.metric[0].aggregators[0].sampling.unit may not be null");
  EXPECT_EQ(error_of_aggregator(R"("name":"sum","align_sampling":3)"),
            "query.metric[0].aggregators[0].align_sampling must be true or false");
}

TEST(ParseQuery, MetricsAreCountedWhileTheyAreRead) {
  const std::string three = R"({"start_absolute":1,"metrics":[{"name":"a"},{"name":"b"},{"name":"c"}]})";
  EXPECT_TRUE(parse_query(three, kNow, 3));
  const auto refused = parse_query(three, kNow, 2);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::invalid);
  EXPECT_EQ(refused.error().message, "there are more than 2 metrics; query.metrics_max is 2");
}

}  // namespace
}  // namespace varve::protocol::kairosdb
