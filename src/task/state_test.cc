// SPDX-License-Identifier: Apache-2.0
#include "task/state.h"

#include <gtest/gtest.h>

namespace varve::task {
namespace {

Task hourly_task() {
  Task task;
  task.interval = 1;
  task.interval_unit = model::TimeUnit::hours;
  return task;
}

TEST(State, comes_back_as_it_was) {
  State state{"v", "ho\"st", 1'700'000'000'000, false, {{"m", -5, 17, 3, 12, ""}, {"n", {}, 18, 0, 1, "wrong\n"}}};
  const std::string json = to_json(state);
  const State again = state_of(json).value();
  EXPECT_EQ(to_json(again), json);
  EXPECT_EQ(again.host, "ho\"st");
  EXPECT_FALSE(again.finished);
  EXPECT_EQ(again.metrics[0].saved_until, -5);
  EXPECT_EQ(again.metrics[1].saved_until, std::nullopt);
  EXPECT_EQ(again.metrics[1].error, "wrong\n");
  for (const char* bad : {"", "{", "7", "{}"}) EXPECT_EQ(state_of(bad).error().code, Code::corrupt) << bad;
}

TEST(State, a_count_is_never_negative) {
  const State state =
      state_of(R"({"metrics":[{"metric":"m","points":-3},{"metric":"n","points":18446744073709551615}]})").value();
  EXPECT_EQ(state.metrics[0].points, 0U);
  EXPECT_EQ(state.metrics[1].points, ~0ULL);
  EXPECT_EQ(to_json(state_of(to_json(state)).value()), to_json(state));
}

TEST(State, when_it_is_due) {
  EXPECT_EQ(due_ms(hourly_task(), {}), 0);
  EXPECT_EQ(due_ms(hourly_task(), {"", "", 1000, true, {}}), 3'601'000);
  EXPECT_EQ(due_ms(hourly_task(), {"", "", 1000, false, {}}), 0) << "not at its end yet";
}

TEST(State, as_kairosdb_shows_it) {
  const State state{
      "", "h", 1'700'000'000'000, true, {{"m", {}, 1'700'000'000'000, 3, 12, ""}, {"n", {}, 1, 0, 0, "e"}}};
  EXPECT_EQ(status_json(hourly_task(), state),
            R"({"nextScheduled":"14 Nov 2023 11:13:20 PM","executingHost":"h","statuses":[)"
            R"({"metricName":"m","lastExecuted":"14 Nov 2023 10:13:20 PM","dataPointCount":3,"executionLength":12,)"
            R"("lastExecutionTime":1700000000000},)"
            R"({"metricName":"n","lastExecuted":"01 Jan 1970 00:00:00 AM","dataPointCount":0,"executionLength":0,)"
            R"("errorMessage":"e","lastExecutionTime":1}]})");
}

TEST(State, versions_differ) {
  Task one = hourly_task(), other = hourly_task();
  one.json = "{}";
  other.json = "{ }";
  EXPECT_EQ(version_of(one), version_of(one));
  EXPECT_NE(version_of(one), version_of(other));
}

}  // namespace
}  // namespace varve::task
