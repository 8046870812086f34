// SPDX-License-Identifier: Apache-2.0
// SlidingFold: what a range of items makes together, where the range moves forward: sums, means, regressions. Nothing
// is subtracted, so that nothing of an item remains behind when it has left; each item is joined twice at most.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "base/result.h"
#include "language/promql/evaluation.h"

namespace varve::language::promql {

// `State` is that of no items when it is made, and a.join(b) is that of the items of a and of those of b behind them.
// `Item`: State of one item, by its number.
template <class State, class Item>
class SlidingFold {
 public:
  explicit SlidingFold(Item item) : item_(std::move(item)) {}

  // Memory for ranges of so many items.
  Status reserve(Evaluation& evaluation, std::size_t items) {
    VARVE_ASSIGN_OR_RETURN(held_, evaluation.budget().charge(items * sizeof(State)));
    return {};
  }

  // Of the items [begin, end). Neither may be less than it was.
  State over(std::size_t begin, std::size_t end) {
    if (begin >= end_) {  // nothing of the last range is left
      middle_ = end_ = begin;
      back_ = State();
      front_.clear();
    } else if (begin > middle_) {
      turn(begin);
    }
    for (; end_ < end; ++end_) back_.join(item_(end_));
    if (begin >= middle_) return back_;
    State out = front_[middle_ - 1 - begin];
    out.join(back_);
    return out;
  }

 private:
  // The items [begin, end_) become the front.
  void turn(std::size_t begin) {
    front_.clear();
    for (std::size_t i = end_; i-- > begin;) {
      State state = item_(i);
      if (!front_.empty()) state.join(front_.back());
      front_.push_back(std::move(state));
    }
    middle_ = end_;
    back_ = State();
  }

  Item item_;
  std::size_t middle_ = 0, end_ = 0;
  State back_;                // of [middle_, end_)
  std::vector<State> front_;  // at i: of the last i + 1 items before middle_
  Charge held_;
};

}  // namespace varve::language::promql
