// SPDX-License-Identifier: Apache-2.0
// What is kept in memory of what was read: opened blocks, and sections of sealed messages.
#pragma once

#include "chunk/block.h"
#include "engine/shared/cache.h"

namespace varve::engine::rocksdb {

using BlockCache = shared::Cache<chunk::Block>;
using shared::SectionCache;

}  // namespace varve::engine::rocksdb
