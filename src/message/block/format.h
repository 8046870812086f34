// SPDX-License-Identifier: Apache-2.0
// Constants of the message block; for the layout see docs/formats/message-block.md. Stored: DO NOT CHANGE THE NUMBERS.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "message/column.h"

namespace varve::message::block {

inline constexpr std::uint32_t kMagic = 0x626d7676;  // "vvmb"
inline constexpr std::uint8_t kVersion = 1;
inline constexpr std::uint8_t kVersionComputedIds = 2;  // of a block that has some

inline constexpr std::size_t kRowsMax = 65'536;
// Of all rows together: bounds every part, and what a reader may be made to allocate.
inline constexpr std::size_t kBlockBytesMax = std::size_t{1} << 27;
inline constexpr std::size_t kSectionBytesMax = std::size_t{1} << 20;
inline constexpr std::size_t kInlineBytesMax = 640;
// A head of so many bytes gets no more parts.
inline constexpr std::size_t kHeadBytesTarget = 64 << 10;
inline constexpr std::size_t kSectionsMax = 4096;

enum class PartKind : std::uint8_t {
  times = 1,
  nanos = 2,
  arrivals = 3,
  dictionary = 4,  // of a column
  table = 5,       // of a bundle
  entries = 6,     // of a bundle
  integers = 7,    // of a column
  objects = 8,
  ids = 9,
  field_names = 10,
  shapes = 11,
  field_values = 12,
  templates = 13,
  text_index = 14,
  text_frame = 15,
  word_filter = 16,
};
inline constexpr std::size_t kPartKinds = 17;

// Facets give each row a small id. The first eleven are columns, by their own numbers.
inline constexpr std::size_t kFacetObjects = 11;
inline constexpr std::size_t kFacetTemplate = 12;
inline constexpr std::size_t kFacetId = 13;
inline constexpr std::size_t kFacetShape = 14;
inline constexpr std::size_t kFixedFacets = 15;
inline constexpr std::size_t kFieldFacets = 32;  // behind them, of free fields that many messages have
inline constexpr std::size_t kFacets = kFixedFacets + kFieldFacets;

inline constexpr std::size_t kTextColumns = 7;  // source … ip
inline constexpr std::array<Column, 4> kIntegerColumns{Column::level, Column::kind, Column::pid, Column::sequence};

constexpr std::size_t facet_of(Column column) { return static_cast<std::size_t>(column); }
constexpr bool is_field_facet(std::size_t facet) { return facet >= kFixedFacets; }
constexpr bool is_text_facet(std::size_t facet) { return facet < kTextColumns; }
constexpr bool is_integer_facet(std::size_t facet) { return facet >= kTextColumns && facet < kFacetObjects; }

// An integer column is a dictionary with so many values at most.
inline constexpr std::size_t kIntegerTermsMax = 4096;

// Ids of facet id.
inline constexpr std::uint32_t kNoId = 0;
inline constexpr std::uint32_t kStoredId = 1;
inline constexpr std::uint32_t kFirstComputedId = 2;  // + the repeat (message/made_ids.h)

// Ids of facet template.
inline constexpr std::uint32_t kNoText = 0;
inline constexpr std::uint32_t kPlainText = 1;
inline constexpr std::uint32_t kFirstTemplate = 2;

// How a column of a text frame is stored.
enum ColumnKind : std::uint8_t {
  kColumnText = 0,
  kColumnDecimal = 1,
  kColumnDigits = 2,  // … 19: of (kind − 1) digits
  kColumnDigitsLast = 19,
  kColumnPlain = 20,
  kColumnHex = 32,  // + digits, 1 … 64
  kColumnHexLast = 96,
};
inline constexpr std::size_t kHexDigitsMax = 64;

inline constexpr std::size_t kFieldPlain = 0;
inline constexpr std::size_t kFieldDictionary = 1;
inline constexpr std::size_t kFieldFew = 2;
inline constexpr std::size_t kFieldFacet = 3;
inline constexpr std::size_t kSplitBytesMax = std::size_t{1} << 20;  // longer texts are plain

// Shorter words are not in the filter: nearly every frame would have them.
inline constexpr std::size_t kFilterWordMin = 4;

}  // namespace varve::message::block
