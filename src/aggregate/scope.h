// SPDX-License-Identifier: Apache-2.0
// Scope: what a step of a pipeline may know of the query around it.
#pragma once

#include <cstddef>
#include <functional>

#include "base/result.h"
#include "model/time.h"

namespace varve::aggregate {

struct Scope {
  model::Timestamp start = 0;  // of the query's range: what windows count from
  model::Timestamp until = 0;  // the last millisecond that gaps are marked to: the range's last, or now
  // Asked before memory is taken that has nothing to do with the size of what came in. Empty: all that is wanted.
  std::function<Status(std::size_t bytes)> charge;
};

}  // namespace varve::aggregate
