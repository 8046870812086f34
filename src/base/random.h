// SPDX-License-Identifier: Apache-2.0
// Random numbers that nobody can guess, for seeds and for names that are never alike. Slow.
#pragma once

#include <cstdint>
#include <random>

namespace varve {

inline std::uint64_t random_number() {
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

}  // namespace varve
