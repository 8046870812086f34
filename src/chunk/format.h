// SPDX-License-Identifier: Apache-2.0
// Constants of the block format; for the layout see docs/formats/block.md. On disk: DO NOT CHANGE THE NUMBERS.
#pragma once

#include <cstddef>
#include <cstdint>

namespace varve::chunk {

inline constexpr std::uint32_t kMagic = 0x6b627676;  // "vvbk"
// A block has the lowest version with all the features that it uses, so that older readers can read it if possible.
inline constexpr std::uint8_t kVersionFirst = 1;
inline constexpr std::uint8_t kVersionWithRice = 2;
inline constexpr std::uint8_t kVersionWithSplits = 3;   // of classes
inline constexpr std::uint8_t kVersionWithMarkers = 4;  // staleness markers
inline constexpr std::uint8_t kVersionLast = kVersionWithMarkers;
inline constexpr std::size_t kCheckedFrom = 8;  // magic, checksum; the checksum is of everything behind it

// A section decompresses to at most kInflatedFree bytes or kInflatedRatioMax times its stored size. Writers comply.
inline constexpr std::size_t kInflatedFree = std::size_t{1} << 20;
inline constexpr std::size_t kInflatedRatioMax = 128;

// How the values of a part are encoded.
enum class Form : std::uint8_t {
  longs = 0,
  decimals = 1,  // mantissas
  patched = 2,   // mantissas, except for a few doubles stored verbatim
  doubles = 3,   // IEEE bits, mapped so that they sort as the numbers do
  texts = 4,     // positions in a dictionary
  mixed = 5,     // a sequence of types, then one part for each type
  marked = 6     // rows with staleness markers, then the column of the others
};

// A form byte is form | detail << 4: the decimals, for doubles kNumeric, for mixed kWithErased |
// kWithMoreTypes, for marked kOnlyMarkers or kSameMarkers.
inline constexpr unsigned kNumeric = 1;
inline constexpr unsigned kWithErased = 1;
inline constexpr unsigned kWithMoreTypes = 2;  // than long, double and string
inline constexpr unsigned kOnlyMarkers = 1;
inline constexpr unsigned kSameMarkers = 2;  // in the rows of the last list before

// Kinds of time columns.
enum class TimesKind : std::uint8_t { same = 0, sequence = 1, grid = 2 };

// Head byte of a sequence: class, order of differences, two flags.
inline constexpr std::uint8_t kClassMask = 0x0f;
inline constexpr std::uint8_t kSparse = 0x0f;  // instead of a class: the residuals that are not 0 are listed
inline constexpr unsigned kOrderShift = 4;
inline constexpr std::uint8_t kOrderMask = 0x03;
inline constexpr std::uint8_t kHasUnit = 0x40;
inline constexpr std::uint8_t kHasEscapes = 0x80;

// Sequences with symbols of similar size share a class. In the first kNibbleClasses two symbols share a byte; from
// kShiftedFrom on the low bits of each residual are stored separately.
inline constexpr unsigned kClasses = 11;
inline constexpr unsigned kNibbleClasses = 4;
inline constexpr unsigned kShiftedFrom = 9;
inline constexpr unsigned kShiftMax = 56;
inline constexpr unsigned kNibbleEscape = 15;
inline constexpr unsigned kByteEscape = 255;

static_assert(kClasses <= kSparse && kSparse <= kClassMask, "a head byte has room for every class");
static_assert((kClassMask & (kOrderMask << kOrderShift)) == 0, "class and order share no bit");
static_assert(kShiftMax + 7 < 64, "low bits fit into a word behind those of the value before");

constexpr bool is_nibble(unsigned symbol_class) { return symbol_class < kNibbleClasses; }
constexpr std::size_t symbol_bytes(unsigned symbol_class, std::size_t symbols) {
  return is_nibble(symbol_class) ? (symbols + 1) / 2 : symbols;
}

// The number of residuals: differences of `order` begin after that many values.
constexpr std::size_t residuals(std::size_t values, unsigned order) { return values > order ? values - order : 0; }

// The sections, which precede the symbols.
enum Section : unsigned { kHeads, kParams, kSide, kLow, kTexts, kSections };

}  // namespace varve::chunk
