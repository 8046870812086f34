// SPDX-License-Identifier: Apache-2.0
// Token ranges: the ring of a Cassandra (Murmur3Partitioner), cut into kRanges, which are read in parallel. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "codec/hash.h"

namespace varve::migrate {

// In progress files: DO NOT CHANGE.
inline constexpr unsigned kRangeBits = 12;
inline constexpr std::size_t kRanges = std::size_t{1} << kRangeBits;

inline constexpr std::uint64_t kTokenSign = std::uint64_t{1} << 63;

inline std::string token_bytes(std::uint64_t token) {
  std::string bytes(8, '\0');
  store_be64(bytes.data(), token);
  return bytes;
}

// First and last token of a range, both inclusive, as cells of type bigint. All of them are the ring, from the least.
inline std::vector<std::string> token_bounds(std::size_t range) {
  constexpr std::uint64_t kWidth = std::uint64_t{1} << (64 - kRangeBits);
  const std::uint64_t first = range * kWidth;
  return {token_bytes(first ^ kTokenSign), token_bytes((first + (kWidth - 1)) ^ kTokenSign)};
}

// The range in which the partition with this UUID as its key lies. (Cassandra's murmur3 is the standard one for keys of
// whole 16 bytes.)
inline std::size_t range_of_uuid(std::string_view uuid_bytes) {
  return static_cast<std::size_t>((codec::murmur3_128(uuid_bytes)[0] ^ kTokenSign) >> (64 - kRangeBits));
}

}  // namespace varve::migrate
