// SPDX-License-Identifier: Apache-2.0
// SetAside: maintenance work that failed because of its data, for example a damaged block. It is retried with
// exponential back-off, and does not hold up other work.
//
// It goes by the steady clock, and is kept in memory only: after a restart everything is tried again. Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "engine/rocksdb/runs/keys.h"
#include "tracker/slot_tracker.h"

namespace varve::engine::rocksdb {

// The work that failed: the number of the group that was to be sealed, or one of these.
inline constexpr std::uint32_t kMergeOfSlot = 0xffffffff;
inline constexpr std::uint32_t kCoarseWindow = 0xfffffffe;
inline constexpr std::uint32_t kSealOfSlot = 0xfffffffd;
inline constexpr std::uint32_t kWorkNumbersFrom = kSealOfSlot;

class SetAside {
 public:
  struct Entry {
    SlotKey slot;
    std::uint32_t work = 0;
    std::uint32_t failures = 0;  // in a row
    std::int64_t retry_ms = 0;   // steady
    std::string error;
  };

  explicit SetAside(const Clock& clock) : clock_(clock) {}

  // While a tenant's samples are deleted nothing else changes its runs but flushes. One at a time.
  class Pause {
   public:
    Pause(SetAside& of, model::TenantId tenant) : of_(of) { of_.pause(tenant); }
    ~Pause() { of_.pause(std::nullopt); }
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

   private:
    SetAside& of_;
  };
  [[nodiscard]] std::optional<model::TenantId> paused() const;

  // Is the work still waiting for its next attempt, or its tenant paused?
  [[nodiscard]] bool holds(const SlotKey& slot, std::uint32_t work) const;
  // Logs the first failure of each work.
  void failed(const SlotKey& slot, std::uint32_t work, const Error& error);
  void succeeded(const SlotKey& slot, std::uint32_t work);
  void forget(const SlotKey& slot);  // the slot was deleted

  // Lets the slot rest until then (steady), unless its number of open groups changes.
  void rest(const SlotKey& slot, std::size_t open_groups, std::int64_t until_ms);
  [[nodiscard]] bool rests(const SlotKey& slot, std::size_t open_groups) const;

  [[nodiscard]] std::vector<Entry> list() const;
  [[nodiscard]] std::size_t size() const;

 private:
  struct Resting {
    std::size_t open_groups;
    std::int64_t until_ms;
  };
  void pause(std::optional<model::TenantId> tenant);
  [[nodiscard]] std::int64_t steady_ms() const { return clock_.steady_ns() / 1'000'000; }

  const Clock& clock_;
  mutable Mutex mutex_;
  std::map<std::pair<SlotKey, std::uint32_t>, Entry> entries_ VARVE_GUARDED_BY(mutex_);
  std::map<SlotKey, Resting> resting_ VARVE_GUARDED_BY(mutex_);
  std::optional<model::TenantId> paused_ VARVE_GUARDED_BY(mutex_);
  const tracker::TrackerOptions options_;  // of the back-off
};

}  // namespace varve::engine::rocksdb
