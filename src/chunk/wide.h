// SPDX-License-Identifier: Apache-2.0
// Longs as they are kept, and their sums, which cannot overflow.
#pragma once

#include <cstdint>

namespace varve::chunk {

__extension__ typedef __int128 Wide;  // `using` has no place for the __extension__ that -Wpedantic wants

inline std::int64_t as_signed(std::uint64_t v) { return static_cast<std::int64_t>(v); }

}  // namespace varve::chunk
