// SPDX-License-Identifier: Apache-2.0
#include "task/plan.h"

#include <gtest/gtest.h>

#include "model/testing/lengths.h"

namespace varve::task {
namespace {

using model::testing::kHour;
constexpr model::Timestamp kDay0 = 19'675 * 24 * kHour;  // a midnight

MetricPlan hourly_plan() {
  MetricPlan plan;
  plan.sampling = {1, model::TimeUnit::hours};
  return plan;
}

std::optional<Step> plan(const MetricPlan& metric, std::optional<model::Timestamp> saved, model::Timestamp now,
                         bool again = true, std::int64_t most = 100) {
  return next_step(metric, "", {kDay0 + kHour / 2, model::kTimestampMax + 1}, saved, again, now, most);
}

TEST(Plan, first_the_whole_windows_up_to_now) {
  EXPECT_FALSE(plan(hourly_plan(), {}, kDay0 + kHour - 1));
  const auto step = plan(hourly_plan(), {}, kDay0 + 3 * kHour + 5).value();
  EXPECT_EQ(step.read, (model::TimeRange{kDay0, kDay0 + 3 * kHour}));
  EXPECT_EQ(step.save_from, kDay0);
  EXPECT_EQ(step.until, kDay0 + 3 * kHour);
  EXPECT_TRUE(step.last);
}

TEST(Plan, then_what_is_new_and_the_window_before) {
  const model::Timestamp saved = kDay0 + 3 * kHour;
  EXPECT_FALSE(plan(hourly_plan(), saved, saved + kHour - 1)) << "no new window is whole";
  const auto step = plan(hourly_plan(), saved, saved + kHour).value();
  EXPECT_EQ(step.read, (model::TimeRange{saved - kHour, saved + kHour}));
  EXPECT_EQ(step.save_from, saved - kHour);
  EXPECT_EQ(plan(hourly_plan(), saved, saved + kHour, false)->read.first, saved);
}

TEST(Plan, in_pieces) {
  const auto step = plan(hourly_plan(), {}, kDay0 + 10 * kHour, true, 4).value();
  EXPECT_EQ(step.until, kDay0 + 4 * kHour);
  EXPECT_FALSE(step.last);
  const auto next = plan(hourly_plan(), step.until, kDay0 + 10 * kHour, false, 100).value();
  EXPECT_EQ(next.read, (model::TimeRange{kDay0 + 4 * kHour, kDay0 + 10 * kHour}));
  EXPECT_TRUE(next.last);
}

TEST(Plan, what_looks_back_reads_a_window_more) {
  MetricPlan metric = hourly_plan();
  metric.looks_back = true;
  const model::Timestamp saved = kDay0 + 3 * kHour;
  const auto step = plan(metric, saved, saved + kHour).value();
  EXPECT_EQ(step.read.first, saved - 2 * kHour);
  EXPECT_EQ(step.save_from, saved - kHour);
  metric.stamps_end = true;
  EXPECT_EQ(plan(metric, saved, saved + kHour)->save_from, saved - kHour + 1) << "that stamp is the window's before";
}

TEST(Plan, not_beyond_the_querys_end) {
  const auto step =
      next_step(hourly_plan(), "", {kDay0, kDay0 + 2 * kHour + 1}, {}, true, kDay0 + 9 * kHour, 100).value();
  EXPECT_EQ(step.until, kDay0 + 2 * kHour);
  EXPECT_FALSE(next_step(hourly_plan(), "", {kDay0, kDay0 + 2 * kHour + 1}, step.until, true, kDay0 + 9 * kHour, 100));
}

TEST(Plan, months_are_the_calendars) {
  MetricPlan monthly;
  monthly.sampling = {1, model::TimeUnit::months};
  // 2023-11-14; the month began on the 1st.
  const auto step = plan(monthly, {}, kDay0 + 20 * 24 * kHour).value();
  EXPECT_EQ(step.read.first, kDay0 - 13 * 24 * kHour);
  EXPECT_EQ(step.until, kDay0 + 17 * 24 * kHour);
}

}  // namespace
}  // namespace varve::task
