// SPDX-License-Identifier: Apache-2.0
// SealBatch: some groups of the slots that are sealed together, and what the index knows of them, asked for all at
// once: nobody who defines series waits for each.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/rocksdb/options.h"
#include "engine/rocksdb/series/catalog.h"
#include "index/series_index.h"
#include "rollup/levels.h"

namespace varve::engine::rocksdb {

struct SealedGroup {
  std::uint32_t group = 0;
  std::span<const model::SeriesId> series;
  std::vector<model::SeriesId> counters;  // those of them that are no gauges
  bool shared = false;                    // one of its series stands in another group too
  bool ours = true;                       // is its partition?

  [[nodiscard]] rollup::Kind kind_of(model::SeriesId one) const {
    const bool counts = !counters.empty() && std::ranges::find(counters, one) != counters.end();
    return counts ? rollup::Kind::counter : rollup::Kind::gauge;
  }
};

struct SealBatch {
  std::vector<SealedGroup> groups;  // ascending
};

// One thread.
class SealBatcher {
 public:
  static constexpr std::size_t kSeries = 64;  // in a batch, unless one group has more

  // `partitions` that are ours, ascending.
  SealBatcher(const Options& options, const Catalog& catalog, std::span<const std::uint32_t> partitions)
      : options_(options), catalog_(catalog), partitions_(partitions) {}

  // The first of `groups` (ascending, not empty); valid until the next call.
  const SealBatch& next(std::span<const std::uint32_t> groups);

 private:
  [[nodiscard]] bool is_ours(std::span<const model::SeriesId> series, model::TenantId tenant)
      VARVE_REQUIRES_SHARED(catalog_.mutex);

  const Options& options_;
  const Catalog& catalog_;
  const std::span<const std::uint32_t> partitions_;
  SealBatch batch_;
  model::TagViews tags_;
};

}  // namespace varve::engine::rocksdb
