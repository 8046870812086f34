// SPDX-License-Identifier: Apache-2.0
// Ranges: writes dropped or revived series, or gaps, as records, one for each run of consecutive ids.
#pragma once

#include <cstdint>
#include <string>

#include "index/definitions.h"

namespace varve::index {

// A run is written when the next id is not consecutive, and at the end, which may be said earlier.
class Ranges {
 public:
  Ranges(std::string& out, DefinitionKind kind) : out_(out), kind_(kind) {}
  ~Ranges() { end(); }
  Ranges(const Ranges&) = delete;
  Ranges& operator=(const Ranges&) = delete;

  void add(std::uint32_t series) {
    if (count_ > 0 && series == first_ + count_) {
      ++count_;
      return;
    }
    end();
    first_ = series;
    count_ = 1;
  }
  void end() {
    if (count_ > 0) write_range(out_, kind_, first_, count_);
    count_ = 0;
  }

 private:
  std::string& out_;
  const DefinitionKind kind_;
  std::uint32_t first_ = 0;
  std::uint32_t count_ = 0;
};

}  // namespace varve::index
