// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/settle/set_aside.h"

#include "base/check.h"
#include "base/log.h"

namespace varve::engine::rocksdb {

void SetAside::pause(std::optional<model::TenantId> tenant) {
  const MutexLock lock(mutex_);
  check(!paused_ || !tenant, "one delete at a time");
  paused_ = tenant;
}

std::optional<model::TenantId> SetAside::paused() const {
  const MutexLock lock(mutex_);
  return paused_;
}

bool SetAside::holds(const SlotKey& slot, std::uint32_t work) const {
  const MutexLock lock(mutex_);
  if (paused_ == slot.tenant) return true;
  const auto found = entries_.find({slot, work});
  return found != entries_.end() && steady_ms() < found->second.retry_ms;
}

void SetAside::failed(const SlotKey& slot, std::uint32_t work, const Error& error) {
  const MutexLock lock(mutex_);
  Entry& entry = entries_[{slot, work}];
  entry = {slot, work, entry.failures + 1, 0, error.message};
  entry.retry_ms = tracker::retry_at(options_, entry.failures, steady_ms());
  check(entry.retry_ms > steady_ms(), "what failed is tried later");
  if (entry.failures > 1) return;
  log::error("a part of a slot cannot be worked on and is set aside", {{"tenant", model::to_int(slot.tenant)},
                                                                       {"slot", slot.start},
                                                                       {"granularity_ms", slot.granularity_ms},
                                                                       {"error", error.message}});
}

void SetAside::succeeded(const SlotKey& slot, std::uint32_t work) {
  const MutexLock lock(mutex_);
  entries_.erase({slot, work});
}

void SetAside::forget(const SlotKey& slot) {
  const MutexLock lock(mutex_);
  entries_.erase(entries_.lower_bound({slot, 0}), entries_.upper_bound({slot, kMergeOfSlot}));
  resting_.erase(slot);
}

void SetAside::rest(const SlotKey& slot, std::size_t open_groups, std::int64_t until_ms) {
  const MutexLock lock(mutex_);
  resting_[slot] = {open_groups, until_ms};
}

bool SetAside::rests(const SlotKey& slot, std::size_t open_groups) const {
  const MutexLock lock(mutex_);
  const auto found = resting_.find(slot);
  return found != resting_.end() && found->second.open_groups == open_groups && steady_ms() < found->second.until_ms;
}

std::vector<SetAside::Entry> SetAside::list() const {
  const MutexLock lock(mutex_);
  std::vector<Entry> list;
  for (const auto& [key, entry] : entries_) list.push_back(entry);
  return list;
}

std::size_t SetAside::size() const {
  const MutexLock lock(mutex_);
  return entries_.size();
}

}  // namespace varve::engine::rocksdb
