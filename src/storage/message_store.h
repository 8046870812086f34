// SPDX-License-Identifier: Apache-2.0
// MessageStore: stores log messages durably and hands out what it has of a time range, as rows in memory and as sealed
// blocks. What a query asks is evaluated above it (query/messages/). Both engines implement it. All methods are
// thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "message/builder.h"
#include "message/condition.h"
#include "storage/go_on.h"

namespace varve::message::block {
class Sections;
}

namespace varve::storage {

// Whole rows (message/row.h), in any order. They stay as long as `held` does.
struct MessageRows {
  std::vector<std::span<const std::byte>> pieces;
  std::shared_ptr<const void> held;
};

// Some messages of one tenant: rows, or a sealed block. Immutable: what comes later is in other parts.
struct MessagePart {
  std::int64_t first_us = 0;  // smallest and largest time of its messages
  std::int64_t last_us = 0;
  std::uint64_t messages = 0;
  // Its rows, or of many those pieces that overlap the range; not set if it is a block. The caller waits where they are
  // on disk or on another server. Errors: corrupt, io, unavailable, timeout.
  std::function<Result<MessageRows>(std::int64_t first_us, std::int64_t last_us)> read = nullptr;
  // Its sections (message/block/block.h), whose reading may wait and fail likewise. The same message (time and sender's
  // id) does not stand in it twice, but may stand in another part.
  std::shared_ptr<const message::block::Sections> block = nullptr;
};

// Names that a tenant's messages have brought along.
struct MessageNames {
  std::set<std::string, std::less<>> fields;        // of free fields
  std::set<std::string, std::less<>> object_types;  // what stands before the first colon of objects' names
};

// What other processes append to the same store.
class MessageArrivals {
 public:
  virtual ~MessageArrivals() = default;
  // Called with whole rows (without arrivals), of each append once, soon after it became visible; by one thread. It
  // must not block. An error: some are missing.
  using Listener = std::function<void(const Result<std::span<const std::byte>>& rows)>;
  // It listens while what is returned lives; the last call may end later. What is visible when it begins is not told.
  [[nodiscard]] virtual std::shared_ptr<const void> listen(std::string tenant, Listener listener) = 0;
  // Waits until what was visible when this was called has been told to who listened before. Error: unavailable, it
  // takes longer.
  virtual Status settle(std::chrono::milliseconds most) = 0;
};

class MessageStore {
 public:
  using AppendDone = std::function<void(Status)>;
  virtual ~MessageStore() = default;

  // Appends the messages of a valid tenant name. `done` is called once: when they are visible to every query that
  // starts later and as durable as storage.sync says, or with an error (unavailable: disk full, stopping, overload;
  // too_large), in which case nothing of them is stored. As SampleStore::append().
  virtual void append_messages(std::string_view tenant, const message::Batch& batch, AppendDone done) = 0;

  // All parts with messages from first_us to last_us, both inclusive; they may hold others, too. Unknown tenant: none.
  [[nodiscard]] virtual Result<std::vector<MessagePart>> message_parts(std::string_view tenant, std::int64_t first_us,
                                                                       std::int64_t last_us) const = 0;

  // Of all messages that are stored. Unknown tenant: none. Errors: as of MessagePart::read.
  [[nodiscard]] virtual Result<MessageNames> message_names(std::string_view tenant) const = 0;

  // Deletes the messages from first_us to last_us, both inclusive, that fulfil the condition, of those that were
  // acknowledged before; returns how many. Durable, and seen by every query that starts later. Unknown tenant: none.
  // Error: nothing is deleted (io, corrupt, unavailable, limit: an expression is too large for a text, or what `go_on`
  // said), or, in a cluster, some of it.
  virtual Result<std::uint64_t> delete_messages(std::string_view tenant, std::int64_t first_us, std::int64_t last_us,
                                                const message::Condition& condition, const GoOn& go_on = {}) = 0;

  // nullptr: no other process appends.
  [[nodiscard]] virtual MessageArrivals* arrivals_elsewhere() { return nullptr; }
};

}  // namespace varve::storage
