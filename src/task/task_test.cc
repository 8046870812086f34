// SPDX-License-Identifier: Apache-2.0
#include "task/task.h"

#include <gtest/gtest.h>

#include "language/kairosdb/to_request.h"

namespace varve::task {
namespace {

Status good_query(std::string_view json) {
  VARVE_RETURN_IF_ERROR(language::kairosdb::to_request(json, "t", 1'700'000'000'000));
  return {};
}

std::string errors_of(std::string_view json) {
  const auto task = parse_task(json, "i", good_query);
  if (task) return "";
  std::string out;
  for (const std::string& error : task.error()) out += (out.empty() ? "" : "; ") + error;
  return out;
}

const std::string kHourly = R"("name":"R","execution_interval":{"value":"1","unit":"Hours"})";

std::string with_rollup(const std::string& rollup) { return "{" + kHourly + R"(,"rollups":[)" + rollup + "]}"; }

std::string with_aggregators(const std::string& aggregators) {
  return with_rollup(
      R"({"save_as":"s","query":{"start_relative":{"value":2,"unit":"hours"},"metrics":[{"name":"m","aggregators":[)" +
      aggregators + "]}]}}");
}

TEST(Task, says_what_is_wrong) {
  EXPECT_EQ(errors_of("{}"), "name may not be null; executionInterval may not be null");
  EXPECT_EQ(errors_of(R"({"name":"","execution_interval":{"value":1,"unit":"hours"}})"), "name may not be empty");
  EXPECT_EQ(errors_of(R"({"name":"R","rollups":[{}]})"), "executionInterval may not be null");
  EXPECT_EQ(errors_of(R"({"name":"R","execution_interval":{"value":0,"unit":"hours"}})"),
            "executionInterval.value must be greater than 0");
  EXPECT_TRUE(errors_of(R"({"name":"R","execution_interval":{"value":1,"unit":"ours"}})")
                  .starts_with("executionInterval.ours is not a valid time unit, must be one of MILLISECONDS"));
  EXPECT_EQ(errors_of(R"({"name":"R","execution_interval":{"value":1}})"), "executionInterval.unit may not be null");
  EXPECT_EQ(errors_of(with_rollup(R"({"query":{}})")), "rollup[0].saveAs may not be null");
  EXPECT_EQ(errors_of(with_rollup(R"({"save_as":"","query":{}})")), "rollup[0].saveAs may not be empty");
  EXPECT_EQ(errors_of(with_rollup(R"({"save_as":"s"})")), "rollup[0].query may not be null");
  EXPECT_EQ(errors_of(with_rollup(R"({"save_as":"s","query":{"start_absolute":1}})")),
            "rollup[0]query.metric[] must have a size of at least 1");
  EXPECT_TRUE(errors_of(with_rollup(R"({"save_as":"s","query":{"start_relative":{"value":1,"unit":"h"}}})"))
                  .starts_with("query.h is not a valid time unit"));
  EXPECT_EQ(errors_of(with_rollup(R"({"save_as":"s","query":{"metrics":[{"name":"m"}]}})")),
            "rollup[0].query.metric[0].start_time relative or absolute time must be set");
  EXPECT_EQ(errors_of(with_rollup(R"({"save_as":"s","query":{"start_absolute":1,"metrics":[{"name":"m"}]}})")),
            "rollup[0].query[0].aggregator At least one aggregator must be a range aggregator");
  EXPECT_EQ(errors_of(with_aggregators(R"({"name":"sum","sampling":{"value":0,"unit":"hours"}})")),
            "rollup[0].query[0].aggregator sampling.value must be greater than 0");
  EXPECT_NE(errors_of("{"), "");
  EXPECT_NE(errors_of("[]"), "");
  EXPECT_NE(errors_of(R"({"name":"R","execution_interval":1})"), "");
  EXPECT_NE(errors_of("{" + kHourly + R"(,"rollups":7})"), "");
  EXPECT_NE(errors_of(with_rollup("7")), "");
}

TEST(Task, is_read) {
  const auto task =
      parse_task(with_rollup(R"({"save_as":"s","query":{"start_relative":{"value":2,"unit":"hours"},"metrics":[)"
                             R"({"name":"a","aggregators":[{"name":"sum","sampling":{"value":"5","unit":"MINUTES"}},)"
                             R"({"name":"max","align_end_time":true,"sampling":{"value":2,"unit":"days"}}]},)"
                             R"({"name":"b","aggregators":[{"name":"avg"}]}]}})"),
                 "some-id", good_query);
  ASSERT_TRUE(task);
  EXPECT_EQ(task->id, "some-id");
  EXPECT_EQ(task->name, "R");
  EXPECT_EQ(task->interval, 1);
  EXPECT_EQ(task->interval_unit, model::TimeUnit::hours);
  ASSERT_EQ(task->rollups.size(), 1U);
  EXPECT_EQ(task->rollups[0].save_as, "s");
  const auto& metrics = task->rollups[0].metrics;
  ASSERT_EQ(metrics.size(), 2U);
  EXPECT_EQ(metrics[0].metric, "a");
  EXPECT_EQ(metrics[0].sampling.value, 2);
  EXPECT_EQ(metrics[0].sampling.unit, model::TimeUnit::days);
  EXPECT_TRUE(metrics[0].stamps_end);
  EXPECT_FALSE(metrics[0].looks_back);
  EXPECT_EQ(metrics[1].sampling.value, 1);
  EXPECT_EQ(metrics[1].sampling.unit, model::TimeUnit::milliseconds);
  EXPECT_TRUE(good_query(task->rollups[0].query));
}

TEST(Task, its_json_has_its_id_in_front) {
  EXPECT_EQ(parse_task("{" + kHourly + "}", "x", good_query)->json, R"({"id":"x",)" + kHourly + "}");
  const auto again =
      parse_task(R"({"id":"other",)" + kHourly + R"(,"rollups":[],"more":[1.5,null,true,"a\"b"]})", "x", good_query);
  EXPECT_EQ(again->json, R"({"id":"x",)" + kHourly + R"(,"rollups":[],"more":[1.5,null,true,"a\"b"]})");
  EXPECT_EQ(parse_task(again->json, "x", good_query)->json, again->json);
}

}  // namespace
}  // namespace varve::task
