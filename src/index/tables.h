// SPDX-License-Identifier: Apache-2.0
// SeriesIndex::Tables: the catalog, and scratch memory of the mutating calls.
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
  explicit Tables(const CountedFrom& counted_from) : catalog(counted_from) {}

  Catalog catalog;

  // Scratch memory of define_group() and replay(), which run alone.
  WantedSeries wanted;
  Definition definition;
  std::vector<std::uint32_t> keys;   // of the tags, kNone: new
  std::vector<std::uint32_t> pairs;  // likewise
  std::vector<std::uint32_t> numbers;
  std::vector<model::SeriesId> columns;
  std::string coded;
};

// Encodes pairs as varints, the catalog's form of a tag set.
void code_pairs(std::span<const std::uint32_t> pairs, std::string& out);  // cleared first

// Revives the series that were forgotten, and appends the records.
void revive_series(Catalog& catalog, std::span<const model::SeriesId> series, std::string& definitions);

// Error: limit (with `fresh` more series the tenant would exceed `series_max`).
Status check_room(const Catalog& catalog, std::uint32_t tenant, std::size_t fresh, std::size_t series_max);

}  // namespace varve::index
