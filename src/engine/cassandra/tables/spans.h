// SPDX-License-Identifier: Apache-2.0
// Spans: the stretches of time that rows and partitions cover (docs/decisions/0015). Each begins at a multiple of its
// width since 1970.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "model/time.h"

namespace varve::engine::cassandra {

inline constexpr std::int64_t kSlotsPerBucket = 168;  // a week of hours
inline constexpr std::int64_t kSlotsPerStratum = 24;  // a day of hours
static_assert(kSlotsPerBucket % kSlotsPerStratum == 0);
inline constexpr std::int64_t kWindowsPerRollupBlock = 48;  // at least
inline constexpr std::int64_t kRollupBlocksPerBucket = 42;
inline constexpr std::int64_t kIndexBucketMs = 7 * 86'400'000LL;
inline constexpr unsigned kSeriesPerColumnShard = 32;
constexpr unsigned column_shards_of(std::size_t columns) {
  return static_cast<unsigned>((columns + kSeriesPerColumnShard - 1) / kSeriesPerColumnShard);
}

// The partition bucket of sealed rows.
constexpr std::int64_t bucket_ms(std::int64_t slot_width_ms) { return kSlotsPerBucket * slot_width_ms; }

// The time whose sealed slots may share rows (strata.h).
constexpr std::int64_t stratum_ms(std::int64_t slot_width_ms) { return kSlotsPerStratum * slot_width_ms; }

// A rollup block: the shortest multiple of the slot, of the granularity and of the next finer one's rollup block that
// has at least 48 windows. So each lies in one coarser rollup block, whose series stats are the sum of its finer ones'.
constexpr std::int64_t rollup_block_ms(std::int64_t granularity_ms, std::int64_t slot_width_ms,
                                       std::int64_t finer_block_ms = 1) {
  const std::int64_t least = std::lcm(std::lcm(granularity_ms, slot_width_ms), finer_block_ms);
  const std::int64_t wanted = granularity_ms * kWindowsPerRollupBlock;
  return (wanted + least - 1) / least * least;
}

// Of each granularity, which ascend.
constexpr std::vector<std::int64_t> rollup_blocks_ms(std::span<const std::int64_t> granularities_ms,
                                                     std::int64_t slot_width_ms) {
  std::vector<std::int64_t> blocks;
  for (const std::int64_t width : granularities_ms) {
    blocks.push_back(rollup_block_ms(width, slot_width_ms, blocks.empty() ? 1 : blocks.back()));
  }
  return blocks;
}

// The partition bucket of rollup blocks.
constexpr std::int64_t rollup_bucket_ms(std::int64_t rollup_block_ms) {
  return kRollupBlocksPerBucket * rollup_block_ms;
}

inline model::Timestamp index_bucket_of(model::Timestamp time) { return model::window_start(time, kIndexBucketMs); }

}  // namespace varve::engine::cassandra
