// SPDX-License-Identifier: Apache-2.0
// Deadline: how long a query may still go on, and with how many threads it reads.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "query/budget.h"
#include "query/limits.h"
#include "storage/sample_store.h"
#include "storage/series_store.h"

namespace varve::query {

// Until when a query may run, and whether anybody still waits for its answer. The time begins when it is made.
// Thread-safe.
class Deadline {
 public:
  // `asked`: who asks waits for no longer; 0: he does not say. `cancelled`: nobody waits any more; may be nullptr. What
  // is referred to must outlive this.
  Deadline(const Clock& clock, const Limits& limits, const std::atomic<bool>* cancelled,
           std::chrono::milliseconds asked = {})
      : clock_(clock),
        is_asked_(asked.count() > 0 && asked < limits.timeout),
        timeout_(is_asked_ ? asked : limits.timeout),
        deadline_ns_(clock.steady_ns() + std::chrono::nanoseconds(timeout_).count()),
        cancelled_(cancelled) {}

  // Errors: cancelled, timeout.
  [[nodiscard]] Status check() const {
    if (cancelled_ != nullptr && cancelled_->load(std::memory_order_relaxed)) {
      return fail(Code::cancelled, "the query was cancelled");
    }
    if (clock_.steady_ns() <= deadline_ns_) return {};
    return fail(Code::timeout, std::string("the query took longer than ") +
                                   (is_asked_ ? "its timeout (" : "query.timeout (") +
                                   std::to_string(timeout_.count()) + " ms)");
  }

  [[nodiscard]] storage::ScanOptions options(model::TimeRange range, unsigned threads) const {
    return {.range = range, .threads = threads, .cancelled = cancelled_, .deadline_steady_ns = deadline_ns_};
  }

 private:
  const Clock& clock_;
  const bool is_asked_;
  const std::chrono::milliseconds timeout_;
  const std::int64_t deadline_ns_;
  const std::atomic<bool>* cancelled_;
};

// For steps of a query: memory, as long as there is time. Both must outlive it.
inline auto charge_of(Budget& budget, const Deadline& deadline) {
  return [&budget, &deadline](std::size_t bytes) -> Status {
    VARVE_RETURN_IF_ERROR(deadline.check());
    return budget.charge(bytes);
  };
}

// For calls of the store that are asked for names. `deadline` must outlive it.
inline storage::GoOn still_wanted(const Deadline& deadline) {
  return [&deadline] { return deadline.check(); };
}

// Of a scan of so many series: starting a thread costs about as much as reading a dozen chunks. limits.threads ≥ 1.
inline unsigned threads_for(std::size_t series, const Limits& limits) {
  constexpr std::size_t kSeriesPerThread = 16;
  return static_cast<unsigned>(std::clamp<std::size_t>(series / kSeriesPerThread, 1, limits.threads));
}

}  // namespace varve::query
