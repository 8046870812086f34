// SPDX-License-Identifier: Apache-2.0
// How much time a chunk may cover. A slot of days is stored in equal stretches of some hours: a series has at most one
// sample a millisecond, so a chunk stays under chunk::kRowsMax however densely somebody writes.
#pragma once

#include <cstdint>

#include "chunk/block.h"
#include "rollup/levels.h"

namespace varve::engine::shared {

inline constexpr std::int64_t kChunkWidthMaxMs = 4 * 3'600'000;
static_assert(kChunkWidthMaxMs < static_cast<std::int64_t>(chunk::kRowsMax));

// Can windows of all granularities be made of chunks of this width, or chunks be put together to such windows?
inline bool fits(std::int64_t chunk_width_ms, const rollup::Levels& rollups) {
  for (const auto& level : rollups.levels) {
    const bool inside = level.width_ms <= chunk_width_ms;
    if ((inside ? chunk_width_ms % level.width_ms : level.width_ms % chunk_width_ms) != 0) return false;
  }
  return true;
}

// The slot's width if it is small enough, else the largest part of it, by a whole number, that is and that the rollups
// can be made of. Where no such part lasts a minute (a slot of a prime number of milliseconds) it is the largest width.
inline std::int64_t chunk_width_ms(std::int64_t slot_width_ms, const rollup::Levels& rollups = {}) {
  if (slot_width_ms <= kChunkWidthMaxMs) return slot_width_ms;
  for (std::int64_t parts = slot_width_ms / kChunkWidthMaxMs; slot_width_ms / parts >= 60'000; ++parts) {
    const std::int64_t width = slot_width_ms / parts;
    if (slot_width_ms % parts == 0 && width <= kChunkWidthMaxMs && fits(width, rollups)) return width;
  }
  return kChunkWidthMaxMs;
}

}  // namespace varve::engine::shared
