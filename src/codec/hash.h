// SPDX-License-Identifier: Apache-2.0
// Hashes: murmur3 x64 128 for identities that leave the process, XXH3 for tables inside it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace varve::codec {

// Standard murmur3 x64 128 (Appleby): h1, h2. Stable for ever.
std::array<std::uint64_t, 2> murmur3_128(std::string_view bytes, std::uint32_t seed = 0);

// XXH3 64. Not written to disk.
std::uint64_t hash64(std::string_view bytes, std::uint64_t seed = 0);

}  // namespace varve::codec
