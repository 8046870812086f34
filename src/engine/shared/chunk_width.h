// SPDX-License-Identifier: Apache-2.0
// Chunk width: how much time a chunk may cover. A slot of days is divided into equal parts of some hours: a series has
// at most one sample a millisecond, so a chunk stays below chunk::kRowsMax at any sampling rate.
#pragma once

#include <cstdint>

#include "chunk/block.h"
#include "rollup/levels.h"

namespace varve::engine::shared {

inline constexpr std::int64_t kChunkWidthMaxMs = 4 * 3'600'000;
static_assert(kChunkWidthMaxMs < static_cast<std::int64_t>(chunk::kRowsMax));

// Does every granularity divide the chunk width, or is it a multiple of it?
inline bool fits(std::int64_t chunk_width_ms, const rollup::Levels& rollups) {
  for (const auto& level : rollups.levels) {
    const bool inside = level.width_ms <= chunk_width_ms;
    if ((inside ? chunk_width_ms % level.width_ms : level.width_ms % chunk_width_ms) != 0) return false;
  }
  return true;
}

// The slot's width, if it is at most kChunkWidthMaxMs; otherwise the largest whole fraction of it that is and that
// fits() the rollups. If no such fraction is at least a minute (a slot of a prime number of milliseconds):
// kChunkWidthMaxMs.
inline std::int64_t chunk_width_ms(std::int64_t slot_width_ms, const rollup::Levels& rollups = {}) {
  if (slot_width_ms <= kChunkWidthMaxMs) return slot_width_ms;
  for (std::int64_t parts = slot_width_ms / kChunkWidthMaxMs; slot_width_ms / parts >= 60'000; ++parts) {
    const std::int64_t width = slot_width_ms / parts;
    if (slot_width_ms % parts == 0 && width <= kChunkWidthMaxMs && fits(width, rollups)) return width;
  }
  return kChunkWidthMaxMs;
}

}  // namespace varve::engine::shared
