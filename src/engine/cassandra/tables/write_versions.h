// SPDX-License-Identifier: Apache-2.0
// WriteVersions: numbers that order what replicas write to one row. A row that is made of what was read (a sealed row,
// a rollup block) has as its write timestamp the number that its writer drew before he read: of two writers the one
// that drew later read later, and his row stays, whatever their clocks say and whoever of them is slower.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/result.h"

namespace varve::engine::cassandra {

class WriteVersions {
 public:
  virtual ~WriteVersions() = default;
  // Greater than each number that any replica drew before, and than `above`. Blocking; thread-safe. Errors:
  // unavailable.
  virtual Result<std::int64_t> draw(std::int64_t above) = 0;
};

// Draws and reads, again where a row is found that has a greater version (the numbers may begin again lower after Redis
// was lost): what is written with the number that is returned stays. `read` returns the greatest version it found.
template <class Read>
Result<std::int64_t> read_versioned(WriteVersions& versions, Read&& read) {
  for (std::int64_t above = 0;;) {
    VARVE_ASSIGN_OR_RETURN(const std::int64_t version, versions.draw(above));
    VARVE_ASSIGN_OR_RETURN(above, read());
    if (above < version) return version;
  }
}

}  // namespace varve::engine::cassandra
