// SPDX-License-Identifier: Apache-2.0
// Hashes: murmur3 x64 128 for identities that leave the process, XXH3 for tables inside it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace varve::codec {

// Standard murmur3 x64 128 (Appleby): h1, h2. Stable for ever.
std::array<std::uint64_t, 2> murmur3_128(std::string_view bytes, std::uint32_t seed = 0);

struct Hash128 {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  bool operator==(const Hash128&) const = default;
};

// XXH3 128 with a seed drawn at process start: equal bytes within this process, to any probability that matters
// (docs/decisions/0007). Never written anywhere.
Hash128 hash128(std::string_view bytes);

// XXH3 64. Ids of messages whose sender gave none are made of it, and are on disk: it must stay what it is.
std::uint64_t hash64(std::string_view bytes, std::uint64_t seed = 0);

// XXH64, the older one, which others make hashes of that ours must equal.
std::uint64_t xxh64(std::string_view bytes);

}  // namespace varve::codec
