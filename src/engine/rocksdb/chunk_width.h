// SPDX-License-Identifier: Apache-2.0
// How much time a chunk may cover. A slot of days is stored in equal stretches of some hours: a series has at most one
// sample a millisecond, so a chunk stays under chunk::kRowsMax however densely somebody writes.
#pragma once

#include <cstdint>

#include "chunk/block.h"

namespace varve::engine::rocksdb {

inline constexpr std::int64_t kChunkWidthMaxMs = 4 * 3'600'000;
static_assert(kChunkWidthMaxMs < static_cast<std::int64_t>(chunk::kRowsMax));

// The slot's width if it is small enough, else the largest part of it, by a whole number, that is. Slots in which no
// such part lasts a minute (a prime number of milliseconds) are not respected: chunks are then of the largest width.
constexpr std::int64_t chunk_width_ms(std::int64_t slot_width_ms) {
  if (slot_width_ms <= kChunkWidthMaxMs) return slot_width_ms;
  for (std::int64_t parts = slot_width_ms / kChunkWidthMaxMs; slot_width_ms / parts >= 60'000; ++parts) {
    if (slot_width_ms % parts == 0 && slot_width_ms / parts <= kChunkWidthMaxMs) return slot_width_ms / parts;
  }
  return kChunkWidthMaxMs;
}

}  // namespace varve::engine::rocksdb
