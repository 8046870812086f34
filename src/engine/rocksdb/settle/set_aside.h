// SPDX-License-Identifier: Apache-2.0
// SetAside: work of maintenance that failed on what it found, for example a damaged block. It is tried again with
// exponential back-off, and meanwhile everything else goes on.
//
// In memory: after a start everything is tried once more. Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "engine/rocksdb/runs/keys.h"
#include "tracker/slot_tracker.h"

namespace varve::engine::rocksdb {

// What failed: sealing of one group (its number), or one of these.
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
    model::Timestamp retry_ms = 0;
    std::string error;
  };

  // Is it not to be tried yet?
  [[nodiscard]] bool holds(const SlotKey& slot, std::uint32_t work, model::Timestamp now_ms) const;
  // The first failure of a work is logged.
  void failed(const SlotKey& slot, std::uint32_t work, const Error& error, model::Timestamp now_ms);
  void succeeded(const SlotKey& slot, std::uint32_t work);
  void forget(const SlotKey& slot);  // the slot is gone

  // A slot all of whose `open_groups` open groups are to be left alone until then.
  void rest(const SlotKey& slot, std::size_t open_groups, model::Timestamp until_ms);
  [[nodiscard]] bool rests(const SlotKey& slot, std::size_t open_groups, model::Timestamp now_ms) const;

  [[nodiscard]] std::vector<Entry> list() const;
  [[nodiscard]] std::size_t size() const;

 private:
  struct Resting {
    std::size_t open_groups;
    model::Timestamp until_ms;
  };
  mutable Mutex mutex_;
  std::map<std::pair<SlotKey, std::uint32_t>, Entry> entries_ VARVE_GUARDED_BY(mutex_);
  std::map<SlotKey, Resting> resting_ VARVE_GUARDED_BY(mutex_);
  const tracker::TrackerOptions options_;  // of the back-off
};

}  // namespace varve::engine::rocksdb
