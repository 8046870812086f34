// SPDX-License-Identifier: Apache-2.0
// Bundle: facets that say nearly the same (a message's module, type, level and template) as one id a row, and a table
// of the combinations that occur.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "message/block/format.h"
#include "message/block/packed.h"

namespace varve::message::block {

struct Bundle {
  std::vector<std::uint8_t> facets;
  std::size_t size = 0;  // entries
  // Of more than one facet: how often each entry occurs, and for each facet the ids of the entries.
  std::vector<std::uint32_t> counts;
  std::vector<std::vector<std::uint32_t>> table;
  std::vector<std::uint32_t> entries;  // of each row

  [[nodiscard]] bool single() const { return facets.size() == 1; }
};

using FacetIds = std::array<std::vector<std::uint32_t>, kFacets>;

// Facets, of which each row has an id below the limit, in bundles that are small together.
std::vector<Bundle> make_bundles(const FacetIds& facets, const std::array<std::size_t, kFacets>& limits);

void write_table(const Bundle& bundle, Packer& packer, Bytes& out);
// Ids below the limits of their facets. False: malformed.
bool read_table(Cursor& from, const std::array<std::size_t, kFacets>& limits, std::size_t rows, Bundle& out);

}  // namespace varve::message::block
