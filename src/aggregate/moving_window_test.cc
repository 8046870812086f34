// SPDX-License-Identifier: Apache-2.0
#include "aggregate/moving_window.h"

#include <gtest/gtest.h>

#include "aggregate/pipeline.h"
#include "aggregate/points_text.h"
#include "model/testing/lengths.h"

namespace varve::aggregate {
namespace {

using model::TimeUnit;

using model::testing::kDay;

MovingWindow moving(std::int64_t value, TimeUnit unit, bool aligned = false) {
  MovingWindow out;
  out.sampling = {value, unit};
  out.align_sampling = aligned;
  return out;
}

std::string moved(const MovingWindow& by, model::Timestamp start, const Points& in) {
  return text_of(*apply(by, Scope{start, start + 1'000'000, {}}, in));
}

TEST(MovingWindow, GivesThePointsOfEachWindowAtItsEnd) {
  const auto three = moving(3, TimeUnit::seconds);
  EXPECT_EQ(moved(three, 0, points_of("500:1 1500:2 2500:3 3500:4")),
            "1000:1 2000:1 2000:2 3000:1 3000:2 3000:3 4000:2 4000:3 4000:4");
  EXPECT_EQ(moved(three, 0, points_of("0:1 1000:2 3000:3")), "0:1 1000:1 1000:2 2000:1 2000:2 3000:2 3000:3")
      << "a window has its end, not its beginning";
  EXPECT_EQ(moved(three, 0, points_of("500:1 9500:2")), "1000:1 2000:1 3000:1 10000:2")
      << "none where there is nothing";
  EXPECT_EQ(moved(three, 0, {}), "");
  EXPECT_EQ(moved(moving(1, TimeUnit::milliseconds), 0, points_of("5:1 7:2")), "5:1 7:2");
}

TEST(MovingWindow, WhatLiesBeforeTheStartIsInTheFirstWindows) {
  const auto three = moving(3, TimeUnit::seconds);
  EXPECT_EQ(first_begin(three, 10'200), 7200);
  EXPECT_EQ(moved(three, 10'000, points_of("6500:0 7500:1 9500:2 10500:3")), "10000:1 10000:2 11000:2 11000:3");
  EXPECT_EQ(moved(three, 10'000, points_of("7500:1 8500:2")), "10000:1 10000:2");
  EXPECT_EQ(moved(three, 10'000, points_of("6500:1 7000:2")), "");
}

TEST(MovingWindow, AlignedToTheBeginningOfTheUnit) {
  EXPECT_EQ(first_begin(moving(3, TimeUnit::seconds, true), 10'200), 7000);
  EXPECT_EQ(first_begin(moving(5, TimeUnit::minutes, true), 10 * 60'000 + 1), 5 * 60'000);
  EXPECT_EQ(first_begin(moving(5, TimeUnit::hours, true), kDay + 1), 19 * 3'600'000);
  EXPECT_EQ(first_begin(moving(500, TimeUnit::milliseconds, true), 10'200), 9500) << "of the second";
  EXPECT_EQ(first_begin(moving(1, TimeUnit::days, true), 5 * kDay + 7), 4 * kDay);
  EXPECT_EQ(moved(moving(2, TimeUnit::seconds, true), 200, points_of("500:1 1500:2")), "1000:1 2000:1 2000:2");
}

// Windows of three months of 2014, from February on: as many days as the months have.
TEST(MovingWindow, FollowsTheCalendar) {
  const model::Timestamp january = 1'388'534'400'000;
  Points days;
  days.type = model::ValueType::long_;
  for (int i = 0; i < 120; ++i) days.push(january + i * kDay + 1, model::ValueType::long_, 1);
  Stage count;
  count.function = Function::count;
  const Pipeline steps = {moving(3, TimeUnit::months, true), count};
  const auto counted = run(steps, Scope{january + 1, january + 400 * kDay, {}}, false, days, {});
  ASSERT_TRUE(counted);
  const auto at = [&](int day, int n) { return std::to_string(january + day * kDay) + ":" + std::to_string(n); };
  EXPECT_EQ(text_of(*counted), at(31, 31) + " " + at(59, 59) + " " + at(90, 90) + " " + at(120, 89));
}

TEST(MovingWindow, InAZone) {
  auto by = moving(1, TimeUnit::hours, true);
  by.zone = *model::TimeZone::find("+05:30");
  EXPECT_EQ(first_begin(by, 3'600'000), 1'800'000 - 3'600'000);
  const auto paris = model::TimeZone::find("Europe/Paris");
  if (!paris) GTEST_SKIP() << "no tzdata";
  by = moving(1, TimeUnit::days, true);
  by.zone = *paris;
  // A day of 23 hours: from midnight of 2014-03-30 to that of the 31st.
  EXPECT_EQ(moved(by, 1'396'134'000'000, points_of("1396216799000:1 1396216801000:2")),
            "1396216800000:1 1396303200000:2");
}

TEST(MovingWindow, OrderInAWindowIsThatOfTime) {
  Stage first;
  first.function = Function::first;
  const Pipeline steps = {moving(3, TimeUnit::seconds), first};
  const auto of = [&](const char* points) { return text_of(*run(steps, {0, 9000, {}}, false, points_of(points), {})); };
  EXPECT_EQ(of("500:9 1500:2"), "1000:9 2000:9");
  EXPECT_EQ(of("500:9 1500:2.5"), "1000:9.0 2000:9.0") << "of mixed types, too";
}

TEST(MovingWindow, AnyPoints) {
  EXPECT_EQ(moved(moving(2, TimeUnit::seconds), 0, texts_of("500:a 1500:b")), "1000:a 2000:a 2000:b");
  EXPECT_EQ(moved(moving(2, TimeUnit::seconds), 0, points_of("500:null 1500:2")), "1000:null 2000:null 2000:2");
}

TEST(MovingWindow, HistogramsKeepHowManyThereWere) {
  Points in = texts_of("500:a 1500:b");
  in.type = model::ValueType::histogram;
  in.originals = {7, 8};
  const auto out = apply(moving(2, TimeUnit::seconds), Scope{0, 9000, {}}, in);
  ASSERT_TRUE(out);
  EXPECT_EQ(out->originals, (std::vector<std::uint64_t>{7, 7, 8}));
}

TEST(MovingWindow, ChargesBeforeItCopies) {
  std::size_t asked = 0;
  const Scope scope{0, 9000, [&](std::size_t bytes) {
                      asked = bytes;
                      return fail(Code::limit, "too much");
                    }};
  const auto many =
      apply(moving(std::int64_t{1} << 62, TimeUnit::milliseconds), scope, points_of("0:1 9000000000000000:2"));
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error().message, "too much");
  EXPECT_GT(asked, std::size_t{1} << 55);
  EXPECT_FALSE(apply(moving(3, TimeUnit::seconds), scope, points_of("500:1 1500:2")));
  EXPECT_EQ(asked, 3U * 16);
}

}  // namespace
}  // namespace varve::aggregate
