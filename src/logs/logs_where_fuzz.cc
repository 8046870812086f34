// SPDX-License-Identifier: Apache-2.0
// Any text as a condition: what is taken has names, operators and no list that is empty.
#include <cstdint>
#include <cstdlib>

#include "logs/where.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto where = varve::logs::parse_where({reinterpret_cast<const char*>(data), size});
  if (!where) return where.error().message.empty() ? (std::abort(), 0) : 0;
  if (where->empty()) std::abort();
  for (const auto& all : *where) {
    if (all.empty()) std::abort();
    for (const auto& term : all) {
      if (term.name.empty() || term.op < 1 || term.op > 9) std::abort();
    }
  }
  return 0;
}
