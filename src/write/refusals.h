// SPDX-License-Identifier: Apache-2.0
// Refusals: are writes refused at present, whoever sends them? The log has one line when that begins and one when they
// go on again, both with the reason.
//
// One write that is taken does not end it: a small one may find the room that a large one does not.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"

namespace varve::write {

// Thread-safe.
class Refusals {
 public:
  explicit Refusals(const Clock& clock) : clock_(clock) {}

  // How the write of so many bytes ended. What is the sender's own fault, or his tenant's, is no refusal.
  void note(const Status& status, std::size_t bytes);
  // The same, of what did not come as far as a store.
  void refused(std::string_view why, std::size_t bytes);

  // To be called every few seconds: looks whether writes go on again.
  void look();
  // For people: "writes are refused: WHY"; empty: they are taken.
  [[nodiscard]] std::string told() const;
  // The server stops: what is refused from now on is no news.
  void stop() { stopped_ = true; }

  // Without a refusal for so long, they go on again once a write as large as one that was refused is taken, and after a
  // long time once any is.
  static constexpr std::int64_t kQuietNs = 10'000'000'000;
  static constexpr std::int64_t kLongNs = 60'000'000'000;

 private:
  void taken(std::size_t bytes);

  const Clock& clock_;
  std::atomic<bool> stopped_{false};
  std::atomic<bool> refusing_{false};  // written under the lock
  mutable Mutex mutex_;
  std::string why_ VARVE_GUARDED_BY(mutex_);  // the last refusal
  std::uint64_t count_ VARVE_GUARDED_BY(mutex_) = 0;
  std::int64_t began_ns_ VARVE_GUARDED_BY(mutex_) = 0;
  std::int64_t last_ns_ VARVE_GUARDED_BY(mutex_) = 0;
  std::size_t smallest_ VARVE_GUARDED_BY(mutex_) = std::numeric_limits<std::size_t>::max();  // that was refused
  bool taken_ VARVE_GUARDED_BY(mutex_) = false;       // has a write been taken since the last refusal?
  std::size_t largest_ VARVE_GUARDED_BY(mutex_) = 0;  // of these
};

}  // namespace varve::write
