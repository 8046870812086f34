// SPDX-License-Identifier: Apache-2.0
// Fails steps of a store (Options::at_step) at random, of any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <random>
#include <string>
#include <string_view>

#include "base/result.h"

namespace varve::engine::rocksdb::testing {

// Thread-safe.
class RandomFaults {
 public:
  explicit RandomFaults(std::uint32_t seed) : random_(seed) {}
  // One step of `in` fails; 0: none.
  void set(std::uint32_t in) {
    const std::lock_guard lock(mutex_);
    in_ = in;
  }
  Status at(std::string_view step) {
    const std::lock_guard lock(mutex_);
    if (in_ == 0 || random_() % in_ != 0) return {};
    ++failed_;
    return fail(random_() % 2 == 0 ? Code::unavailable : Code::io, "failed at " + std::string(step));
  }
  [[nodiscard]] std::size_t failed() const {
    const std::lock_guard lock(mutex_);
    return failed_;
  }

 private:
  mutable std::mutex mutex_;
  std::mt19937 random_;
  std::uint32_t in_ = 0;
  std::size_t failed_ = 0;
};

}  // namespace varve::engine::rocksdb::testing
