// SPDX-License-Identifier: Apache-2.0
// Known levels: the granularities that were configured at any start, with their last retention. Windows of one that is
// not configured any more stay until that is over: it may have been left out by mistake, and samples that they could be
// made of again are gone.
// docs/formats/keys.md: (granularity:i64 retention:i64)*, big endian, ascending
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/rocksdb/runs/database.h"
#include "rollup/levels.h"

namespace varve::engine::rocksdb {

using LevelList = std::vector<rollup::Level>;  // ascending

// Errors: corrupt, io.
Result<LevelList> known_levels(const Database& database);
Status store_known_levels(Database& database, std::span<const rollup::Level> known);

// What is known once these are configured.
LevelList with_configured(std::span<const rollup::Level> known, std::span<const rollup::Level> configured);
// What is known and not configured.
LevelList former_levels(std::span<const rollup::Level> known, std::span<const rollup::Level> configured);

}  // namespace varve::engine::rocksdb
