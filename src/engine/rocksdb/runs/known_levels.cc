// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/runs/known_levels.h"

#include <algorithm>

#include "base/bytes.h"

namespace varve::engine::rocksdb {
namespace {

constexpr const char* kKnownLevelsKey = "w";
constexpr std::size_t kLevelBytes = 16;

bool has_width(std::span<const rollup::Level> levels, std::int64_t width_ms) {
  return std::ranges::find(levels, width_ms, &rollup::Level::width_ms) != levels.end();
}

}  // namespace

Result<LevelList> known_levels(const Database& database) {
  VARVE_ASSIGN_OR_RETURN(const auto stored, database.text(kKnownLevelsKey));
  LevelList known;
  if (!stored) return known;
  if (stored->size() % kLevelBytes != 0) return fail(Code::corrupt, "the list of known granularities is malformed");
  for (std::size_t at = 0; at < stored->size(); at += kLevelBytes) {
    known.push_back({static_cast<std::int64_t>(load_be64(stored->data() + at)),
                     static_cast<std::int64_t>(load_be64(stored->data() + at + 8))});
  }
  return known;
}

Status store_known_levels(Database& database, std::span<const rollup::Level> known) {
  std::string stored(known.size() * kLevelBytes, '\0');
  for (std::size_t i = 0; i < known.size(); ++i) {
    store_be64(stored.data() + i * kLevelBytes, static_cast<std::uint64_t>(known[i].width_ms));
    store_be64(stored.data() + i * kLevelBytes + 8, static_cast<std::uint64_t>(known[i].retention_ms));
  }
  return database.put_text(kKnownLevelsKey, stored);
}

LevelList with_configured(std::span<const rollup::Level> known, std::span<const rollup::Level> configured) {
  LevelList all = former_levels(known, configured);
  all.insert(all.end(), configured.begin(), configured.end());
  std::ranges::sort(all, {}, &rollup::Level::width_ms);
  return all;
}

LevelList former_levels(std::span<const rollup::Level> known, std::span<const rollup::Level> configured) {
  LevelList former;
  for (const rollup::Level& level : known) {
    if (!has_width(configured, level.width_ms)) former.push_back(level);
  }
  return former;
}

}  // namespace varve::engine::rocksdb
