// SPDX-License-Identifier: Apache-2.0
// Part: the encoded values of one type. A column is one part or, if its samples differ in type, a part with the types
// followed by one part for each type that occurs. Of one with staleness markers all that is about the others: a part
// with the rows of the markers stands before it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "chunk/block.h"
#include "chunk/decimals.h"
#include "chunk/sequence.h"

namespace varve::chunk {

// Sums of longs do not overflow it.
__extension__ typedef __int128 Wide;  // `using` has no place for the __extension__ that -Wpedantic wants

inline std::int64_t as_signed(std::uint64_t v) { return static_cast<std::int64_t>(v); }

struct Part {
  Form form = Form::longs;
  std::uint8_t detail = 0;    // decimals; for doubles kNumeric; for mixed kWithErased, kWithMoreTypes; marked
  bool has_stats = false;     // range and sum are set
  std::uint8_t types = 0;     // mixed: 1 << type for each part that follows
  std::uint32_t markers = 0;  // marked: how many of its rows
  std::size_t count = 0;
  Sequence sequence;
  std::uint64_t range = 0;     // greatest minus least value of the sequence
  std::uint64_t sum = 0;       // minus count × least; bits of a double if sum_is_double()
  std::size_t patches_at = 0;  // in section side; marked: the list of its rows
  std::size_t patches_bytes = 0;
  std::size_t texts_at = 0;  // in section texts
  std::size_t texts_bytes = 0;
  std::size_t texts_count = 0;

  // Sums of integers are stored exactly if they fit into 64 bits.
  [[nodiscard]] bool sum_is_double() const { return form == Form::doubles || range >> 40 != 0; }
};

// Not thread-safe; reusable.
class ColumnWriter {
 public:
  void clear() { markers_.clear(); }  // before the next block
  // `column` must have `rows` > 0 cells. Returns whether some are markers.
  bool write(const Column& column, std::size_t rows, SequenceWriter& sequences, Sections& out);

 private:
  // Without markers. `mixed`: they are of several types.
  void write_values(const Column& column, bool mixed, SequenceWriter& sequences, Sections& out);
  void write_marked(const Column& column, SequenceWriter& sequences, Sections& out);
  void write_ints(Form form, unsigned detail, std::span<const std::int64_t> ints, bool stats, SequenceWriter& sequences,
                  Sections& out);
  void write_doubles(std::span<const std::uint64_t> bits, SequenceWriter& sequences, Sections& out);
  void write_patched(std::span<const std::uint64_t> bits, SequenceWriter& sequences, Sections& out);
  void write_texts(std::span<const std::string_view> texts, SequenceWriter& sequences, Sections& out);
  void write_mixed(const Column& column, SequenceWriter& sequences, Sections& out);

  Decimals decimals_;
  std::vector<std::int64_t> ints_;
  std::vector<std::int64_t> types_;
  std::vector<std::uint64_t> longs_;
  std::vector<std::uint64_t> doubles_;
  std::vector<std::string_view> strings_;
  std::unordered_map<std::string_view, std::int64_t> dictionary_;
  std::vector<std::uint32_t> markers_;  // the rows of the last list
  std::size_t marked_rows_ = 0;         // of how many
  std::vector<std::uint32_t> fresh_markers_;
  // The cells of a column beside its markers.
  std::vector<model::ValueType> value_types_;
  std::vector<std::uint64_t> value_bits_;
  std::vector<std::string_view> value_texts_;
};

// Reads the description of a column of `rows` > 0 values and appends its parts. False: malformed.
bool read_column(Places& places, std::size_t rows, std::vector<Part>& out);

}  // namespace varve::chunk
