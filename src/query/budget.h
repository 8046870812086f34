// SPDX-License-Identifier: Apache-2.0
// Budget: what one query may hold in memory, charged by all its threads before they take it: at most query.memory, and
// what the ledger of all requests has left. The ledger is asked for some more at a time than is needed.
#pragma once

#include <atomic>
#include <cstddef>
#include <limits>
#include <memory>

#include "base/memory_ledger.h"
#include "base/mutex.h"
#include "base/result.h"

namespace varve::query {

// Thread-safe.
class Budget {
 public:
  explicit Budget(std::size_t bytes, std::shared_ptr<MemoryLedger> ledger = nullptr);

  // Errors: limit (query.memory), unavailable (limits.memory). Once it was unavailable it stays so: who could not say
  // so at once may ask again.
  Status charge(std::size_t bytes) {
    const std::size_t used = used_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    if (used > bytes_) return over();
    return used <= granted_.load(std::memory_order_relaxed) ? Status{} : ask_for(used);
  }
  void release(std::size_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }
  [[nodiscard]] std::size_t used() const { return used_.load(std::memory_order_relaxed); }

  // The question is answered: what is held now is the answer, of so many bytes, whatever query.memory says. Error:
  // unavailable.
  Status become_answer(std::size_t bytes);
  // Gives back to the ledger what is no longer used.
  void trim();

 private:
  static constexpr std::size_t kEverything = std::numeric_limits<std::size_t>::max();

  [[nodiscard]] std::unexpected<Error> over() const;
  std::unexpected<Error> refuse() VARVE_REQUIRES(mutex_);
  Status ask_for(std::size_t used) VARVE_EXCLUDES(mutex_);

  const std::size_t bytes_;
  std::atomic<std::size_t> used_{0};
  std::atomic<std::size_t> granted_;  // by the ledger; 0 once it has refused; written under mutex_
  const std::shared_ptr<MemoryLedger> ledger_;
  Mutex mutex_;
  MemoryLedger::Account account_ VARVE_GUARDED_BY(mutex_);
  bool refused_ VARVE_GUARDED_BY(mutex_) = false;
};

}  // namespace varve::query
