// SPDX-License-Identifier: Apache-2.0
// WaitingAppends: a queue of batches that found no room in memory, in order of arrival. append() must not block,
// because it is called by threads that serve connections.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <span>
#include <vector>

#include "base/check.h"
#include "storage/sample_store.h"

namespace varve::engine::rocksdb {

// Not thread-safe.
class WaitingAppends {
 public:
  using Clock = std::chrono::steady_clock;
  struct Waiting {
    std::vector<std::byte> rows;
    storage::SampleStore::AppendDone done;
    Clock::time_point until;  // deadline: then it is refused
  };

  explicit WaitingAppends(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  // False: the queue is full; nothing was taken.
  bool add(std::span<const std::byte> rows, storage::SampleStore::AppendDone& done, Clock::time_point until) {
    if (bytes_ + rows.size() > bytes_max_) return false;
    waiting_.push_back({{rows.begin(), rows.end()}, std::move(done), until});
    bytes_ += rows.size();
    return true;
  }
  [[nodiscard]] bool empty() const { return waiting_.empty(); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] const Waiting& front() const { return waiting_.front(); }
  Waiting take() {
    check(!waiting_.empty(), "somebody waits");
    Waiting first = std::move(waiting_.front());
    waiting_.pop_front();
    check(first.rows.size() <= bytes_, "bytes that wait are those of the batches");
    bytes_ -= first.rows.size();
    return first;
  }

 private:
  const std::size_t bytes_max_;
  std::deque<Waiting> waiting_;
  std::size_t bytes_ = 0;
};

}  // namespace varve::engine::rocksdb
