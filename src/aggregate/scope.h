// SPDX-License-Identifier: Apache-2.0
// Scope: what a pipeline step knows about its query.
#pragma once

#include <cstddef>
#include <functional>

#include "base/result.h"
#include "model/time.h"

namespace varve::aggregate {

// Asked before memory is taken that is not proportional to the input, and for no bytes in long loops: an error ends
// them, be it that there is no memory or that the query's time is over. Empty: everything is granted.
using Charge = std::function<Status(std::size_t bytes)>;

struct Scope {
  model::Timestamp start = 0;  // of the query's range: what windows count from
  model::Timestamp until = 0;  // the last millisecond that gaps are marked to: the range's last, or now
  Charge charge = {};
};

// Asks now and then whether a long loop may go on. A step takes a microsecond at most, so that is every few
// milliseconds.
class Pace {
 public:
  Status step(const Charge& charge, std::size_t steps = 1) {
    steps_ += steps;
    if (steps_ < kStepsAtOnce || !charge) return {};
    steps_ = 0;
    return charge(0);
  }

 private:
  static constexpr std::size_t kStepsAtOnce = 4096;
  std::size_t steps_ = 0;
};

}  // namespace varve::aggregate
