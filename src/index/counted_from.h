// SPDX-License-Identifier: Apache-2.0
// CountedFrom: when an index begins to count as series are defined instead of when somebody asks.
#pragma once

#include <cstdint>

namespace varve::index {

// A metric is large from so many series on, and a pair is wide from so many tag sets on, each with those that were
// forgotten. Below, an answer that looks at all of them takes a millisecond.
struct CountedFrom {
  std::uint32_t series = 4096;
  std::uint32_t tag_sets = 256;
};

}  // namespace varve::index
