// SPDX-License-Identifier: Apache-2.0
// WriteQueue: what is to be written waits here until few enough requests are under way. Bounded in bytes, waiting and
// under way together: over it, a call is refused as a whole, and its sender hears of it. Bounded in time, too: what has
// waited long is not sent, since its sender will not wait for it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace varve::driver {
class Statement;
}

namespace varve::engine::cassandra {

struct Table;

// A row as a statement with its cells, in the order of the markers.
struct BoundRow {
  const Table* table = nullptr;
  const driver::Statement* statement = nullptr;
  std::vector<std::string> cells;
};

// One request: rows of one partition.
struct WriteUnit {
  std::vector<BoundRow> rows;
  std::size_t bytes = 0;  // of memory, about
};

class WriteQueue {
 public:
  using Done = std::function<void(Status)>;
  // Sends a request. May call back before it returns, must not keep the rows. Called on any thread.
  using Send = std::function<void(const std::vector<BoundRow>& rows, Done done)>;

  struct Options {
    std::size_t in_flight = 256;           // requests; fewer after slow ones (adaptive_limit.h)
    std::size_t bytes_max = 64 << 20;      // waiting and under way; a single call that is alone may be larger
    std::int64_t slow_ns = 1'500'000'000;  // Cassandra gives a write up after 2 s
    std::int64_t wait_max_ns = 10'000'000'000;
  };

  WriteQueue(const Options& options, const Clock& clock, Send send);
  // What waits fails (unavailable); returns when all that is under way has called back. Not on a thread of `send`'s
  // callbacks.
  ~WriteQueue();
  WriteQueue(const WriteQueue&) = delete;
  WriteQueue& operator=(const WriteQueue&) = delete;

  // `done` when all units have ended, with the first error. Thread-safe, also in `done`.
  void submit(std::vector<WriteUnit> units, Done done);

  struct Load {
    std::size_t in_flight = 0;
    std::size_t waiting = 0;    // requests
    std::size_t bytes = 0;      // of both
    std::size_t limit = 0;      // how many may be in flight now
    std::uint64_t refused = 0;  // calls, since the start
    std::uint64_t slow = 0;     // requests, since the start
    std::size_t bytes_max = 0;
  };
  [[nodiscard]] Load load() const;

 private:
  struct State;
  std::shared_ptr<State> state_;  // callbacks may be on their way out when this goes
};

}  // namespace varve::engine::cassandra
