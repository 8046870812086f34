// SPDX-License-Identifier: Apache-2.0
// Which slots are rolled up without waiting for a round: those that share level slots, where nothing comes any more.
#include <gtest/gtest.h>

#include <algorithm>
#include <semaphore>

#include "engine/rocksdb/testing/rollup_store.h"
#include "storage/slot_store.h"

namespace varve::engine::rocksdb {
namespace {

using model::Timestamp;
using model::Value;
using testing::kDay;
using testing::kHour;
using testing::kMinute;
using testing::kStart;

constexpr Timestamp kSetWidth = 12 * kDay;                                           // windows of an hour share so much
constexpr Timestamp kFirstSet = (kStart + kSetWidth) / kSetWidth * kSetWidth;        // a set begins
constexpr Timestamp kInASet = kFirstSet + 10 * kSetWidth + 5 * kDay + 20 * kMinute;  // in the middle of a set

struct SealCount {
  std::counting_semaphore<> count{0};
};

Options options_counting(SealCount& sealed) {
  Options o;
  o.rollups.levels = {{5 * kMinute, rollup::kForEver}, {kHour, rollup::kForEver}, {kDay, rollup::kForEver}};
  o.slot_quiet_ms = kHour;  // and a round is due an hour after the start
  o.at_step = [&sealed](std::string_view step) {
    if (step == "seal.published") sealed.count.release();
    return Status{};
  };
  return o;
}

class QuietSets : private SealCount, public testing::RollupStore {
 protected:
  QuietSets() : RollupStore(options_counting(*this), kInASet) {}

  void put_day(Timestamp from) {
    for (Timestamp t = from; t < from + kDay; t += 10 * kMinute) put(t);
  }
  void put(Timestamp time) { ASSERT_TRUE(store.put(*group_, time, {Value::of_long(1)})); }
  void flush() {  // as a delete does at first
    const model::TimeRange nothing{kInASet + kDay, kInASet + kDay + 1};
    ASSERT_TRUE(engine.samples().erase(store.tenant(), store.find("m"), nothing, nullptr));
  }
  void wait_for_seal() { count.acquire(); }
  // Is all of a set, or of its first days, in windows that has ended and is in runs?
  bool is_sealed(Timestamp set, std::int64_t width_ms = kSetWidth) {
    const auto slots = engine.store().slots(store.tenant(), 1000);
    return std::ranges::none_of(slots, [&](const storage::SlotState& slot) {
      return set <= slot.start && slot.end <= std::min(set + width_ms, clock.now_ms() - kHour) &&
             slot.phase != storage::SlotPhase::sealed && slot.phase != storage::SlotPhase::hot;
    });
  }

  storage::testing::Group* group_ = store.group({"m"});
};

TEST_F(QuietSets, AreSealedByThemselvesAndNoOthers) {
  const Timestamp quiet = kFirstSet, more = kFirstSet + kSetWidth, sealed_before = kFirstSet + 2 * kSetWidth,
                  growing = kFirstSet + 3 * kSetWidth, in_head = kFirstSet + 4 * kSetWidth,
                  under_way = kFirstSet + 10 * kSetWidth;
  put_day(sealed_before);
  settle();
  wait_for_seal();
  for (const Timestamp set :
       {quiet, quiet + 3 * kDay, more + 11 * kDay, sealed_before + 5 * kMinute, growing, in_head, under_way}) {
    put_day(set);
  }
  put_day(under_way + 5 * kDay - 3 * kHour);  // also what has not ended
  flush();
  clock.advance_ms(20'000);
  put_day(growing + 2 * kDay);
  flush();
  put(in_head + 7 * kDay);
  EXPECT_FALSE(is_sealed(quiet)) << "it grew a moment ago";
  clock.advance_ms(11'000);
  wait_for_seal();
  EXPECT_TRUE(is_sealed(quiet));
  EXPECT_TRUE(is_sealed(more));
  EXPECT_FALSE(is_sealed(sealed_before)) << "what trickles into it waits for a round";
  EXPECT_FALSE(is_sealed(growing));
  EXPECT_FALSE(is_sealed(in_head));
  EXPECT_FALSE(is_sealed(under_way)) << "its hours; the whole day is a set of its own";

  clock.advance_ms(2 * kHour);  // a round
  for (const Timestamp set : {quiet, more, sealed_before, growing, under_way}) {
    while (!is_sealed(set)) wait_for_seal();
  }
  EXPECT_FALSE(is_sealed(in_head)) << "the round wrote it, so it grew a moment ago";
  clock.advance_ms(31'000);
  while (!is_sealed(in_head)) wait_for_seal();
}

TEST_F(QuietSets, DoNotWaitAnewForTheirMerges) {
  for (int half = 0; half < 2; ++half) {
    for (int day = 0; day < 12; ++day) {
      for (int i = 0; i < 72; ++i) put(kFirstSet + day * kDay + (2 * i + half) * 10 * kMinute);
    }
    flush();
  }
  clock.advance_ms(31'000);
  while (!is_sealed(kFirstSet)) wait_for_seal();
  for (const storage::SlotState& slot : engine.store().slots(store.tenant(), 1000)) {
    EXPECT_EQ(slot.fragments, 1U) << "they were merged first";
  }
}

// What only a round seals says that there was one.
TEST_F(QuietSets, ThatStillGrowAreLeftByOneRound) {
  const Timestamp growing = kFirstSet, under_way = kFirstSet + 10 * kSetWidth,
                  sealed_before = kFirstSet + 2 * kSetWidth;
  put_day(sealed_before);
  settle();
  wait_for_seal();
  put_day(growing);
  for (int round = 1; round <= 2; ++round) {
    put_day(sealed_before + round * kMinute);
    put(under_way + round * kHour);  // its set has not ended
    clock.advance_ms(kHour - 10'000);
    put_day(growing + round * kDay);
    put(under_way + round * kHour + kMinute);
    flush();
    clock.advance_ms(11'000);
    while (!is_sealed(sealed_before) || !is_sealed(under_way)) wait_for_seal();
    EXPECT_FALSE(is_sealed(growing, kDay * (round + 1))) << round;
    EXPECT_EQ(is_sealed(growing, kDay * round), round == 2) << round;
  }
  clock.advance_ms(31'000);
  while (!is_sealed(growing)) wait_for_seal();
}

}  // namespace
}  // namespace varve::engine::rocksdb
