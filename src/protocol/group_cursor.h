// SPDX-License-Identifier: Apache-2.0
// Walks the guesses of line groups: which group probably comes next in this request. See model/line_group.h.
#pragma once

#include "model/line_group.h"

namespace varve::protocol {

// Groups of one GroupSource only; reset() before those of another.
class GroupCursor {
 public:
  // nullptr: no idea.
  [[nodiscard]] model::LineGroup* guess() const { return guess_; }

  // This one came.
  void step(model::LineGroup* group) {
    if (last_ != nullptr && guess_ != group) last_->next.store(group, std::memory_order_release);
    last_ = group;
    guess_ = group->next.load(std::memory_order_acquire);
    if (guess_ == nullptr) return;
    // With many groups each is a miss: ask for the name now, and for the group after while the guess is looked at.
    if (guess_->raw_name != nullptr) {
      __builtin_prefetch(guess_->raw_name);
      __builtin_prefetch(guess_->raw_name + 64);
    }
    __builtin_prefetch(guess_->next.load(std::memory_order_relaxed));
  }

  void reset() { last_ = guess_ = nullptr; }

 private:
  model::LineGroup* last_ = nullptr;
  model::LineGroup* guess_ = nullptr;
};

}  // namespace varve::protocol
