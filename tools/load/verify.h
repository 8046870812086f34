// SPDX-License-Identifier: Apache-2.0
// Reads back from a varve server what a plan sent, through the KairosDB API.
#pragma once

#include <string>

#include "tools/load/run.h"

namespace varve::load {

struct Verdict {
  std::uint64_t counted = 0;   // samples the server counts, of all series
  std::uint64_t compared = 0;  // samples read back and compared one by one
  std::string fault;           // "" if all is as it was sent
};

// Counts all samples of every metric, and reads `hosts` hosts whole and compares each time and value.
Verdict verify(const Address& address, const Plan& plan, std::size_t hosts);

}  // namespace varve::load
