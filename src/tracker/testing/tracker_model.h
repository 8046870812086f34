// SPDX-License-Identifier: Apache-2.0
// Random work on a SlotTracker, compared with the plainest one: a map that is looked through from end to end.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <tuple>

#include "tracker/slot_tracker.h"

namespace varve::tracker::testing {

class TrackerModel {
 public:
  TrackerModel(SlotTracker& tracker, const TrackerOptions& options, std::uint32_t seed)
      : tracker_(tracker), options_(options), random_(seed) {}

  void run(int steps) {
    for (int i = 0; i < steps && !::testing::Test::HasFailure(); ++i) {
      SCOPED_TRACE("step " + std::to_string(i));
      now_ += pick(static_cast<std::uint32_t>(options_.quiet_ms / 4));
      switch (pick(8)) {
        case 0:
        case 1:
        case 2: touch(); break;
        case 3: look(When::quiet); break;
        case 4: look(When::ended); break;
        case 5: work(When::quiet); break;
        case 6: work(When::ended); break;
        default: ask();
      }
    }
  }

 private:
  using Key = std::tuple<model::TenantId, std::uint32_t, model::Timestamp>;
  struct Entry {
    model::Timestamp touched = 0, retry = 0;
    std::uint32_t failures = 0;
    std::uint64_t touches = 0;  // of the model: has it changed since it was given out?
  };

  std::uint32_t pick(std::uint32_t below) {
    return std::uniform_int_distribution<std::uint32_t>(0, below - 1)(random_);
  }
  static std::uint32_t partition(std::uint32_t id) { return id * 5 % 8; }

  [[nodiscard]] model::Timestamp ready(const Key& key, const Entry& entry) const {
    return std::max(std::max(std::get<2>(key) + options_.width_ms, entry.touched) + options_.quiet_ms, entry.retry);
  }

  void touch() {
    std::vector<Touch> touches;
    const model::Timestamp current = model::window_start(now_, options_.width_ms);
    for (auto n = 1 + pick(30); n > 0; --n) {
      const model::TenantId tenant{pick(3)};
      const std::uint32_t id = pick(2) == 0 ? pick(8) : pick(400) * 64;
      const model::Timestamp slot = current - options_.width_ms * (pick(4) == 0 ? pick(30) : pick(2));
      touches.push_back({{tenant, id}, partition(id), slot});
      Entry& entry = entries_[{tenant, id, slot}];
      entry.touched = std::max(entry.touched, now_);
      entry.touches = ++touches_;
    }
    ASSERT_TRUE(tracker_.touch(touches, now_));
  }

  std::vector<Due> ask_due(When when, std::size_t limit, const std::set<std::uint32_t>& partitions) {
    const std::vector<std::uint32_t> list(partitions.begin(), partitions.end());
    const auto found = tracker_.due(now_, list, limit, when);
    EXPECT_TRUE(found);
    return *found;
  }

  std::set<std::uint32_t> some_partitions() {
    std::set<std::uint32_t> list;
    for (std::uint32_t p = 0; p < 8; ++p) {
      if (pick(3) > 0) list.insert(p);
    }
    return list;
  }

  // Everything that is due, and nothing else.
  void look(When when) {
    const auto partitions = some_partitions();
    std::map<Key, model::Timestamp> want;
    for (const auto& [key, entry] : entries_) {
      const bool ended = std::get<2>(key) + options_.width_ms <= now_ && entry.failures == 0;
      const bool is_due = ready(key, entry) <= now_ || (when == When::ended && ended);
      if (is_due && partitions.contains(partition(std::get<1>(key)))) want[key] = ready(key, entry);
    }
    std::map<Key, model::Timestamp> got;
    for (const Due& due : ask_due(when, kNoLimit, partitions)) {
      EXPECT_TRUE(got.emplace(Key{due.member.tenant, due.member.id, due.slot}, due.ready_ms).second) << "twice";
      EXPECT_EQ(due.partition, partition(due.member.id));
    }
    EXPECT_EQ(got, want);
  }

  // Takes some, touches other things meanwhile, completes or fails them.
  void work(When when) {
    const auto list = ask_due(when, 1 + pick(40), some_partitions());
    std::vector<std::uint64_t> seen;
    seen.reserve(list.size());
    for (const Due& due : list) seen.push_back(entries_.at({due.member.tenant, due.member.id, due.slot}).touches);
    if (pick(2) == 0) touch();
    for (std::size_t i = 0; i < list.size(); ++i) {
      const Due& due = list[i];
      const auto entry = entries_.find({due.member.tenant, due.member.id, due.slot});
      if (pick(5) == 0) {
        ASSERT_TRUE(tracker_.fail(due, now_));
        entry->second.retry = retry_at(options_, ++entry->second.failures, now_);
      } else {
        const auto done = tracker_.complete(due);
        ASSERT_TRUE(done);
        ASSERT_EQ(*done, entry->second.touches == seen[i]);
        if (*done) entries_.erase(entry);
      }
    }
  }

  void ask() {
    std::map<model::TenantId, std::set<model::Timestamp>> slots;
    std::uint64_t set_aside = 0;
    std::optional<model::Timestamp> oldest;
    for (const auto& [key, entry] : entries_) {
      slots[std::get<0>(key)].insert(std::get<2>(key));
      set_aside += entry.failures > 0 ? 1 : 0;
      oldest = std::min(oldest.value_or(ready(key, entry)), ready(key, entry));
    }
    const auto counts = tracker_.counts();
    ASSERT_TRUE(counts);
    EXPECT_EQ(counts->pending, entries_.size());
    EXPECT_EQ(counts->set_aside, set_aside);
    EXPECT_EQ(tracker_.set_aside(kNoLimit)->size(), set_aside);
    const std::optional<model::Timestamp>& told = counts->oldest_due_ms;
    ASSERT_EQ(told.has_value(), oldest.has_value());
    if (told && oldest) {
      EXPECT_GE(*told, *oldest);
      EXPECT_LE(*told - *oldest, options_.quiet_ms / 64);
    }
    for (std::uint32_t t = 0; t < 3; ++t) {
      const auto got = tracker_.pending_slots(model::TenantId{t}, {});
      const auto& want = slots[model::TenantId{t}];
      EXPECT_EQ(*got, std::vector<model::Timestamp>(want.begin(), want.end()));
      const model::Timestamp slot = model::window_start(now_, options_.width_ms) - pick(30) * options_.width_ms;
      EXPECT_EQ(*tracker_.pending(model::TenantId{t}, slot), want.contains(slot));
    }
  }

  SlotTracker& tracker_;
  const TrackerOptions options_;
  std::mt19937 random_;
  model::Timestamp now_ = 1'700'000'000'000;
  std::uint64_t touches_ = 0;
  std::map<Key, Entry> entries_;
};

}  // namespace varve::tracker::testing
