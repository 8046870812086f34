// SPDX-License-Identifier: Apache-2.0
// Bodies gone wrong: JSON with a few bytes changed, cut and doubled.
#pragma once

#include <random>
#include <string>
#include <string_view>

namespace varve::protocol::testing {

// Never empty. The same state of `random` does the same damage.
inline std::string damaged(std::string body, std::mt19937& random) {
  constexpr std::string_view letters = "\"{}[],:'\\ 0.-e/#=;x\n1";
  for (unsigned change = 0; change <= random() % 3; ++change) {
    const auto at = random() % body.size();
    switch (random() % 4) {
      case 0: body[at] = letters[random() % letters.size()]; break;
      case 1: body.erase(at, 1 + random() % 3); break;
      case 2: body.insert(at, 1, letters[random() % letters.size()]); break;
      default: body.resize(at); break;
    }
    if (body.empty()) body = "[";
  }
  return body;
}

}  // namespace varve::protocol::testing
