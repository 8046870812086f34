// SPDX-License-Identifier: Apache-2.0
// Budget: what one query may hold in memory, charged by all its threads before they take it.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>

#include "base/result.h"

namespace varve::query {

class Budget {
 public:
  explicit Budget(std::size_t bytes) : bytes_(bytes) {}

  // Error: limit. Thread-safe.
  Status charge(std::size_t bytes) {
    if (used_.fetch_add(bytes, std::memory_order_relaxed) + bytes <= bytes_) return {};
    return fail(Code::limit, "the query needs more memory than query.memory allows (" + std::to_string(bytes_) +
                                 " bytes); narrow its time range or tags, or use larger sampling");
  }
  void release(std::size_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }
  [[nodiscard]] std::size_t used() const { return used_.load(std::memory_order_relaxed); }

 private:
  const std::size_t bytes_;
  std::atomic<std::size_t> used_{0};
};

}  // namespace varve::query
