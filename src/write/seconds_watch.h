// SPDX-License-Identifier: Apache-2.0
// SecondsWatch: notices senders that send seconds where milliseconds are meant. What they send is stored in January
// 1970, as it was asked for, where nobody looks for it; so it is counted, and said in the log once a minute.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/mutex.h"
#include "model/row.h"

namespace varve::write {

// Thread-safe.
class SecondsWatch {
 public:
  static constexpr std::int64_t kSayEveryNs = 60'000'000'000;

  // Without a clock nothing is noticed. `metrics` may be nullptr; both outlive it.
  SecondsWatch(const Clock* clock, Metrics* metrics);

  // Of a request that is to be stored, only its first time is looked at: who has the wrong unit has it everywhere.
  // `protocol`: for the log.
  void look(std::string_view tenant, std::string_view protocol, const model::RowBatch& batch) VARVE_EXCLUDES(mutex_);

 private:
  const Clock* const clock_;
  Counter* counter_ = nullptr;
  Mutex mutex_;
  std::int64_t said_ns_ VARVE_GUARDED_BY(mutex_) = 0;  // steady; 0: never
  std::uint64_t since_ VARVE_GUARDED_BY(mutex_) = 0;   // samples that were not spoken of
};

}  // namespace varve::write
