// SPDX-License-Identifier: Apache-2.0
// Batches that wait for room, and senders who wait for an answer although theirs was taken in.
#include <algorithm>

#include "base/guarded.h"
#include "engine/rocksdb/ingest.h"

namespace varve::engine::rocksdb {

using Clock = WaitingAppends::Clock;

bool Ingest::answers_later(Entering& batch, storage::SampleStore::AppendDone& done) {
  if (!admits_ || !visible_.has_immutable()) return false;
  const double over = std::clamp(head_times() - 1, 0.0, 1.0);
  const auto pause_us = static_cast<std::int64_t>(over * 1000 * static_cast<double>(env_.options.head_pause_ms));
  if (pause_us == 0) return false;
  const auto until = Clock::now() + std::chrono::microseconds(pause_us);
  paused_.push_back(
      {paused_.empty() ? until : std::max(until, paused_.back().until), std::move(batch.left_out), std::move(done)});
  return true;
}

void Ingest::admit_waiting() {
  const MutexLock lock(mutex_);
  while (admits_ || !waiting_.empty() || !paused_.empty()) {
    const auto now = Clock::now();
    if (!paused_.empty() && (!admits_ || !visible_.has_immutable() || now >= paused_.front().until)) {
      answer_first();
    } else if (!waiting_.empty() && (!admits_ || has_room() || now >= waiting_.front().until)) {
      admit_first();
    } else if (waiting_.empty() && paused_.empty()) {
      room_.wait(mutex_);
    } else {
      auto until = Clock::time_point::max();
      if (!waiting_.empty()) until = waiting_.front().until;
      if (!paused_.empty()) until = std::min(until, paused_.front().until);
      room_.wait_until(mutex_, until);
    }
  }
}

void Ingest::answer_first() {
  Paused first = std::move(paused_.front());
  paused_.pop_front();
  mutex_.unlock();
  acknowledge({}, std::move(first.left_out), std::move(first.done));
  mutex_.lock();
}

// It is taken in where there is room, else refused. It stands in front of the others until it is in the log.
void Ingest::admit_first() {
  const bool may_enter = admits_ && has_room();
  Entering batch{waiting_.front().rows};
  Status status = admits_ ? fail(no_room()) : fail(Code::unavailable, "the store is closed");
  mutex_.unlock();
  if (may_enter) status = guarded([&] { return enter(batch); });
  mutex_.lock();
  auto next = waiting_.take();
  note_size();
  mutex_.unlock();
  acknowledge(std::move(status), std::move(batch.left_out), std::move(next.done));
  mutex_.lock();
}

}  // namespace varve::engine::rocksdb
