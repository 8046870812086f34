// SPDX-License-Identifier: Apache-2.0
// A wall clock that jumps deletes nothing that is to be kept, and stops nothing afterwards.
#include <gtest/gtest.h>

#include "engine/rocksdb/testing/messages.h"
#include "engine/rocksdb/testing/records.h"
#include "engine/rocksdb/testing/rollup_store.h"

namespace varve::engine::rocksdb {
namespace {

using model::Timestamp;
using model::Value;
using testing::kDay;
using testing::kHour;
using testing::kMinute;
using testing::kStart;

constexpr std::int64_t kYear = 365 * kDay;
constexpr std::int64_t kEver = 2000 * kStart;  // µs

Options with_retentions() {
  Options o;
  o.raw_retention_ms = 90 * kDay;
  o.rollups.levels = {{5 * kMinute, 200 * kDay}, {kHour, 200 * kDay}};
  o.message_classes = message::Classes({}, 30 * kDay);
  o.slot_quiet_ms = 1000 * kDay;  // only settle() does anything
  o.merge_quiet_ms = 1000 * kDay;
  return o;
}

class JumpingClocks : public testing::RollupStore {
 protected:
  JumpingClocks() : RollupStore(with_retentions(), kStart + kDay) {}

  void put_hour(const storage::testing::Group& group, Timestamp from) {
    model::RowBatch batch;
    const Value one[] = {Value::of_long(1)};
    for (int i = 0; i < 60; ++i) batch.add(store.line(group), from + i * kMinute, one);
    ASSERT_TRUE(store.append(batch));
  }
  void put_messages() {
    ASSERT_TRUE(
        testing::put_messages(engine.store(), "t", {{kStart * 1000, 0, "one", ""}, {kStart * 1000 + 1, 0, "two", ""}}));
  }
  std::size_t messages() { return testing::messages_of(engine.store(), "t", -kEver, kEver).size(); }
  std::size_t samples(Timestamp hour) { return read("m", 1, {hour, hour + kHour}, false).samples; }
  // Of an hour, however it is read.
  std::uint64_t counted(Timestamp hour) {
    std::uint64_t count = 0;
    for (const auto& [start, sum] : read("m", kHour, {hour, hour + kHour}).sums) count += sum.count;
    return count;
  }
  std::size_t windows(Timestamp hour) { return read("m", kHour, {hour, hour + kHour}).windows; }
  // The jump is seen, and both clocks go on for longer than it takes to believe it.
  void believe_jump(std::int64_t ms) {
    clock.jump_ms(ms);
    settle();
    settle_in(kHour);
    settle_in(kHour);
  }
};

TEST_F(JumpingClocks, AMomentAheadDeletesNothing) {
  const auto group = store.group({"m"});
  put_hour(*group, kStart);
  put_messages();
  settle();
  clock.advance_ms(2 * kHour);  // retention is due
  clock.jump_ms(kYear);
  settle();
  EXPECT_EQ(samples(kStart), 60U);
  EXPECT_EQ(windows(kStart), 1U);
  EXPECT_EQ(messages(), 2U);
  EXPECT_GE(engine.store().slot_counts().clock_held_ms, kYear - kHour);
  EXPECT_EQ(engine.store().slot_counts().clock_jumps, 1U);
  clock.jump_ms(-kYear);
  settle_in(2 * kHour);
  EXPECT_EQ(samples(kStart), 60U);
  EXPECT_EQ(windows(kStart), 1U);
  EXPECT_EQ(messages(), 2U);
  EXPECT_EQ(engine.store().slot_counts().clock_held_ms, 0);
}

TEST_F(JumpingClocks, AStartThatIsAheadDeletesNothing) {
  const auto group = store.group({"m"});
  put_hour(*group, kStart);
  put_messages();
  settle();
  engine.close();
  clock.jump_ms(kYear);
  engine.open();
  clock.advance_ms(kHour - kMinute);
  settle();
  EXPECT_EQ(samples(kStart), 60U);
  EXPECT_EQ(windows(kStart), 1U);
  EXPECT_EQ(messages(), 2U);
  settle_in(2 * kMinute);  // it has been steady for an hour: the machine was off
  settle_in(kHour);
  EXPECT_EQ(samples(kStart), 0U);
  EXPECT_EQ(messages(), 0U);
}

TEST_F(JumpingClocks, WhatAnOperatorSaysIsBelieved) {
  const auto group = store.group({"m"});
  put_hour(*group, kStart);
  settle();
  clock.advance_ms(2 * kHour);
  clock.jump_ms(100 * kDay);
  engine.store().trust_clock();
  settle();
  EXPECT_EQ(samples(kStart), 0U);
  EXPECT_EQ(counted(kStart), 60U);
}

TEST_F(JumpingClocks, RetentionGoesOnAfterTheClockWentBack) {
  const auto group = store.group({"m"});
  for (const std::int64_t jump : {-kDay, kYear}) {
    clock.jump_ms(jump);
    settle();
    clock.jump_ms(jump > 0 ? -jump : 0);
    const Timestamp hour = model::window_start(clock.now_ms(), kHour) - 89 * kDay;
    put_hour(*group, hour);
    settle();
    EXPECT_EQ(samples(hour), 60U);
    settle_in(kDay + 2 * kHour);
    EXPECT_EQ(samples(hour), 0U);
    EXPECT_EQ(counted(hour), 60U);
  }
}

TEST_F(JumpingClocks, TimesToLiveGoOnAfterTheClockWasWrong) {
  put_hour(*store.group({"n"}, {{"host", "a"}}, "t", 86'400), kStart);
  settle();
  believe_jump(kYear);  // until then all has been looked at
  clock.jump_ms(-kYear);
  const Timestamp hour = model::window_start(clock.now_ms(), kHour);
  put_hour(*store.group({"m"}, {{"host", "b"}}, "t", 86'400), hour);
  settle_in(kHour);
  EXPECT_EQ(samples(hour), 60U);
  clock.advance_ms(2 * kDay);
  settle();
  std::uint64_t stored = 0;
  for (const auto& slot : engine.store().slots(store.tenant(), 1000)) stored += slot.samples;
  EXPECT_EQ(stored, 0U);
}

TEST_F(JumpingClocks, ATimeToLiveIsNotOverBecauseTheClockJumps) {
  put_hour(*store.group({"m"}, {{"host", "a"}}, "t", 86'400), kStart + kDay - kHour);
  settle_in(2 * kHour);
  clock.jump_ms(kYear);
  settle();
  EXPECT_EQ(samples(kStart + kDay - kHour), 60U);
  clock.jump_ms(-kYear);
  settle_in(2 * kHour);
  EXPECT_EQ(samples(kStart + kDay - kHour), 60U);
  settle_in(kDay);
  EXPECT_EQ(samples(kStart + kDay - kHour), 0U);
}

// The clock was wrong for longer than an hour: what was dropped is gone, but what is sent again is kept.
TEST_F(JumpingClocks, DroppedSlotsTakeSamplesAgainWhenTheTimeIsRight) {
  const auto group = store.group({"m"});
  put_hour(*group, kStart);
  put_hour(*group, kStart + kHour);
  settle();
  believe_jump(100 * kDay);
  ASSERT_EQ(samples(kStart), 0U);
  ASSERT_EQ(counted(kStart + kHour), 60U);
  clock.jump_ms(-100 * kDay);
  put_hour(*group, kStart);
  for (const bool again : {false, true}) {
    settle_in(kHour);
    EXPECT_EQ(samples(kStart), 60U) << again;
    EXPECT_EQ(counted(kStart), 120U) << "what its windows know, and what came again";
    EXPECT_EQ(counted(kStart + kHour), 60U);
    store.restart();
  }
  settle_in(100 * kDay);  // its time is over
  settle();
  EXPECT_EQ(samples(kStart), 0U);
  EXPECT_EQ(counted(kStart), 120U);
  EXPECT_EQ(windows(kStart), 1U);
  EXPECT_EQ(engine.store().slot_counts().pending, 0U);
}

TEST_F(JumpingClocks, AClockBefore1970IsRefused) {
  engine.close();
  clock.jump_ms(-clock.now_ms() - 1);
  const auto opened = Store::open(engine.options(), clock);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, Code::invalid);
  EXPECT_NE(opened.error().message.find("1970"), std::string::npos);
  clock.jump_ms(1);
  engine.open();
}

}  // namespace
}  // namespace varve::engine::rocksdb
