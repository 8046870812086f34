// SPDX-License-Identifier: Apache-2.0
#include "tracker/coalescing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "model/testing/lengths.h"
#include "tracker/local_tracker.h"

namespace varve::tracker {
namespace {

using model::testing::kHour;
constexpr std::int64_t kQuiet = 300'000;
constexpr model::Timestamp kNow = 1'600'000'000'000;

// Counts what comes through, and fails when told to.
class Below final : public SlotTracker {
 public:
  Status touch(std::span<const Touch> touches, model::Timestamp now_ms) override {
    if (away) return varve::fail(Code::unavailable, "away");
    touched += touches.size();
    ++batches;
    return local.touch(touches, now_ms);
  }
  Result<std::vector<Due>> due(model::Timestamp now_ms, std::span<const std::uint32_t> partitions, std::size_t limit,
                               When when) override {
    return local.due(now_ms, partitions, limit, when);
  }
  Result<bool> complete(const Due& work) override { return local.complete(work); }
  Status fail(const Due& work, model::Timestamp now_ms) override { return local.fail(work, now_ms); }
  Result<bool> pending(model::TenantId tenant, model::Timestamp slot) override { return local.pending(tenant, slot); }
  Result<std::vector<bool>> pending_of(std::span<const Touch> entries) override { return local.pending_of(entries); }
  Result<std::vector<model::Timestamp>> pending_slots(model::TenantId tenant, model::TimeRange range) override {
    return local.pending_slots(tenant, range);
  }
  Result<Counts> counts() override { return local.counts(); }
  Result<std::vector<SetAside>> set_aside(std::size_t limit) override { return local.set_aside(limit); }

  LocalTracker local{{.quiet_ms = kQuiet}};
  std::size_t touched = 0, batches = 0;
  bool away = false;
};

class Coalescing : public ::testing::Test {
 protected:
  static Touch of(std::uint32_t id, model::Timestamp slot = 0, std::uint32_t tenant = 1) {
    return {{model::TenantId{tenant}, id}, 0, slot};
  }
  // How many of them reach the tracker below.
  std::size_t touch(std::vector<Touch> touches, model::Timestamp now = kNow) {
    const std::size_t before = below.touched;
    EXPECT_EQ(tracker.touch(touches, now).has_value(), !below.away);
    return below.touched - before;
  }
  std::vector<Due> due(model::Timestamp now, When when) {
    return tracker.due(now, std::vector<std::uint32_t>{0}, kNoLimit, when).value();
  }

  Below below;
  std::uint64_t version = 1;
  CoalescingTracker tracker{below, kQuiet, 1000, [this] { return version; }};
};

TEST_F(Coalescing, touches_within_half_the_quiet_time_are_left_out) {
  EXPECT_EQ(touch({of(1), of(2)}), 2U);
  EXPECT_EQ(touch({of(1), of(2), of(3)}), 1U);
  EXPECT_EQ(touch({of(1)}, kNow + kQuiet / 2 - 1), 0U);
  EXPECT_EQ(below.batches, 2U) << "nothing to send is not sent";
  EXPECT_EQ(touch({of(1)}, kNow + kQuiet / 2), 1U);
  EXPECT_EQ(touch({of(1)}, kNow + kQuiet - 1), 0U) << "counted from the touch that was sent";
  EXPECT_EQ(touch({of(1)}, kNow + kQuiet), 1U);
}

TEST_F(Coalescing, tenants_and_slots_are_apart) {
  EXPECT_EQ(touch({of(1)}), 1U);
  EXPECT_EQ(touch({of(1, kHour)}), 1U);
  EXPECT_EQ(touch({of(1, 0, 2)}), 1U);
  EXPECT_EQ(touch({of(1), of(1, kHour), of(1, 0, 2)}), 0U);
}

TEST_F(Coalescing, what_did_not_arrive_is_sent_again) {
  below.away = true;
  touch({of(1)});
  below.away = false;
  EXPECT_EQ(touch({of(1)}), 1U);
}

TEST_F(Coalescing, what_the_tracker_may_have_lost_is_sent_again) {
  touch({of(1)});
  version = 2;
  EXPECT_EQ(touch({of(1)}), 1U);
  // Lost while they were on their way: it is not known whether before or after.
  const auto list = tracker.wanted(std::vector{of(2)}, kNow);
  version = 3;
  EXPECT_EQ(touch({of(3)}), 1U);
  tracker.touched(list, kNow);
  EXPECT_EQ(touch({of(2)}), 1U);
}

TEST_F(Coalescing, a_clock_that_goes_back) {
  touch({of(1)}, kNow);
  EXPECT_EQ(touch({of(1)}, kNow - 1000), 0U);
  EXPECT_EQ(touch({of(1)}, kNow - 10 * kHour), 1U) << "not left out for ten hours";
}

TEST_F(Coalescing, settling_completes_only_what_is_quiet) {
  touch({of(1)}, kHour - 1);
  touch({of(2)}, kHour - kQuiet);
  auto list = due(kHour + 1, When::ended);
  ASSERT_EQ(list.size(), 2U);
  for (const Due& work : list) EXPECT_FALSE(tracker.complete(work).value()) << "touches may have been left out";
  list = due(kHour + kQuiet, When::ended);
  ASSERT_EQ(list.size(), 2U);
  for (const Due& work : list) EXPECT_TRUE(tracker.complete(work).value());
}

TEST(TouchMemory, StaysWithinItsBounds) {
  constexpr std::size_t kMax = 500;
  TouchMemory memory(1000, kMax);
  std::mt19937 random(1);
  const auto below = [&](std::uint32_t n) { return std::uniform_int_distribution<std::uint32_t>(0, n - 1)(random); };
  std::size_t left_out = 0;
  std::map<std::pair<std::uint32_t, model::Timestamp>, model::Timestamp> noted;
  for (model::Timestamp now = kNow; now < kNow + 50'000; now += below(20)) {
    std::vector<Touch> batch;
    const model::Timestamp slot = below(4);
    for (auto n = below(100); n > 0; --n) batch.push_back({{model::TenantId{1}, below(400)}, 0, slot});
    const auto unknown = memory.unknown(batch, now, 0);
    for (const Touch& touch : batch) {
      if (std::ranges::find(unknown, touch.member, &Touch::member) != unknown.end()) continue;
      ++left_out;
      ASSERT_LT(now - noted.at({touch.member.id, slot}), 1000);
    }
    for (const Touch& touch : unknown) noted[{touch.member.id, slot}] = now;
    memory.note(unknown, now, 0);
    ASSERT_LE(memory.entries(), kMax);
  }
  EXPECT_GT(left_out, 10'000U);
}

// More in one slot than there is room for: some are remembered, the others sent each time.
TEST(TouchMemory, OneSlotTooLarge) {
  TouchMemory memory(1000, 100);
  std::vector<Touch> batch;
  batch.reserve(250);
  for (std::uint32_t id = 0; id < 250; ++id) batch.push_back({{model::TenantId{1}, id}, 0, 0});
  for (int round = 0; round < 5; ++round) {
    memory.note(memory.unknown(batch, kNow, 0), kNow, 0);
    EXPECT_LE(memory.entries(), 100U);
    EXPECT_GE(memory.entries(), 50U);
  }
}

}  // namespace
}  // namespace varve::tracker
