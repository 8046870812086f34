// SPDX-License-Identifier: Apache-2.0
// What is kept in memory of what was read: BlockCache, opened blocks; MessageCache, sections of sealed messages that
// are whole, and what was decoded of them (message/block/decoded.h).
#pragma once

#include "chunk/block.h"
#include "engine/shared/cache.h"

namespace varve::engine::rocksdb {

using BlockCache = shared::Cache<chunk::Block>;

struct MessageCache {
  explicit MessageCache(std::size_t bytes_max) : sections(bytes_max), decoded(bytes_max / 2) {}
  shared::SectionCache sections;
  shared::Cache<void> decoded;
};

}  // namespace varve::engine::rocksdb
