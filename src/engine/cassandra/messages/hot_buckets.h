// SPDX-License-Identifier: Apache-2.0
// Hot buckets: which bucket this process' messages of a slot go into now, and whether the directory names it yet.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/mutex.h"
#include "engine/cassandra/messages/message_tables.h"

namespace varve::engine::cassandra {

// Thread-safe.
class HotBuckets {
 public:
  static constexpr std::size_t kBytesMax = std::size_t{64} << 20;
  struct Taken {
    std::int64_t opened_us = 0;
    bool is_named = false;  // the directory has it
  };
  // For a row of so many bytes that arrives then.
  Taken take(std::string_view tenant, model::Timestamp slot, std::int64_t arrived_us, std::size_t bytes);
  // The directory names it.
  void named(std::string_view tenant, model::Timestamp slot, std::int64_t opened_us);

 private:
  struct Current {
    std::int64_t opened_us = 0;
    std::size_t bytes = 0;
    bool is_named = false;
  };
  static constexpr std::size_t kSweptAt = 4096;
  using Key = std::pair<std::string, model::Timestamp>;  // tenant, slot
  Mutex mutex_;
  std::map<Key, Current> current_ VARVE_GUARDED_BY(mutex_);
  std::size_t sweep_at_ VARVE_GUARDED_BY(mutex_) = kSweptAt;
};

}  // namespace varve::engine::cassandra
