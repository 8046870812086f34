// SPDX-License-Identifier: Apache-2.0
// Sequence: int64 values written to the sections of a block according to a plan, and read back. Everything in a block
// consists of sequences: times, longs, mantissas, mapped doubles, dictionary positions, types.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "chunk/bytes.h"
#include "chunk/format.h"
#include "chunk/plan.h"

namespace varve::chunk {

// The sections and symbols of a block that is being written.
struct Sections {
  std::array<Bytes, kSections> section;
  std::array<Bytes, kClasses> symbols;
  Bytes& heads() { return section[kHeads]; }
  Bytes& params() { return section[kParams]; }
  Bytes& side() { return section[kSide]; }
  Bytes& low() { return section[kLow]; }
  Bytes& texts() { return section[kTexts]; }
};

// The head and parameters of a sequence, and the positions of its bytes in the sections.
struct Sequence {
  std::uint64_t min = 0;
  std::uint64_t unit = 1;
  std::uint64_t base = 0;   // order 2: 0
  std::uint64_t first = 0;  // order 1 and 2: value 0, in units above min
  std::uint64_t step = 0;   // order 2: value 1 minus value 0
  std::size_t symbols_at = 0;
  std::size_t low_at = 0;
  std::size_t side_at = 0;
  std::size_t side_bytes = 0;
  std::uint8_t order = 0;
  std::uint8_t symbol_class = 0;  // or kSparse
  std::uint8_t shift = 0;
  bool escapes = false;

  [[nodiscard]] bool sparse() const { return symbol_class == kSparse; }
  [[nodiscard]] bool constant() const { return sparse() && side_bytes == 0 && order == 0; }
};

// Not thread-safe; reusable.
class SequenceWriter {
 public:
  // `values` must not be empty, and `plan` be made of them; the least value is written relative to `origin`. Returns
  // whether the sequence is sparse.
  bool write(std::span<const std::int64_t> values, Range range, Plan plan, std::int64_t origin, Sections& out);
  bool write(std::span<const std::int64_t> values, Range range, std::int64_t origin, Sections& out) {
    return write(values, range, make_plan(values, range), origin, out);
  }

 private:
  void divide(std::span<const std::int64_t> values, std::int64_t min, std::uint64_t unit);
  void write_sparse(Sections& out);
  // Returns whether there were escapes.
  bool write_symbols(const Plan& plan, Sections& out);
  void write_low(unsigned shift, Bytes& out);

  std::vector<std::int64_t> divided_;
  std::vector<std::uint64_t> zigzags_;
  Bytes escapes_;
};

// The parse position of a reader in each section.
struct Places {
  Cursor heads;
  Cursor params;
  bool may_be_marked = true;  // has the block a version with markers?
  struct MarkerList {
    std::uint32_t markers = 0;
    std::size_t rows = 0;
    std::size_t at = 0;  // in section side
    std::size_t bytes = 0;
  } marker_list;  // the last one
  std::size_t side = 0;
  std::size_t low = 0;
  std::size_t texts = 0;
  std::array<std::size_t, kClasses> symbols{};
};

// Reads the head and parameters of a sequence of `count` > 0 values and advances the places. False: malformed.
bool read_sequence(Places& places, std::size_t count, std::int64_t origin, Sequence& out);

// The bytes of a sequence: its symbols, its low bits (followed by 8 readable bytes), its side bytes.
struct SequenceBytes {
  const std::byte* symbols = nullptr;
  const std::byte* low = nullptr;
  std::span<const std::byte> side;
};

// Decodes `count` > 0 values to `out`. False: malformed.
bool decode_sequence(const Sequence& sequence, const SequenceBytes& bytes, std::size_t count, std::uint64_t* out);

}  // namespace varve::chunk
