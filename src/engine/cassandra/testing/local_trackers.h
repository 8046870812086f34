// SPDX-License-Identifier: Apache-2.0
// For tests: the trackers and numbers that replicas share, without a Redis. It can be away (from one replica or all),
// come back empty, and lose touches of callers that die.
#pragma once

#include <algorithm>
#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "engine/cassandra/hot/shared_trackers.h"
#include "tracker/local_tracker.h"
#include "tracker/redis/member_names.h"
#include "tracker/redis/testing/local_versions.h"

namespace varve::engine::cassandra::testing {

// What replicas share.
class LocalRedis {
 public:
  LocalRedis(const tracker::TrackerOptions& options, const std::vector<std::int64_t>& rollup_blocks_ms) {
    options_.push_back(options);
    for (const std::int64_t rollup_block_ms : rollup_blocks_ms) {
      options_.push_back(options);
      options_.back().width_ms = rollup_block_ms;
    }
    options_.push_back(of_days(options));
    options_.push_back(options);
    clear();
  }

  // It comes back empty.
  void lose() {
    const std::lock_guard lock(mutex);
    clear();
    declare_lost();
    versions.lose();
  }
  void declare_lost() {  // with the lock
    lost = true;
    ++version;
    ++losses;
  }

  // A name's numbers here.
  tracker::Member member(std::string_view name) {  // with the lock
    const auto parts = tracker::redis::split_name(name);
    const auto tenant = static_cast<std::uint32_t>(number(tenants_, std::string(parts->tenant)));
    return {model::TenantId{tenant}, static_cast<std::uint32_t>(number(members_, std::string(name)))};
  }
  std::string_view name(const tracker::Member& member) const { return members_.second[member.id]; }
  model::TenantId tenant(const std::string& name) {
    return model::TenantId{static_cast<std::uint32_t>(number(tenants_, name))};
  }

  std::mutex mutex;
  std::vector<std::unique_ptr<tracker::LocalTracker>> trackers;  // samples, rollup blocks, days, messages
  bool lost = false;
  std::uint64_t version = 1, losses = 0;
  std::int64_t write_version = 0;          // the last one that was drawn
  std::atomic<std::int64_t> ahead_ms = 0;  // its clock
  tracker::redis::testing::LocalVersions versions;

 private:
  using Names = std::pair<std::map<std::string, std::size_t>, std::deque<std::string>>;
  static std::size_t number(Names& names, const std::string& name) {
    const auto [at, is_new] = names.first.try_emplace(name, names.second.size());
    if (is_new) names.second.push_back(name);
    return at->second;
  }
  void clear() {
    write_version = 0;
    trackers.clear();
    for (const auto& options : options_) trackers.push_back(std::make_unique<tracker::LocalTracker>(options));
  }

  std::vector<tracker::TrackerOptions> options_;
  Names tenants_, members_;
};

// As one replica sees it.
class LocalTrackers final : public SharedTrackers {
 public:
  LocalTrackers(LocalRedis& redis, tracker::redis::MemberNames& names, const Clock& clock)
      : redis_(redis), names_(names), clock_(clock) {
    for (std::size_t i = 0; i < redis.trackers.size(); ++i) views_.emplace_back(*this, i);
  }

  // For this replica.
  void away(bool is_away) { away_ = is_away; }
  // After so many questions, until it is called again.
  void away_after(int questions) { questions_left_ = questions; }
  // Nothing calls back any more.
  void kill() { dead_ = true; }
  // Each answer says how far Redis' clock is ahead.
  std::function<void(std::int64_t)> heard = [](std::int64_t) {};
  // Called before each touch of samples.
  std::function<void()> before_touch = [] {};

  tracker::SlotTracker& samples() override { return views_[0]; }
  tracker::SlotTracker& rollup_blocks(std::size_t level) override { return views_[level + 1]; }
  tracker::SlotTracker& days() override { return views_[levels() + 1]; }
  [[nodiscard]] std::size_t levels() const override { return views_.size() - 3; }
  tracker::SlotTracker& messages() override { return views_.back(); }
  Result<std::vector<std::vector<model::Timestamp>>> pending_slots(model::TenantId tenant,
                                                                   model::TimeRange range) override {
    std::vector<std::vector<model::Timestamp>> lists;
    for (std::size_t i = 0; i <= levels(); ++i) {
      View& view = views_[i];
      VARVE_ASSIGN_OR_RETURN(lists.emplace_back(), view.pending_slots(tenant, range));
    }
    return lists;
  }
  void touch(std::span<const tracker::Touch> touches, model::Timestamp now_ms, Done done) override {
    before_touch();
    Status status = samples().touch(touches, now_ms);
    if (!dead_) done(std::move(status));
  }
  void touch_messages(std::span<const tracker::Touch> touches, model::Timestamp now_ms, Done done) override {
    before_touch();
    Status status = messages().touch(touches, now_ms);
    if (!dead_) done(std::move(status));
  }
  Result<std::int64_t> draw(std::int64_t above) override {
    VARVE_RETURN_IF_ERROR(answer());
    const std::lock_guard lock(redis_.mutex);
    redis_.write_version = std::max({redis_.write_version, above, drawn_.load()}) + 1;
    drawn_ = redis_.write_version;
    return redis_.write_version;
  }
  Status check() override {
    VARVE_RETURN_IF_ERROR(answer());
    return {};
  }
  [[nodiscard]] bool lost() const override { return lost_; }
  [[nodiscard]] std::uint64_t version() const override { return version_; }
  Status declare_lost() override {
    VARVE_RETURN_IF_ERROR(answer());
    {
      const std::lock_guard lock(redis_.mutex);
      redis_.declare_lost();
    }
    VARVE_RETURN_IF_ERROR(answer());
    return {};
  }
  Status recover(const std::function<Status()>& replay) override {
    VARVE_RETURN_IF_ERROR(answer());
    const auto losses = [this] {
      const std::lock_guard lock(redis_.mutex);
      return redis_.losses;
    };
    const std::uint64_t before = losses();
    VARVE_RETURN_IF_ERROR(replay());
    VARVE_RETURN_IF_ERROR(answer());
    const std::lock_guard lock(redis_.mutex);
    if (redis_.losses != before) return fail(Code::unavailable, "lost again");
    redis_.lost = lost_ = false;
    ++redis_.version;
    return {};
  }
  [[nodiscard]] const Clock& clock() const override { return clock_; }

 private:
  // A tracker, by this replica's numbers.
  class View final : public tracker::SlotTracker {
   public:
    View(LocalTrackers& owner, std::size_t number) : owner_(owner), number_(number) {}

    Status touch(std::span<const tracker::Touch> touches, model::Timestamp now_ms) override {
      VARVE_RETURN_IF_ERROR(owner_.answer());
      std::vector<tracker::Touch> out(touches.begin(), touches.end());
      const std::lock_guard lock(owner_.redis_.mutex);
      for (auto& touch : out) touch.member = owner_.redis_.member(owner_.names_.name(touch.member));
      return tracker().touch(out, now_ms);
    }
    Result<std::vector<tracker::Due>> due(model::Timestamp now_ms, std::span<const std::uint32_t> partitions,
                                          std::size_t limit, tracker::When when) override {
      VARVE_RETURN_IF_ERROR(owner_.answer());
      std::vector<tracker::Due> list;
      std::vector<std::string_view> names;
      {
        const std::lock_guard lock(owner_.redis_.mutex);
        VARVE_ASSIGN_OR_RETURN(list, tracker().due(now_ms, partitions, limit, when));
        for (const auto& due : list) names.push_back(owner_.redis_.name(due.member));
      }
      return known(std::move(list), names);
    }
    Result<bool> complete(const tracker::Due& work) override {
      VARVE_RETURN_IF_ERROR(owner_.answer());
      const std::lock_guard lock(owner_.redis_.mutex);
      return tracker().complete(shared(work));
    }
    Status fail(const tracker::Due& work, model::Timestamp now_ms) override {
      VARVE_RETURN_IF_ERROR(owner_.answer());
      const std::lock_guard lock(owner_.redis_.mutex);
      return tracker().fail(shared(work), now_ms);
    }
    Result<bool> pending(model::TenantId tenant, model::Timestamp slot) override {
      VARVE_RETURN_IF_ERROR(owner_.trusted());
      const std::lock_guard lock(owner_.redis_.mutex);
      return tracker().pending(owner_.redis_.tenant(owner_.names_.tenant(tenant)), slot);
    }
    Result<std::vector<bool>> pending_of(std::span<const tracker::Touch> entries) override {
      VARVE_RETURN_IF_ERROR(owner_.trusted());
      std::vector<tracker::Touch> of(entries.begin(), entries.end());
      const std::lock_guard lock(owner_.redis_.mutex);
      for (auto& entry : of) entry.member = owner_.redis_.member(owner_.names_.name(entry.member));
      return tracker().pending_of(of);
    }
    Result<std::vector<model::Timestamp>> pending_slots(model::TenantId tenant, model::TimeRange range) override {
      VARVE_RETURN_IF_ERROR(owner_.trusted());
      const std::lock_guard lock(owner_.redis_.mutex);
      return tracker().pending_slots(owner_.redis_.tenant(owner_.names_.tenant(tenant)), range);
    }
    Result<tracker::Counts> counts() override {
      VARVE_RETURN_IF_ERROR(owner_.answer());
      const std::lock_guard lock(owner_.redis_.mutex);
      return tracker().counts();
    }
    Result<std::vector<tracker::SetAside>> set_aside(std::size_t limit) override {
      VARVE_RETURN_IF_ERROR(owner_.answer());
      std::vector<tracker::SetAside> list;
      std::vector<std::string_view> names;
      {
        const std::lock_guard lock(owner_.redis_.mutex);
        VARVE_ASSIGN_OR_RETURN(list, tracker().set_aside(limit));
        for (const auto& one : list) names.push_back(owner_.redis_.name(one.member));
      }
      return known(std::move(list), names);
    }

   private:
    tracker::LocalTracker& tracker() { return *owner_.redis_.trackers[number_]; }
    tracker::Due shared(tracker::Due work) {
      work.member = owner_.redis_.member(owner_.names_.name(work.member));
      return work;
    }
    template <class List>
    Result<List> known(List list, const std::vector<std::string_view>& names) {
      VARVE_ASSIGN_OR_RETURN(const auto members, owner_.names_.find(names));
      List out;
      for (std::size_t i = 0; i < list.size(); ++i) {
        if (!members[i]) continue;
        out.push_back(list[i]);
        out.back().member = *members[i];
      }
      return out;
    }

    LocalTrackers& owner_;
    const std::size_t number_;
  };

  // Each answer tells of losses.
  Status answer() {
    if (questions_left_ >= 0 && questions_left_-- == 0) away_ = true;
    if (away_ || dead_) return fail(Code::unavailable, "Redis is away");
    heard(redis_.ahead_ms);
    const std::lock_guard lock(redis_.mutex);
    lost_ = redis_.lost;
    version_ = redis_.version;
    return {};
  }
  Status trusted() {
    VARVE_RETURN_IF_ERROR(answer());
    if (lost_) return fail(Code::unavailable, "Redis may have lost what is pending");
    return {};
  }

  LocalRedis& redis_;
  tracker::redis::MemberNames& names_;
  const Clock& clock_;
  std::atomic<bool> away_ = false, dead_ = false, lost_ = false;
  std::atomic<int> questions_left_ = -1;
  std::atomic<std::uint64_t> version_ = 1;
  std::atomic<std::int64_t> drawn_ = 0;
  std::deque<View> views_;
};

}  // namespace varve::engine::cassandra::testing
