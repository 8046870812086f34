// SPDX-License-Identifier: Apache-2.0
// What is kept in memory of what was read: BlockCache, opened blocks; MessageCache, sections of sealed messages that
// are whole, and what was decoded of them (message/block/decoded.h).
#pragma once

#include "chunk/block.h"
#include "engine/shared/cache.h"

namespace varve::engine::rocksdb {

using BlockCache = shared::Cache<chunk::Block>;

// What nobody has asked for in the last two of these intervals goes: a process that is idle gives its memory back.
inline constexpr std::int64_t kCacheIntervalNs = 20'000'000'000;

struct MessageCache {
  explicit MessageCache(std::size_t bytes_max) : sections(bytes_max), decoded(bytes_max / 2) {}
  void drop_unused() {
    sections.drop_unused();
    decoded.drop_unused();
  }
  shared::SectionCache sections;
  shared::Cache<void> decoded;
};

}  // namespace varve::engine::rocksdb
