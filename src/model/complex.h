// SPDX-License-Identifier: Apache-2.0
// Complex: the encoding of a complex number in a sample. docs/formats/values.md.
//
//   complex := real:f64 imaginary:f64          (little endian)
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "base/bytes.h"

namespace varve::model {

struct Complex {
  double real = 0;
  double imaginary = 0;
};

inline constexpr std::size_t kComplexBytes = 16;

inline std::array<char, kComplexBytes> encode(const Complex& value) {
  std::array<char, kComplexBytes> bytes;
  store_le(bytes.data(), value.real);
  store_le(bytes.data() + 8, value.imaginary);
  return bytes;
}

// nullopt: the bytes are not a complex number.
inline std::optional<Complex> decode_complex(std::string_view bytes) {
  if (bytes.size() != kComplexBytes) return std::nullopt;
  return Complex{load_le<double>(bytes.data()), load_le<double>(bytes.data() + 8)};
}

}  // namespace varve::model
