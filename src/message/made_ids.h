// SPDX-License-Identifier: Apache-2.0
// MadeIds: ids of messages whose sender gave none, of what they say: so a request that comes again, because its answer
// was lost or said that it may be sent again, is stored once (docs/decisions/0092). Of equal messages in one request
// each has an id of its own.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "message/id.h"

namespace varve::message {

// Stored: DO NOT CHANGE. A UUID of version 8. Its first half, which begins with the four characters, is always the same
// and so takes next to no room; messages are the same only if their times are, too, for which the other half is enough.
Id id_of_hash(std::string_view maker, std::uint64_t hash);

// Of one request. For one thread.
class MadeIds {
 public:
  // `hash`: of all that the message says.
  Id of(std::uint64_t hash);

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
