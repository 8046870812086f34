// SPDX-License-Identifier: Apache-2.0
// MessageNews: tells of messages as they are stored.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"

namespace varve::storage {

// Thread-safe.
class MessageNews {
 public:
  virtual ~MessageNews() = default;

  // Called with whole rows as they were appended (without arrivals), by one thread, and in the order in which they were
  // acknowledged. It must not block. Tenants that have news have equal shares of the thread's time. An error, which may
  // come from another thread: there were more than could be handed out, and some are missing.
  using Listener = std::function<void(const Result<std::span<const std::byte>>& rows)>;
  // It listens while what is returned lives; where that ends on another thread, the last call may end later.
  [[nodiscard]] virtual std::shared_ptr<const void> listen(std::string tenant, Listener listener) = 0;

  // Waits until what the tenant was appending when this was called is either refused, or visible and handed out. Error:
  // unavailable, it takes longer.
  virtual Status settle(const std::string& tenant, std::chrono::milliseconds most) = 0;
};

}  // namespace varve::storage
