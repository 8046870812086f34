// SPDX-License-Identifier: Apache-2.0
#include "task/runner.h"

#include <gtest/gtest.h>

#include "model/testing/lengths.h"
#include "storage/testing/memory_store.h"
#include "storage/testing/memory_texts.h"

namespace varve::task {
namespace {

using model::testing::kMinute;
constexpr model::Timestamp kStart = 1'699'999'980'000;  // a whole minute

// One replica; several may share the store and the texts.
struct Replica {
  Replica(storage::testing::MemoryStore& store, TaskStore& tasks, const Clock& clock,
          std::vector<std::pair<std::uint32_t, std::uint32_t>> ours = {{0, 7}})
      : ownership({tracker::Own::list, "r", jobs_of(ours)}, nullptr, clock),
        engine(store, store, clock, {}),
        writer(store, store, {}),
        runner({8, "host"}, {tasks, engine, writer, ownership, clock, metrics}) {}
  static tracker::JobOptions jobs_of(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& ours) {
    tracker::JobOptions jobs;
    jobs.partitions = tracker::partitions_in(ours, 8);
    return jobs;
  }
  void turn(int turns = 1) {
    for (int i = 0; i < turns; ++i) {
      const Status done = runner.turn([] { return true; });
      EXPECT_TRUE(done) << done.error().message;
    }
  }
  Metrics metrics;
  tracker::Ownership ownership;
  query::Engine engine;
  write::Writer writer;
  Runner runner;
};

class RunnerTest : public ::testing::Test {
 protected:
  RunnerTest() : store(4, nullptr), tasks(texts) {}

  void make(const std::string& json, const std::string& id = "id", const std::string& tenant = "t") {
    const auto task = parse_task(json, id, [](std::string_view) { return Status(); });
    ASSERT_TRUE(task);
    ASSERT_TRUE(tasks.put({tenant, id}, task->json));
  }
  static std::string sums(const std::string& more = "", const std::string& before = "") {
    return R"({"name":"R","execution_interval":{"value":1,"unit":"minutes"},"rollups":[{"save_as":"saved","query":)"
           R"({"start_relative":{"value":10,"unit":"minutes"},"metrics":[{"name":"m","aggregators":[)" +
           before + R"({"name":"sum","align_start_time":true,"sampling":{"value":1,"unit":"minutes"}}])" + more +
           "}]}}]}";
  }
  void put(model::Timestamp time, std::int64_t value, const std::string& host = "a") {
    store.put("t", "m", {{"host", host}}, time, model::Value::of_long(value));
  }
  // "minutes since the start: value", of the series with these tags or of all.
  std::string saved(Replica& replica, const std::string& metric = "saved", const std::string& host = "") {
    query::Request request;
    request.tenant = "t";
    request.metrics.emplace_back().metric = metric;
    if (!host.empty()) request.metrics[0].matchers = {{"host", index::Matcher::Kind::any_of, {host}}};
    const auto answer = replica.engine.run(request, nullptr);
    EXPECT_TRUE(answer);
    std::string out;
    for (const auto& group : answer->metrics[0].groups) {
      for (std::size_t i = 0; i < group.points.size(); ++i) {
        out += std::to_string((group.points.times[i] - kStart) / kMinute) + ":" +
               std::to_string(
                   static_cast<std::int64_t>(aggregate::as_double(group.points.type_of(i), group.points.bits[i]))) +
               " ";
      }
    }
    return out;
  }
  State state() { return tasks.state({"t", "id"}).value().value(); }

  ManualClock clock{kStart};
  storage::testing::MemoryStore store;
  storage::testing::MemoryTexts texts;
  TaskStore tasks;
};

TEST_F(RunnerTest, saves_whole_windows_and_goes_on_where_it_ended) {
  Replica replica(store, tasks, clock);
  for (int i = -3; i < 1; ++i) put(kStart + i * kMinute, 10 + i);
  clock.advance_ms(1000);
  make(sums());
  replica.turn();
  EXPECT_EQ(saved(replica), "-3:7 -2:8 -1:9 ") << "the minute that goes on is left out";
  EXPECT_EQ(state().metrics.at(0).points, 3U);
  EXPECT_EQ(state().host, "host");

  put(kStart - kMinute + 1, 100);      // late, in the last window that was saved
  put(kStart - 2 * kMinute + 1, 100);  // too late
  replica.turn(3);
  EXPECT_EQ(saved(replica), "-3:7 -2:8 -1:9 ") << "not due yet";
  clock.advance_ms(kMinute);
  replica.turn();
  EXPECT_EQ(saved(replica), "-3:7 -2:8 -1:109 0:10 ");
  EXPECT_EQ(state().metrics.at(0).points, 2U);
}

TEST_F(RunnerTest, after_a_restart_nothing_is_lost_or_done_twice) {
  make(sums());
  put(kStart - kMinute, 1);
  {
    Replica replica(store, tasks, clock);
    replica.turn();
  }
  // Longer than the query looks back.
  for (int i = 0; i < 30; ++i) put(kStart + i * kMinute, 1);
  clock.advance_ms(30 * kMinute);
  Replica replica(store, tasks, clock);
  replica.turn();
  std::string expected;
  for (int i = -1; i < 30; ++i) expected += std::to_string(i) + ":1 ";
  EXPECT_EQ(saved(replica), expected);
  replica.turn();
  EXPECT_EQ(state().metrics.at(0).points, 31U) << "the last one of the first run again";
}

TEST_F(RunnerTest, goes_on_after_the_clock_was_ahead) {
  constexpr std::int64_t kYear = 365 * 24 * 60 * kMinute;
  make(sums());
  Replica replica(store, tasks, clock);
  put(kStart - kMinute, 1);
  replica.turn();
  for (const bool restarts : {false, true}) {
    clock.advance_ms(kYear);
    replica.turn();
    clock.advance_ms(-kYear + kMinute);
    put(model::window_start(clock.now_ms(), kMinute) - kMinute, 2);
    if (restarts) {
      Replica(store, tasks, clock).turn();
    } else {
      replica.turn();
    }
    EXPECT_EQ(saved(replica), restarts ? "-1:1 0:2 1:2 " : "-1:1 0:2 ");
    EXPECT_EQ(state().begun_ms, clock.now_ms());
  }
}

TEST_F(RunnerTest, groups_become_tags) {
  Replica replica(store, tasks, clock);
  put(kStart - kMinute, 1, "a");
  put(kStart - kMinute, 2, "b");
  make(sums(R"(,"group_by":[{"name":"tag","tags":["host"]}])"));
  replica.turn();
  EXPECT_EQ(saved(replica, "saved", "a"), "-1:1 ");
  EXPECT_EQ(saved(replica, "saved", "b"), "-1:2 ");
  const auto tenant = store.find_tenant("t").value().value();
  EXPECT_EQ(store.tag_values(tenant, "saved", "saved_from", {}).value(), std::vector<std::string>{"m"});
  EXPECT_EQ(store.tag_keys(tenant, "saved", {}).value(), (std::vector<std::string>{"host", "saved_from"}));
}

TEST_F(RunnerTest, many_windows_take_many_queries) {
  Replica replica(store, tasks, clock);
  std::string json = sums();
  json.replace(json.find("\"value\":10"), 10, "\"value\":2000");
  for (int i = -2000; i < 0; i += 7) put(kStart + i * kMinute, 1);
  make(json);
  replica.turn();
  EXPECT_EQ(state().metrics.at(0).points, 286U);
  EXPECT_EQ(state().metrics.at(0).saved_until, kStart);
}

TEST_F(RunnerTest, partitions_are_shared_out) {
  Replica one(store, tasks, clock, {{0, 3}});
  Replica other(store, tasks, clock, {{4, 7}});
  put(kStart - kMinute, 1);
  for (int i = 0; i < 40; ++i) make(sums(), "id" + std::to_string(i));
  one.turn();
  std::size_t by_one = 0;
  for (int i = 0; i < 40; ++i) by_one += tasks.state({"t", "id" + std::to_string(i)}).value().has_value() ? 1 : 0;
  EXPECT_GT(by_one, 5U);
  EXPECT_LT(by_one, 35U);
  other.turn();
  for (int i = 0; i < 40; ++i) EXPECT_TRUE(tasks.state({"t", "id" + std::to_string(i)}).value());
}

TEST_F(RunnerTest, a_changed_task_begins_anew_and_an_erased_one_ends) {
  Replica replica(store, tasks, clock);
  put(kStart - 3 * kMinute, 1);
  make(sums());
  replica.turn();
  std::string other = sums();
  other.replace(other.find("\"saved\""), 7, "\"other\"");
  make(other);
  replica.runner.changed();
  replica.turn();
  EXPECT_EQ(saved(replica, "other"), "-3:1 ");
  ASSERT_TRUE(tasks.erase({"t", "id"}));
  put(kStart, 1);
  clock.advance_ms(2 * kMinute);
  replica.turn();
  EXPECT_EQ(saved(replica, "other"), "-3:1 ");
  EXPECT_FALSE(tasks.state({"t", "id"}).value());
}

TEST_F(RunnerTest, another_replicas_run_counts) {
  Replica one(store, tasks, clock);
  Replica other(store, tasks, clock);
  put(kStart - kMinute, 1);
  make(sums());
  one.turn();
  other.turn();
  clock.advance_ms(kMinute);
  put(kStart, 2);
  other.turn();
  const model::Timestamp ran = state().begun_ms;
  clock.advance_ms(1000);
  one.turn();
  EXPECT_EQ(state().begun_ms, ran) << "it would be due by what this one knew";
}

TEST_F(RunnerTest, an_error_is_in_the_state_and_tried_again) {
  Replica replica(store, tasks, clock);
  put(kStart - kMinute, 1);
  make(sums());
  store.away(true);
  replica.turn();
  EXPECT_NE(state().metrics.at(0).error, "");
  store.away(false);
  clock.advance_ms(kMinute);
  replica.turn();
  EXPECT_EQ(state().metrics.at(0).error, "");
  EXPECT_EQ(saved(replica), "-1:1 ");
  texts.away(true);
  clock.advance_ms(kMinute);
  EXPECT_FALSE(replica.runner.turn([] { return true; }));
  texts.away(false);
  replica.turn();
}

TEST_F(RunnerTest, a_stop_is_gone_on_from) {
  Replica replica(store, tasks, clock);
  put(kStart - kMinute, 1);
  make(sums());
  int asked = 0;
  ASSERT_TRUE(replica.runner.turn([&] { return ++asked < 2; }));
  EXPECT_FALSE(state().finished);
  EXPECT_EQ(saved(replica), "");
  replica.turn();
  EXPECT_TRUE(state().finished);
  EXPECT_EQ(saved(replica), "-1:1 ");
}

TEST_F(RunnerTest, asks_nothing_more_when_it_was_stopped) {
  Replica replica(store, tasks, clock);
  put(kStart - kMinute, 1);
  make(sums());
  replica.runner.stop();
  replica.turn();
  EXPECT_EQ(saved(replica), "");
  EXPECT_EQ(state().metrics.at(0).error, "stopping");
  Replica next(store, tasks, clock);
  clock.advance_ms(kMinute);
  next.turn();
  EXPECT_EQ(saved(replica), "-1:1 ");
}

TEST_F(RunnerTest, backfills) {
  Replica replica(store, tasks, clock);
  for (int i = -100; i < 0; ++i) put(kStart + i * kMinute, 1);
  make(sums());
  replica.turn();
  ASSERT_TRUE(tasks.put_backfill({"t", "id"}, {{kStart - 50 * kMinute, kStart - 47 * kMinute}, 0, {}}));
  replica.turn();
  EXPECT_TRUE(saved(replica).starts_with("-50:1 -49:1 -48:1 -10:1 ")) << saved(replica);
  EXPECT_TRUE(tasks.backfills().value().empty());
  ASSERT_TRUE(tasks.put_backfill({"t", "none"}, {{0, 1}, 0, {}}));
  replica.turn();
  EXPECT_TRUE(tasks.backfills().value().empty()) << "there is no such task";
}

}  // namespace
}  // namespace varve::task
