// SPDX-License-Identifier: Apache-2.0
// Vectors of 16 and 32 bytes: the widest that the compiler makes good code of.
#pragma once

#include <cstdint>
#include <cstring>

namespace varve::chunk {

typedef std::uint8_t Bytes16 __attribute__((vector_size(16)));
typedef std::uint8_t Bytes32 __attribute__((vector_size(32)));
typedef std::uint16_t Words16 __attribute__((vector_size(32)));
typedef std::uint64_t Lanes __attribute__((vector_size(32)));

// Of what is aligned to nothing.
template <class Vector, class T>
Vector load_vector(const T* at) {
  Vector out;
  std::memcpy(&out, at, sizeof out);
  return out;
}

inline std::uint64_t either(Lanes v) { return v[0] | v[1] | v[2] | v[3]; }

}  // namespace varve::chunk
