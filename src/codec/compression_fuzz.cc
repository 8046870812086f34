// SPDX-License-Identifier: Apache-2.0
// The first byte chooses the coding; whatever follows must neither crash nor put out more than the limit.
#include <cstdint>
#include <cstdlib>

#include "codec/compression.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  constexpr std::size_t kMax = 100'000;
  static std::string out;
  const auto coding = static_cast<varve::codec::Coding>(data[0] % 5);
  const std::string_view in(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (varve::codec::decompress(coding, in, kMax, out) && out.size() > kMax) std::abort();
  return 0;
}
