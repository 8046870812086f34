// SPDX-License-Identifier: Apache-2.0
#include "language/kairosdb/save.h"

#include <gtest/gtest.h>

#include "query/engine.h"
#include "storage/testing/memory_store.h"

namespace varve::language::kairosdb {
namespace {

using model::Tags;

TEST(SavedTags, what_is_given_stands_and_groups_of_one_value_follow) {
  const query::TagUnion tags = {{"dc", {"x", "y"}}, {"host", {"bob"}}, {"os", {"linux"}}};
  EXPECT_EQ(saved_tags({{"k", "v"}}, "m", {"host", "dc", "none"}, tags),
            (Tags{{"k", "v"}, {"saved_from", "m"}, {"host", "bob"}}));
  EXPECT_EQ(saved_tags({}, "", {}, tags), Tags{});
  EXPECT_EQ(saved_tags({{"saved_from", "me"}, {"host", "given"}}, "m", {"host"}, tags),
            (Tags{{"saved_from", "me"}, {"host", "given"}}));
}

class SavePoints : public ::testing::Test {
 protected:
  std::string saved() {
    query::Engine engine(store, store, clock, {});
    query::Request request;
    request.tenant = "t";
    query::MetricQuery& metric = request.metrics.emplace_back();
    metric.metric = "m";
    const auto answer = engine.run(request, nullptr);
    std::string out;
    for (const auto& group : answer->metrics[0].groups) {
      for (std::size_t i = 0; i < group.points.size(); ++i) {
        out += std::to_string(group.points.times[i]) + "=" +
               (group.points.type_of(i) == model::ValueType::string ? group.points.texts[i]
                                                                    : std::to_string(group.points.number(i))) +
               " ";
      }
    }
    return out;
  }
  ManualClock clock;
  storage::testing::MemoryStore store{4, &clock};
  write::Writer writer{store, store, {}};
};

TEST_F(SavePoints, numbers_as_they_are_and_no_nulls) {
  aggregate::Points points;
  points.push(1, model::ValueType::long_, 7);
  points.push(2, model::ValueType::double_, std::bit_cast<std::uint64_t>(2.5));
  points.push(3, model::ValueType::long_, 9);
  points.nulls = {0, 0, 1};
  EXPECT_EQ(save_points(writer, "t", "m", {{"b", "2"}, {"a", "1"}}, points).value(), 2U);
  EXPECT_EQ(saved(), "1=7.000000 2=2.500000 ");
}

TEST_F(SavePoints, of_a_range_and_texts) {
  aggregate::Points points;
  points.type = model::ValueType::string;
  points.times = {1, 2, 3};
  points.texts = {"a", "b", "c"};
  EXPECT_EQ(save_points(writer, "t", "m", {{"a", "1"}}, points, {2, 3}).value(), 1U);
  EXPECT_EQ(saved(), "2=b ");
  EXPECT_EQ(save_points(writer, "t", "m", {{"a", "1"}}, {}, {}).value(), 0U);
}

TEST_F(SavePoints, what_is_too_old_is_counted) {
  Metrics metrics;
  write::Writer brief(store, store, {.metrics = &metrics, .clock = &clock, .kept_ms = 2000});
  const model::Timestamp now = clock.now_ms();
  aggregate::Points old;
  old.push(now - 5000, model::ValueType::long_, 1);
  EXPECT_EQ(save_points(brief, "t", "m", {{"a", "1"}}, old, {}).value(), 0U);
  EXPECT_EQ(store.series_count(), 0U) << "it leaves no name";
  aggregate::Points points;
  for (const int age_ms : {9000, 3000, 1000}) points.push(now - age_ms, model::ValueType::long_, 1);
  EXPECT_EQ(save_points(brief, "t", "m", {{"a", "1"}}, points, {}).value(), 1U);
  EXPECT_EQ(saved(), std::to_string(now - 1000) + "=1.000000 ");
  double too_old = 0;
  for (const auto& sample : metrics.samples()) {
    const bool counts = sample.name == "varve_samples_rejected_total" && sample.labels.at(0).second == "too_old";
    too_old += counts ? sample.value : 0;
  }
  EXPECT_EQ(too_old, 3);
}

TEST_F(SavePoints, for_a_time) {
  const model::Timestamp now = clock.now_ms();
  aggregate::Points points;
  points.push(now - 3000, model::ValueType::long_, 1);
  points.push(now - 1000, model::ValueType::long_, 2);
  EXPECT_EQ(save_points(writer, "t", "m", {{"a", "1"}}, points, {}, 2).value(), 2U);
  EXPECT_EQ(saved(), std::to_string(now - 1000) + "=2.000000 ");
  EXPECT_EQ(save_points(writer, "t", "m", {{"a", "1"}}, points, {}, 60).value(), 2U) << "another group of the series";
  clock.advance_ms(30'000);
  EXPECT_EQ(saved(), std::to_string(now - 3000) + "=1.000000 " + std::to_string(now - 1000) + "=2.000000 ");
  clock.advance_ms(30'000);
  EXPECT_EQ(saved(), "");
}

TEST_F(SavePoints, what_cannot_be_a_series) {
  aggregate::Points points;
  points.push(1, model::ValueType::long_, 7);
  EXPECT_EQ(save_points(writer, "t", "m", {{"a", ""}}, points).error().code, Code::invalid);
  EXPECT_EQ(save_points(writer, "t", "m", {{"a", std::string(100'000, 'x')}}, points).error().code, Code::invalid);
}

}  // namespace
}  // namespace varve::language::kairosdb
