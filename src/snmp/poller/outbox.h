// SPDX-License-Identifier: Apache-2.0
// Outbox: what was polled and is not stored yet. A thread of its own writes it, in order, as line groups, so that a
// store that blocks or refuses holds up no poll. While it refuses, rows wait here; when they are too many, the oldest
// go: counters lose resolution by that, and no increase.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <thread>

#include "base/metrics.h"
#include "base/mutex.h"
#include "snmp/correlation/records.h"
#include "write/writer.h"

namespace varve::snmp::poller {

struct OutboxOptions {
  std::size_t bytes_max = std::size_t{64} << 20;
  std::chrono::milliseconds gather{25};   // how long the first row waits for others
  std::chrono::milliseconds again{1000};  // after which a refused write is tried again
};

// Thread-safe.
class Outbox {
 public:
  // `writer` outlives this.
  Outbox(write::Writer& writer, OutboxOptions options, Counter& dropped);
  // Writes what is there, once, and waits for that.
  ~Outbox();
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  void push(const std::string& tenant, const correlation::Records& records);

  [[nodiscard]] std::size_t bytes() const;  // also of what is being written

 private:
  struct Piece {
    std::string tenant;
    correlation::Records records;
  };
  using Pieces = std::deque<std::unique_ptr<Piece>>;

  void run();
  // The first pieces of one tenant.
  Pieces take() VARVE_REQUIRES(mutex_);
  bool write(const Pieces& pieces);
  Status write_once(const Pieces& pieces);
  void wait(std::chrono::milliseconds time) VARVE_REQUIRES(mutex_);

  write::Writer& writer_;
  const OutboxOptions options_;
  Counter& dropped_;
  mutable Mutex mutex_;
  Condition changed_;
  Pieces pieces_ VARVE_GUARDED_BY(mutex_);
  std::size_t waiting_bytes_ VARVE_GUARDED_BY(mutex_) = 0;
  std::size_t writing_bytes_ VARVE_GUARDED_BY(mutex_) = 0;
  std::unique_ptr<Piece> spare_ VARVE_GUARDED_BY(mutex_);
  bool stopping_ VARVE_GUARDED_BY(mutex_) = false;
  bool is_refused_ = false;  // of the thread: told to the log once
  std::jthread thread_;      // last: it uses the others
};

}  // namespace varve::snmp::poller
