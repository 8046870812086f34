// SPDX-License-Identifier: Apache-2.0
// Ranges: writes series that were forgotten or revived as records, neighbours in one.
#pragma once

#include <cstdint>
#include <string>

#include "index/definitions.h"

namespace varve::index {

// What was added is written when the next one is no neighbour, and at the end.
class Ranges {
 public:
  Ranges(std::string& out, DefinitionKind kind) : out_(out), kind_(kind) {}
  ~Ranges() { write(); }
  Ranges(const Ranges&) = delete;
  Ranges& operator=(const Ranges&) = delete;

  void add(std::uint32_t series) {
    if (count_ > 0 && series == first_ + count_) {
      ++count_;
      return;
    }
    write();
    first_ = series;
    count_ = 1;
  }

 private:
  void write() {
    if (count_ > 0) write_range(out_, kind_, first_, count_);
    count_ = 0;
  }

  std::string& out_;
  const DefinitionKind kind_;
  std::uint32_t first_ = 0;
  std::uint32_t count_ = 0;
};

}  // namespace varve::index
