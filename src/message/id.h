// SPDX-License-Identifier: Apache-2.0
// Ids of messages: UUIDs. Where the sender gave none, it is computed: from what the message says, so that a request
// that comes again has the same ids (docs/decisions/0092), or from its time and arrival. Such ids are not stored.
#pragma once

#include <optional>
#include <string_view>

#include "base/uuid.h"
#include "codec/hash.h"
#include "message/row.h"

namespace varve::message {

using Id = Uuid;
static_assert(sizeof(Id) == kIdBytes);

// Stored by readers of answers: DO NOT CHANGE. A UUID of version 8 with the time in ms first, so that ids sort as
// messages do, and all bits of the arrival behind it.
Id made_id(std::int64_t time_us, std::uint64_t arrival);

// What a message says: its time, and its cells but the id. Stored by readers of answers: DO NOT CHANGE.
std::uint64_t content_hash(RowView row);
// Likewise: DO NOT CHANGE. made_id() with content_hash() in place of the arrival. `repeat`: how many equal messages
// came before it in its request; their number is hashed in.
Id content_id(std::int64_t time_us, std::uint64_t hash, std::uint32_t repeat = 0);

// When a message was whose id made_id() made, in microseconds, both ends inclusive, if that can lie between `first_us`
// and `last_us` at all.
struct IdTimes {
  std::int64_t first_us = 0;
  std::int64_t last_us = 0;
};
std::optional<IdTimes> time_of_made_id(std::string_view id_bytes, std::int64_t first_us, std::int64_t last_us);

// The sender's, or else the one that is computed.
Id id_of(RowView row);
// Has the message, when it is sent again, the same id? One of the arrival is another each time.
bool has_lasting_id(RowView row);

// What makes a message the same as another one: time and sender's id, or else all that it has but its arrival.
codec::Hash128 identity_of(RowView row);

struct IdentityHash {
  std::size_t operator()(codec::Hash128 identity) const { return identity.low; }
};

}  // namespace varve::message
