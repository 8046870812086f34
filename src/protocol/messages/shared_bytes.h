// SPDX-License-Identifier: Apache-2.0
// Bounds for protocols in which many messages share what is said once: a small body must not become gigabytes of rows.
#pragma once

#include <algorithm>
#include <cstddef>

namespace varve::protocol::messages {

// Of what one message says, beside its text.
inline constexpr std::size_t kFieldsBytesMax = std::size_t{32} << 20;
// Of what messages share, such as a stream's labels.
inline constexpr std::size_t kSharedBytesMax = std::size_t{1} << 20;

// Of all rows of a body.
constexpr std::size_t rows_bytes_max(std::size_t body_bytes) {
  constexpr std::size_t kAtLeast = std::size_t{16} << 20;
  constexpr std::size_t kTimes = 8;
  return std::max(kAtLeast, kTimes * body_bytes);
}

}  // namespace varve::protocol::messages
