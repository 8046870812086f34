// SPDX-License-Identifier: Apache-2.0
// Gather: turns what is known of one group in one slot (packed rows, columns of chunks) into sorted columns without
// doubles: where a time stands twice, the later writer wins. Used to write chunks, to merge them and to read.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "chunk/block.h"
#include "engine/shared/rows.h"
#include "model/row.h"

namespace varve::engine::shared {

// Reusable, one thread. Order of the calls is order of writing: later wins.
class Gather {
 public:
  // Starts anew, for all columns of the group, or for the named ones: columns()[i] is then that of only[i].
  void clear(std::span<const std::uint16_t> only = {});
  // Rows of one group, in order of arrival. The bytes must outlive the Gather's use.
  void add_rows(std::span<const std::byte> rows, RowForm form);
  // Group i of an opened block, whose first column is that one of the group; the block must outlive the Gather's use.
  // Error: corrupt.
  Status add_chunk(const chunk::Block& block, std::size_t i, std::size_t first_column = 0);

  [[nodiscard]] bool empty() const { return rows_.empty(); }
  // Cells of a column, as in columns(), that hold a value in what was added, also those that were overwritten.
  [[nodiscard]] std::uint64_t cells_gathered(std::size_t column) const;

  // Another value for one cell, laid over what was gathered: a series that stands in another group, too, may have a
  // later one there. Column as in columns().
  struct Patch {
    model::Timestamp time;
    std::uint32_t column;
    model::Value value;
  };

  // Sorts, drops what was overwritten and lays out columns; valid until the next clear().
  void finish(std::span<const Patch> patches = {});
  [[nodiscard]] std::span<const model::Timestamp> times() const { return times_; }
  [[nodiscard]] std::span<const chunk::Column> columns() const { return columns_; }

 private:
  struct Chunk {
    std::vector<model::Timestamp> times;
    std::vector<chunk::DecodedColumn> columns;
  };
  // A source row: its time, and where it comes from.
  struct Source {
    model::Timestamp time;
    const std::byte* row;  // nullptr: row `index` of chunk `chunk`
    std::uint32_t chunk;
    std::uint32_t index;
  };
  void widen();
  void sort();
  // All rows packed as longs, or all as decimals that can share one exponent without leaving 2^53.
  bool packed(model::RowKind& kind, unsigned& decimals) const;
  void finish_packed(model::RowKind kind, unsigned decimals);
  void finish_typed(std::span<const Patch> patches);
  void finish_cells(std::size_t column, std::span<const Patch> patches);
  bool finish_numbers(std::size_t column);
  [[nodiscard]] bool chunks_are(std::size_t column, model::ValueType type) const;
  [[nodiscard]] std::size_t source_column(std::size_t column) const { return only_.empty() ? column : only_[column]; }
  [[nodiscard]] model::Value value_of(const Source& source, std::size_t column) const;

  std::vector<Source> rows_;
  std::vector<Chunk> chunks_;
  std::size_t chunks_used_ = 0;
  std::uint64_t packed_rows_ = 0;  // added, not of chunks
  std::span<const std::uint16_t> only_;
  std::size_t width_ = 0;  // columns laid out

  std::vector<model::Timestamp> times_;
  std::vector<chunk::Column> columns_;
  std::vector<std::int64_t> ints_;  // column after column
  std::vector<model::ValueType> types_;
  std::vector<model::ValueType> numbers_;  // as many doubles as the longest column
  std::vector<std::uint64_t> bits_;
  std::vector<std::string_view> texts_;
};

}  // namespace varve::engine::shared
