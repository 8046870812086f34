// SPDX-License-Identifier: Apache-2.0
// What one query may take.
#pragma once

#include <chrono>
#include <cstddef>

namespace varve::query {

struct Limits {
  std::size_t memory_bytes = std::size_t{1} << 30;  // query.memory: what one query may hold at a time
  std::chrono::milliseconds timeout{60'000};        // query.timeout
  std::size_t metrics_max = 10'000;                 // query.metrics_max: of one query
  unsigned threads = 0;                             // of one query; 0: as many as the machine has
  // Of samples: from here on they are read while they are sent, or for percentiles several times instead of kept.
  std::size_t slice_bytes = std::size_t{32} << 20;
};

}  // namespace varve::query
