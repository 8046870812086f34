// SPDX-License-Identifier: Apache-2.0
// MadeIds: ids of messages whose sender gave none, computed from their content: so a request that comes again, because
// its answer was lost or said that it may be sent again, is stored once (docs/decisions/0092). Of equal messages in one
// request each has an id of its own. A block does not store such an id, but computes it again.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "message/id.h"

namespace varve::message {

// What a message says: its time, and its cells but the id. Stored: DO NOT CHANGE.
std::uint64_t content_hash(std::int64_t time_us, unsigned nanos, std::span<const std::byte> cells_before_id,
                           std::span<const std::byte> cells_behind_id);
// Stored: DO NOT CHANGE. made_id() with the hash of the content instead of the arrival. `repeat`: how many equal
// messages came before it in its request; their number is hashed in.
Id content_id(std::int64_t time_us, std::uint64_t hash, std::uint32_t repeat = 0);

// Ids of later equal messages are stored as if the sender had given them.
inline constexpr std::uint32_t kRepeatsKnownMax = 14;
// With which `repeat` the row's id is computed from its content; nothing: it is another id, or there is none.
std::optional<std::uint32_t> repeat_of_id(RowView row);

// Of one request. For one thread.
class MadeIds {
 public:
  // `hash`: of the content.
  Id of(std::int64_t time_us, std::uint64_t hash);

 private:
  struct Seen {
    std::uint64_t hash = 0;
    std::uint32_t times = 0;  // 0: the place is free
  };
  Seen& place_of(std::uint64_t hash);
  void grow();

  std::vector<Seen> places_;  // a power of two, at most half of it taken
  std::size_t taken_ = 0;
};

}  // namespace varve::message
