// SPDX-License-Identifier: Apache-2.0
// Unaligned loads and stores. Formats on disk and in the log are little endian; key parts that must sort are big
// endian.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace varve {

static_assert(std::endian::native == std::endian::little, "the formats are read and written in place");

template <class T>
  requires std::is_trivially_copyable_v<T>
inline T load_le(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class T>
  requires std::is_trivially_copyable_v<T>
inline void store_le(void* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

inline std::uint32_t load_be32(const void* from) { return __builtin_bswap32(load_le<std::uint32_t>(from)); }
inline std::uint64_t load_be64(const void* from) { return __builtin_bswap64(load_le<std::uint64_t>(from)); }
inline void store_be32(void* to, std::uint32_t value) { store_le(to, __builtin_bswap32(value)); }
inline void store_be64(void* to, std::uint64_t value) { store_le(to, __builtin_bswap64(value)); }

}  // namespace varve
