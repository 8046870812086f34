// SPDX-License-Identifier: Apache-2.0
// Scope: what a pipeline step knows about its query.
#pragma once

#include <cstddef>
#include <functional>

#include "base/result.h"
#include "model/time.h"

namespace varve::aggregate {

struct Scope {
  model::Timestamp start = 0;  // of the query's range: what windows count from
  model::Timestamp until = 0;  // the last millisecond that gaps are marked to: the range's last, or now
  // Called before allocating memory that is not proportional to the input. Empty: everything is granted.
  std::function<Status(std::size_t bytes)> charge;
};

}  // namespace varve::aggregate
