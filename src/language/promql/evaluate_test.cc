// SPDX-License-Identifier: Apache-2.0
// What an evaluation holds and asks: memory, cancellation, its source.
#include "language/promql/evaluate.h"

#include <gtest/gtest.h>

#include <string>

#include "language/testing/promql_script.h"

namespace varve::language::promql {
namespace {

class PromqlEvaluate : public ::testing::Test {
 protected:
  PromqlEvaluate() {
    for (int series = 0; series < 50; ++series) {
      Selected one;
      set_label(one.labels, "__name__", "m_total");
      set_label(one.labels, "i", std::to_string(series));
      for (int i = 0; i < 1000; ++i) {
        one.times.push_back(i * 1000);
        one.values.push_back(i);
      }
      source_.add(std::move(one));
    }
  }

  Result<Answer> ask(const std::string& query, const EvaluationOptions& options) {
    return testing::ask_promql(query, {0, 999'000, 1000}, false, source_, options).answer;
  }

  testing::MemorySource source_;
};

TEST_F(PromqlEvaluate, memory_is_that_of_what_is_held_at_the_same_time) {
  const std::size_t column = 1000 * sizeof(double);
  // Fifty series are folded into one group, one after another.
  EXPECT_TRUE(ask("sum(rate(m_total[1m]))", {.memory_max = 20 * column}));
  const auto all = ask("rate(m_total[1m])", {.memory_max = 20 * column});
  ASSERT_FALSE(all);
  EXPECT_EQ(all.error().code, Code::limit);
  EXPECT_EQ(all.error().message, "query processing would load too many samples into memory in query execution");
  EXPECT_TRUE(ask("rate(m_total[1m])", {.memory_max = 60 * column}));
}

TEST_F(PromqlEvaluate, a_subquery_of_too_many_steps_is_refused) {
  for (const char* const query : {"sum_over_time(vector(1)[100y:1ms])", "max_over_time(m_total[1000d:1ms])"}) {
    const auto answer = ask(query, {.memory_max = 1 << 24});
    ASSERT_FALSE(answer) << query;
    EXPECT_EQ(answer.error().code, Code::limit);
  }
}

TEST_F(PromqlEvaluate, tells_how_much_more_is_held_and_stops_if_there_is_no_room) {
  std::size_t held = 0;
  const auto hold = [&](std::size_t bytes) -> Status {
    held += bytes;
    return {};
  };
  EXPECT_TRUE(ask("m_total", {.hold = hold}));
  EXPECT_GT(held, 50 * 1000 * sizeof(double));
  EXPECT_LT(held, 50 * 1000 * sizeof(double) * 2);
  const auto none = [](std::size_t) -> Status { return fail(Code::unavailable, "full"); };
  EXPECT_EQ(ask("m_total", {.hold = none}).error().message, "full");
}

TEST_F(PromqlEvaluate, asks_whether_to_go_on) {
  int asked = 0;
  const auto enough = [&]() -> Status {
    ++asked;
    return fail(Code::cancelled, "enough");
  };
  for (const char* const query : {"m_total ^ 2 + m_total", "quantile_over_time(0.5, m_total[10m]) or m_total",
                                  "quantile(0.5, sum_over_time(m_total[2m:1s])) + topk(3, m_total)"}) {
    const auto answer = ask(query, {.go_on = enough});
    ASSERT_FALSE(answer) << query;
    EXPECT_EQ(answer.error().code, Code::cancelled);
  }
  EXPECT_EQ(asked, 3);
}

TEST_F(PromqlEvaluate, options_of_lookback_and_of_subqueries) {
  const auto count = [&](const std::string& query, const EvaluationOptions& options) {
    const auto answer = testing::ask_promql(query, {1'020'000, 1'020'000, 1}, true, source_, options).answer;
    return answer->series.size();
  };
  EXPECT_EQ(count("m_total", {.lookback_ms = 21'000}), 0U);
  EXPECT_EQ(count("m_total", {.lookback_ms = 21'001}), 50U);
  const auto answer =
      testing::ask_promql("count_over_time(vector(1)[1m:])", {0, 0, 1}, true, source_, {.subquery_step_ms = 7000});
  EXPECT_EQ(answer.answer->series.at(0).points[0], 9);
}

TEST_F(PromqlEvaluate, what_no_step_changes_is_read_once) {
  const int before = source_.selections();
  const auto answer = ask("sum(rate(m_total[1m] @ 500)) + time()", {});
  ASSERT_TRUE(answer);
  EXPECT_EQ(source_.selections() - before, 1);
  EXPECT_NEAR(answer->series.at(0).points[10], 60, 1e-9);
}

TEST_F(PromqlEvaluate, the_highest_tree_is_evaluated) {
  for (const auto& [front, back] : std::vector<std::pair<std::string, std::string>>{
           {"abs(", ")"}, {"-", ""}, {"(m_total or ", ")"}, {"sum by (i) (", ")"}, {"(1 + ", ")"}}) {
    std::string query = "m_total{i=\"1\"}";
    for (int i = 0; i < 90; ++i) query = front + query + back;  // a parenthesis is an expression, too
    const auto answer = testing::ask_promql(query, {999'000, 999'000, 1}, true, source_).answer;
    ASSERT_TRUE(answer) << front << answer.error().message;
    EXPECT_FALSE(answer->series.empty()) << front;
  }
}

TEST_F(PromqlEvaluate, an_error_of_the_source_is_the_evaluations) {
  class Broken : public Source {
    Status select(const Selection&, const SelectedSink&) override { return fail(Code::io, "broken"); }
  } broken;
  const auto tree = parse("m + n");
  const Query query{**tree, "m + n", {0, 0, 1}, true};
  EXPECT_EQ(evaluate(query, broken, {}).error().message, "broken");
}

}  // namespace
}  // namespace varve::language::promql
