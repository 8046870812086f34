// SPDX-License-Identifier: Apache-2.0
// RecentIds: the sender's ids of the last messages, for who shows them as they come: a request that comes again makes
// no second messages, so its messages are not shown again.
#pragma once

#include <cstddef>
#include <deque>
#include <unordered_set>

#include "message/id.h"

namespace varve::query {

class RecentIds {
 public:
  static constexpr std::size_t kMost = 65'536;

  // Was it there before? Then it is not added.
  bool holds(codec::Hash128 id) {
    if (!ids_.insert(id).second) return true;
    in_order_.push_back(id);
    if (in_order_.size() > kMost) {
      ids_.erase(in_order_.front());
      in_order_.pop_front();
    }
    return false;
  }

 private:
  std::unordered_set<codec::Hash128, message::IdentityHash> ids_;
  std::deque<codec::Hash128> in_order_;
};

}  // namespace varve::query
