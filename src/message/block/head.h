// SPDX-License-Identifier: Apache-2.0
// Head: section 0 of a block, which says what is where.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "message/block/format.h"
#include "message/block/parts.h"

namespace varve::message::block {

struct IntegerRange {
  bool any = false;    // does a message have one?
  bool plain = false;  // not a dictionary
  std::size_t distinct = 0;
  std::int64_t min = 0, max = 0;
};

struct BundleHead {
  std::vector<std::uint8_t> facets;
  std::size_t size = 0;
};

struct Head {
  PartBytes bytes;  // what the directory points into
  std::size_t rows = 0;
  std::int64_t first_us = 0, last_us = 0;
  std::array<IntegerRange, 4> integers;  // of facet kTextColumns + i
  std::array<std::size_t, kTextColumns> terms{};
  std::size_t object_terms = 0, objects_limit = 0, objects = 0;
  std::size_t templates = 0, names = 0, shapes = 0, texts = 0;
  std::size_t ids_limit = kFirstComputedId;
  struct FieldFacet {
    std::uint32_t name;
    std::size_t terms;
  };
  std::vector<FieldFacet> field_facets;  // of facets kFixedFacets + i
  std::vector<BundleHead> bundles;
  Directory directory;

  [[nodiscard]] std::array<std::size_t, kFacets> limits() const;
};

// Errors: corrupt, unsupported (of another version), and what reading gives.
Result<Head> read_head(const Sections& sections);
// Likewise, or the one that the store kept.
Result<std::shared_ptr<const Head>> head_of(const Sections& sections);

}  // namespace varve::message::block
