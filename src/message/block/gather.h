// SPDX-License-Identifier: Apache-2.0
// Gathered: rows taken apart into columns, before they are encoded.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "message/block/format.h"
#include "message/block/interner.h"
#include "message/block/packed.h"
#include "message/block/template.h"
#include "message/row.h"

namespace varve::message::block {

struct FieldCell {
  std::uint32_t name;  // its number among the sorted names
  std::uint32_t row;
  std::string_view text;
};

// Texts and their variables, which are copied: side by side they are written faster than where the rows have them.
struct GatheredTexts {
  struct Text {
    std::string_view text;
    std::uint32_t row;
    std::uint32_t pattern;    // number in `patterns`, or kNone
    std::uint32_t first = 0;  // of its variables, in `sizes`
    std::uint32_t at = 0;     // of their bytes, in `variables`
    std::uint32_t bytes = 0;  // so many
    std::uint32_t count = 0;
  };
  static constexpr std::uint32_t kNone = ~0U;
  std::vector<Text> texts;
  std::vector<std::uint32_t> sizes;  // of each variable, text after text
  Bytes variables;                   // one after the other
  Interner patterns;
};

struct Gathered {
  std::size_t rows = 0;
  std::vector<std::int64_t> times, nanos, arrivals;
  // The id of each row; empty: 0 in each.
  std::array<std::vector<std::uint32_t>, kFacets> facets;
  std::array<Interner, kTextColumns> terms;  // sorted
  // Of integer facets (− kTextColumns): the numbers of a dictionary, sorted; or all, in the order of rows.
  std::array<std::vector<std::int64_t>, 4> numbers;
  std::array<bool, 4> plain{};
  Interner object_terms;
  std::vector<std::uint32_t> objects;
  std::string ids;
  Interner names;
  Interner shapes;                        // of u32: name × 4 + form; numbers of names are as in `first_names`
  std::vector<std::uint32_t> name_ranks;  // number of a name in a shape → number of the sorted name
  // Fields that are facets, in the order of the facets: name, and how many terms there are.
  struct FieldFacet {
    std::uint32_t name;
    std::size_t terms;
  };
  std::vector<FieldFacet> field_facets;
  std::vector<FieldCell> fields;  // row after row
  GatheredTexts texts;
  Arena arena;
};

// Errors: invalid (order, more rows than a block has), too_large (more bytes).
Status gather(std::span<const RowView> rows, Gathered& out);

}  // namespace varve::message::block
