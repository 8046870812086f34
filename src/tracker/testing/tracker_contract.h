// SPDX-License-Identifier: Apache-2.0
// What every SlotTracker must do. Use:
//   INSTANTIATE_TEST_SUITE_P(local, TrackerContract, ::testing::Values(MakeTracker(…)));
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>

#include "model/testing/lengths.h"
#include "tracker/slot_tracker.h"

namespace varve::tracker::testing {

// An empty tracker.
using MakeTracker = std::function<std::unique_ptr<SlotTracker>(const TrackerOptions&)>;

using model::testing::kHour;
using model::testing::kMinute;

class TrackerContract : public ::testing::TestWithParam<MakeTracker> {
 protected:
  static constexpr model::TenantId kTenant{7};
  static constexpr std::int64_t kQuiet = 5 * kMinute;
  static constexpr model::Timestamp kSlot = 1'599'933'600'000;  // 2020-09-12T18:00Z
  static constexpr model::Timestamp kEnd = kSlot + kHour;
  static constexpr model::Timestamp kReady = kEnd + kQuiet;

  // One member to a slot, in a partition that follows from its id.
  static Touch of(std::uint32_t id, model::Timestamp slot = kSlot, model::TenantId tenant = kTenant) {
    return {{tenant, id}, id % options().partitions, slot};
  }
  static TrackerOptions options() {
    return {.width_ms = kHour, .quiet_ms = kQuiet, .partitions = 64, .backoff_ms = 10'000, .backoff_ms_max = kHour};
  }

  void touch(std::vector<Touch> touches, model::Timestamp now) { ASSERT_TRUE(tracker->touch(touches, now)); }
  std::vector<Due> due(model::Timestamp now, When when = When::quiet, std::size_t limit = kNoLimit) {
    std::vector<std::uint32_t> all;
    for (std::uint32_t p = 0; p < options().partitions; ++p) all.push_back(p);
    return due_of(all, now, when, limit);
  }
  std::vector<Due> due_of(std::vector<std::uint32_t> partitions, model::Timestamp now, When when = When::quiet,
                          std::size_t limit = kNoLimit) {
    auto list = tracker->due(now, partitions, limit, when);
    EXPECT_TRUE(list);
    return list ? *list : std::vector<Due>{};
  }
  // "1 2": ids, ascending.
  static std::string ids(std::vector<Due> list) {
    std::ranges::sort(list, {}, [](const Due& d) { return d.member.id; });
    std::string text;
    for (const Due& d : list) text += (text.empty() ? "" : " ") + std::to_string(d.member.id);
    return text;
  }
  bool complete(const Due& work) { return tracker->complete(work).value(); }
  Counts counts() { return tracker->counts().value(); }
  std::vector<model::Timestamp> slots(model::TimeRange range, model::TenantId tenant = kTenant) {
    return tracker->pending_slots(tenant, range).value();
  }

  std::unique_ptr<SlotTracker> tracker = GetParam()(options());
};

TEST_P(TrackerContract, nothing_is_pending_at_first) {
  EXPECT_EQ(ids(due(kReady)), "");
  EXPECT_EQ(counts().pending, 0U);
  EXPECT_FALSE(counts().oldest_due_ms);
  EXPECT_FALSE(tracker->pending(kTenant, kSlot).value());
  EXPECT_TRUE(slots({}).empty());
  EXPECT_TRUE(tracker->touch({}, kSlot));
  EXPECT_EQ(counts().pending, 0U);
}

TEST_P(TrackerContract, a_slot_is_ready_when_it_has_ended_and_is_quiet) {
  touch({of(1)}, kSlot + kMinute);
  EXPECT_EQ(ids(due(kSlot + kMinute + kQuiet)), "") << "quiet, and not ended";
  EXPECT_EQ(ids(due(kReady - 1)), "");
  const auto list = due(kReady);
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0].member, (Member{kTenant, 1}));
  EXPECT_EQ(list[0].partition, 1U);
  EXPECT_EQ(list[0].slot, kSlot);
  EXPECT_EQ(list[0].ready_ms, kReady);
}

TEST_P(TrackerContract, a_late_touch_counts_from_itself) {
  touch({of(1)}, kEnd + 7 * kHour);
  EXPECT_EQ(ids(due(kEnd + 7 * kHour + kQuiet - 1)), "");
  EXPECT_EQ(ids(due(kEnd + 7 * kHour + kQuiet)), "1");
}

TEST_P(TrackerContract, samples_of_the_future_wait_for_their_slot) {
  touch({of(1, kSlot + 24 * kHour)}, kSlot);
  EXPECT_EQ(ids(due(kReady)), "");
  EXPECT_EQ(ids(due(kReady + 24 * kHour - 1)), "");
  EXPECT_EQ(ids(due(kReady + 24 * kHour)), "1");
}

TEST_P(TrackerContract, negative_slots_are_slots) {
  touch({of(1, -kHour), of(2, -1000 * kHour)}, kSlot);
  EXPECT_EQ(ids(due(kSlot + kQuiet)), "1 2");
  EXPECT_EQ(slots({-1, 0}), (std::vector<model::Timestamp>{-kHour}));
}

// With slots of 5 minutes and 2 of quiet: the running one is not ready, the one of ten minutes ago is.
TEST_P(TrackerContract, of_two_slots_only_the_past_one_is_ready) {
  tracker = GetParam()({.width_ms = 5 * kMinute, .quiet_ms = 2 * kMinute});
  const model::Timestamp now = kSlot + 11 * kMinute;
  touch({of(1, kSlot)}, kSlot + kMinute);
  touch({of(2, kSlot + 10 * kMinute)}, now);
  EXPECT_EQ(ids(due(now)), "1");
}

TEST_P(TrackerContract, a_trickle_delays_nobody_else) {
  touch({of(1), of(2), of(65)}, kEnd - 1);
  for (model::Timestamp now = kEnd; now < kEnd + kHour; now += kQuiet - 1) {
    touch({of(1)}, now);
    EXPECT_EQ(ids(due(now)), now < kReady ? "" : "2 65");
  }
}

TEST_P(TrackerContract, partitions_are_apart) {
  touch({of(25), of(50), of(50 + 64)}, kSlot);
  EXPECT_EQ(ids(due_of({50}, kReady)), "50 114");
  EXPECT_EQ(ids(due_of({25}, kReady)), "25");
  EXPECT_EQ(ids(due_of({25, 50}, kReady)), "25 50 114");
  EXPECT_EQ(ids(due_of({24, 26}, kReady)), "");
  EXPECT_EQ(ids(due_of({}, kReady)), "");
}

TEST_P(TrackerContract, several_ready_slots_are_all_given) {
  touch({of(1), of(1, kSlot - kHour), of(1, kSlot - 5 * kHour), of(1, kSlot + kHour)}, kSlot);
  const auto list = due(kReady);
  ASSERT_EQ(list.size(), 3U);
  EXPECT_EQ(list[2].slot, kSlot) << "the last to be ready";
}

TEST_P(TrackerContract, they_come_in_the_order_of_readiness_also_cut_short) {
  for (std::uint32_t i = 0; i < 20; ++i) {
    const std::uint32_t id = i * 7 % 20;  // ready at kReady + id minutes
    touch({of(id)}, kEnd + id * kMinute);
  }
  const model::Timestamp now = kReady + kHour;
  auto list = due(now, When::quiet, 8);
  ASSERT_EQ(list.size(), 8U);
  for (std::uint32_t id = 0; id < 8; ++id) EXPECT_EQ(list[id].member.id, id);
  EXPECT_EQ(due(now, When::quiet, 0).size(), 0U);
  for (const Due& work : list) EXPECT_TRUE(complete(work));
  list = due(now, When::quiet, 8);
  ASSERT_EQ(list.size(), 8U);
  EXPECT_EQ(list[0].member.id, 8U);
}

TEST_P(TrackerContract, due_again_until_completed) {
  touch({of(1)}, kSlot);
  EXPECT_EQ(ids(due(kReady)), "1");
  const auto list = due(kReady + kMinute);
  ASSERT_EQ(list.size(), 1U);
  EXPECT_TRUE(complete(list[0]));
  EXPECT_EQ(ids(due(kReady + kHour)), "");
  EXPECT_FALSE(complete(list[0])) << "gone already";
}

TEST_P(TrackerContract, completing_one_of_two_leaves_the_other) {
  touch({of(1), of(65)}, kSlot);
  auto list = due(kReady);
  ASSERT_EQ(list.size(), 2U);
  EXPECT_TRUE(complete(list[0]));
  EXPECT_TRUE(tracker->pending(kTenant, kSlot).value());
  EXPECT_EQ(counts().pending, 1U);
  list = due(kReady);
  ASSERT_EQ(list.size(), 1U);
  EXPECT_TRUE(complete(list[0]));
  EXPECT_FALSE(tracker->pending(kTenant, kSlot).value());
  EXPECT_TRUE(slots({}).empty());
  EXPECT_EQ(counts().pending, 0U);
}

TEST_P(TrackerContract, a_touch_during_the_work_keeps_it_pending) {
  touch({of(1)}, kSlot);
  const Due work = due(kReady).at(0);
  touch({of(1)}, kReady + 10);  // the sealer has read, or not
  EXPECT_FALSE(complete(work));
  EXPECT_TRUE(tracker->pending(kTenant, kSlot).value());
  EXPECT_EQ(ids(due(kReady + 10 + kQuiet - 1)), "");
  const Due again = due(kReady + 10 + kQuiet).at(0);
  EXPECT_NE(again.generation, work.generation);
  EXPECT_FALSE(complete(work));
  EXPECT_TRUE(complete(again));
}

// Worker A is slow, B takes over and completes, new data comes: A's generation must not fit the new entry.
TEST_P(TrackerContract, generations_do_not_begin_again) {
  touch({of(1)}, kSlot);
  const Due of_a = due(kReady).at(0);
  EXPECT_TRUE(complete(due(kReady).at(0)));
  touch({of(1)}, kReady + kMinute);
  EXPECT_FALSE(complete(of_a));
  EXPECT_EQ(ids(due(kReady + kHour)), "1");
}

TEST_P(TrackerContract, completed_slots_become_pending_again) {
  for (int round = 0; round < 4; ++round) {
    const model::Timestamp now = kReady + round * kHour;
    touch({of(1)}, now);
    EXPECT_TRUE(tracker->pending(kTenant, kSlot).value());
    EXPECT_EQ(ids(due(now + kQuiet - 1)), "");
    const auto list = due(now + kQuiet);
    ASSERT_EQ(list.size(), 1U);
    EXPECT_TRUE(complete(list[0]));
  }
}

TEST_P(TrackerContract, a_clock_that_goes_back_hurries_nothing) {
  touch({of(1)}, kEnd + kHour);
  touch({of(1)}, kEnd - 5 * kHour);
  EXPECT_EQ(ids(due(kEnd + kHour + kQuiet - 1)), "");
  EXPECT_EQ(ids(due(kEnd + kHour + kQuiet)), "1");
}

TEST_P(TrackerContract, settling_takes_what_has_ended) {
  touch({of(1), of(2, kSlot + kHour)}, kEnd - 1);
  EXPECT_EQ(ids(due(kEnd - 1, When::ended)), "");
  EXPECT_EQ(ids(due(kEnd, When::ended)), "1");
  EXPECT_EQ(ids(due_of({2}, kEnd, When::ended)), "");
  EXPECT_EQ(ids(due(kEnd + kHour, When::ended)), "1 2");
}

TEST_P(TrackerContract, what_was_settled_and_touched_again_is_ready_after_the_quiet_time) {
  touch({of(1)}, kEnd - 1);
  complete(due(kEnd, When::ended).at(0));
  touch({of(1)}, kEnd + kMinute);
  EXPECT_EQ(ids(due(kEnd + kMinute + kQuiet - 1)), "");
  EXPECT_EQ(ids(due(kEnd + kMinute + kQuiet)), "1");
}

TEST_P(TrackerContract, a_failure_sets_aside_with_growing_waits) {
  touch({of(1), of(2)}, kSlot);
  model::Timestamp now = kReady;
  for (std::uint32_t failures = 1; failures < 12; ++failures) {
    const auto list = due(now);
    ASSERT_EQ(ids(list), "1 2");
    const Due& work = list[list[0].member.id == 1 ? 0 : 1];
    ASSERT_TRUE(tracker->fail(work, now));
    EXPECT_EQ(ids(due(now)), "2") << "the others go on";
    EXPECT_EQ(counts().set_aside, 1U);
    EXPECT_EQ(counts().pending, 2U);
    EXPECT_EQ(ids(due(now, When::ended)), "2") << "settling does not insist";
    const auto aside = tracker->set_aside(10).value();
    ASSERT_EQ(aside.size(), 1U);
    EXPECT_EQ(aside[0].member, work.member);
    EXPECT_EQ(aside[0].slot, kSlot);
    EXPECT_EQ(aside[0].failures, failures);
    EXPECT_EQ(aside[0].retry_ms, now + std::min<std::int64_t>(10'000LL << (failures - 1), kHour));
    EXPECT_EQ(ids(due(aside[0].retry_ms - 1)), "2");
    now = aside[0].retry_ms;
  }
  for (const Due& work : due(now)) EXPECT_TRUE(complete(work));
  EXPECT_EQ(counts().set_aside, 0U);
  EXPECT_TRUE(tracker->set_aside(10).value().empty());
  EXPECT_EQ(counts().pending, 0U);
}

TEST_P(TrackerContract, touching_does_not_bring_back_what_is_set_aside) {
  touch({of(1)}, kSlot);
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(tracker->fail(due(kReady + kHour).at(0), kReady - 2 * kHour));
  ASSERT_TRUE(tracker->fail(due(kReady + kHour).at(0), kReady + kHour));  // 10 s × 2⁸
  const model::Timestamp retry = kReady + kHour + 2'560'000;
  touch({of(1)}, kReady + kHour + 1);
  EXPECT_EQ(ids(due(retry - 1)), "");
  EXPECT_EQ(ids(due(retry)), "1");
}

TEST_P(TrackerContract, failing_what_is_gone_does_nothing) {
  touch({of(1)}, kSlot);
  const Due work = due(kReady).at(0);
  EXPECT_TRUE(complete(work));
  EXPECT_TRUE(tracker->fail(work, kReady));
  EXPECT_EQ(counts().set_aside, 0U);
  EXPECT_EQ(counts().pending, 0U);
}

TEST_P(TrackerContract, tenants_are_apart) {
  const model::TenantId other{8};
  touch({of(1), of(1, kSlot, other), of(1, kSlot + kHour, other)}, kSlot);
  EXPECT_EQ(counts().pending, 3U);
  EXPECT_EQ(slots({}), (std::vector{kSlot}));
  EXPECT_EQ(slots({}, other), (std::vector{kSlot, kSlot + kHour}));
  const auto list = due(kReady);
  ASSERT_EQ(list.size(), 2U);
  EXPECT_TRUE(complete(list[list[0].member.tenant == other ? 0 : 1]));
  EXPECT_TRUE(tracker->pending(kTenant, kSlot).value());
  EXPECT_FALSE(tracker->pending(other, kSlot).value());
  EXPECT_FALSE(tracker->pending(model::TenantId{9}, kSlot).value());
}

TEST_P(TrackerContract, each_entry_is_pending_by_itself) {
  const auto pending = [&](std::vector<Touch> entries) {
    const std::vector<bool> list = tracker->pending_of(entries).value();
    std::string text;
    for (const bool one : list) text += one ? 'y' : '-';
    return text;
  };
  EXPECT_EQ(pending({}), "");
  EXPECT_EQ(pending({of(1)}), "-");
  touch({of(1), of(2), of(65, kSlot + kHour), of(3, kSlot, model::TenantId{8})}, kSlot);
  const std::vector<Touch> all = {
      of(1), of(2), of(3), of(1, kSlot + kHour), of(65, kSlot + kHour), of(3, kSlot, model::TenantId{8})};
  EXPECT_EQ(pending(all), "yy--yy");
  const auto list = due(kReady);
  ASSERT_EQ(list.size(), 3U);
  ASSERT_TRUE(tracker->fail(list[0], kReady)) << "set aside is pending";
  EXPECT_EQ(pending(all), "yy--yy");
  for (const Due& work : list) {
    if (work.member == of(2).member) {
      EXPECT_TRUE(complete(work));
    }
  }
  EXPECT_EQ(pending(all), "y---yy");
  touch({of(2)}, kReady + kMinute);
  EXPECT_EQ(pending(all), "yy--yy");
}

TEST_P(TrackerContract, pending_slots_are_those_that_overlap) {
  touch({of(1), of(2, kSlot + kHour), of(3, kSlot + 5 * kHour)}, kSlot);
  const auto minutes = [&](std::int64_t from, std::int64_t to) {
    return slots({kSlot + from * kMinute, kSlot + to * kMinute});
  };
  using List = std::vector<model::Timestamp>;
  EXPECT_EQ(minutes(15, 19), (List{kSlot}));
  EXPECT_EQ(minutes(0, 60), (List{kSlot})) << "half-open";
  EXPECT_EQ(minutes(15, 79), (List{kSlot, kSlot + kHour}));
  EXPECT_EQ(minutes(60, 61), (List{kSlot + kHour}));
  EXPECT_EQ(minutes(120, 300), List{});
  EXPECT_EQ(minutes(-60, 0), List{});
  EXPECT_EQ(minutes(15, 15), List{});
  EXPECT_EQ(slots({}), (List{kSlot, kSlot + kHour, kSlot + 5 * kHour}));
}

TEST_P(TrackerContract, the_oldest_is_told) {
  touch({of(1, kSlot + kHour)}, kSlot);
  EXPECT_EQ(counts().oldest_due_ms, kReady + kHour);
  touch({of(2)}, kSlot);
  EXPECT_EQ(counts().oldest_due_ms, kReady);
  touch({of(2)}, kEnd + kMinute);
  EXPECT_EQ(counts().oldest_due_ms, kReady + kMinute);
  EXPECT_TRUE(complete(due(kReady + kMinute).at(0)));
  EXPECT_EQ(counts().oldest_due_ms, kReady + kHour);
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(TrackerContract);

}  // namespace varve::tracker::testing
