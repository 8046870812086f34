// SPDX-License-Identifier: Apache-2.0
// Eviction: whether Redis may delete keys because its memory is full. Where it does so nobody is told, and what was
// pending in them would be neither seen nor sealed. So a server that may is refused at the start; and where one has
// evicted keys since anybody looked, it counts as lost, and the journal is replayed (docs/decisions/0091).
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "tracker/redis/link.h"

namespace varve::tracker::redis {

// What INFO says; empty and 0 where it does not.
struct MemoryInfo {
  std::string run_id;  // of the server's process
  std::string policy;  // maxmemory-policy
  std::uint64_t max_bytes = 0;
  std::uint64_t evicted_keys = 0;  // since its start

  // Keys that have no time to live, as all have in which something is pending.
  [[nodiscard]] bool may_evict() const { return max_bytes > 0 && policy.starts_with("allkeys-"); }
};
MemoryInfo memory_info(std::string_view info);

class Eviction {
 public:
  explicit Eviction(Link& link) : link_(link) {}

  // Asks the server; declares it lost where keys may be missing. Returns what is wrong with it, for a person; empty:
  // nothing, or it does not say. Blocking; one at a time. Errors: those of the link.
  Result<std::string> look();

  // As of the last look. Thread-safe.
  [[nodiscard]] bool may_evict() const { return may_evict_; }
  [[nodiscard]] std::uint64_t evicted_keys() const { return evicted_keys_; }

 private:
  Link& link_;
  std::atomic<bool> may_evict_ = false;
  std::atomic<std::uint64_t> evicted_keys_ = 0;
};

}  // namespace varve::tracker::redis
