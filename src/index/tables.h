// SPDX-License-Identifier: Apache-2.0
// What stands behind SeriesIndex: the catalog, and the scratch memory of the mutating calls.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "index/catalog.h"
#include "index/definitions.h"
#include "index/series_index.h"
#include "index/wanted_series.h"

namespace varve::index {

struct SeriesIndex::Tables {
  Catalog catalog;

  // Of define_group() and replay(), which run alone.
  WantedSeries wanted;
  Definition definition;
  std::vector<std::uint32_t> keys;   // of the tags, kNone: new
  std::vector<std::uint32_t> pairs;  // likewise
  std::vector<std::uint32_t> numbers;
  std::vector<model::SeriesId> columns;
  std::string coded;
  model::TagViews tags;
};

// Varints of the pairs: a tag set as the catalog keeps it.
void code_pairs(std::span<const std::uint32_t> pairs, std::string& out);  // cleared first

// Those that were forgotten are not any more; says so in records.
void revive_series(Catalog& catalog, std::span<const model::SeriesId> series, std::string& definitions);

// Error: limit (with so many more series the tenant would have more than `series_max`).
Status check_room(const Catalog& catalog, std::uint32_t tenant, std::size_t fresh, std::size_t series_max);

}  // namespace varve::index
