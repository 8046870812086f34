// SPDX-License-Identifier: Apache-2.0
// Gather: turns the data of one group in one slot (packed rows, columns of chunks) into columns sorted by time, without
// duplicates: if a time occurs twice, the later write wins. Used to write chunks, to merge them and to read.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "chunk/block.h"
#include "engine/shared/rows.h"
#include "model/row.h"

namespace varve::engine::shared {

// Reusable, for one thread. The order of the add…() calls is the order of writing.
class Gather {
 public:
  // Starts over, with all columns of the group, or only the given ones: then columns()[i] is column only[i]. What is
  // added counts as far as it is in the range; of chunks, the rest is not decoded.
  void clear(std::span<const std::uint16_t> only = {}, model::TimeRange range = model::kAllTime);
  // Adds rows of one group, in order of arrival. The bytes must stay valid until the next clear().
  void add_rows(std::span<const std::byte> rows, RowForm form);
  // Adds group i of a block. The block's first column is column `first_column` of the group. The block must stay valid
  // until the next clear(). Error: corrupt.
  Status add_chunk(const chunk::Block& block, std::size_t i, std::size_t first_column = 0);

  [[nodiscard]] bool empty() const { return rows_.empty() && chunks_used_ == 0; }
  // The number of values added for a column (numbered as in columns()), including those that were overwritten; without
  // markers.
  [[nodiscard]] std::uint64_t cells_gathered(std::size_t column) const;

  // Replaces the value of one cell: a series that is in another group, too, may have a later value there. Columns are
  // numbered as in columns().
  struct Patch {
    model::Timestamp time;
    std::uint32_t column;
    model::Value value;
  };

  // Sorts, drops overwritten values and builds the columns, which are valid until the next clear().
  void finish(std::span<const Patch> patches = {});
  [[nodiscard]] std::span<const model::Timestamp> times() const { return times_; }
  [[nodiscard]] std::span<const chunk::Column> columns() const { return columns_; }

 private:
  struct Chunk {
    std::vector<model::Timestamp> times;
    std::vector<chunk::DecodedColumn> columns;
  };
  // A source row: its time and its origin.
  struct Source {
    model::Timestamp time;
    const std::byte* row;  // nullptr: row `index` of chunk `chunk`
    std::uint32_t chunk;
    std::uint32_t index;
  };
  // Rows from `row` on that are rows of one chunk, from `index` on.
  struct Stretch {
    std::size_t row;
    std::uint32_t chunk;
    std::uint32_t index;
    std::uint32_t count;
  };
  // The next row of a chunk.
  struct Cursor {
    std::uint32_t chunk;
    std::uint32_t at;
  };
  void widen();
  void list_chunks();
  void sort();
  void merge_chunks();
  [[nodiscard]] Cursor* next_cursor(model::Timestamp& end);
  void take(Cursor& cursor, model::Timestamp end);
  // Are all rows packed as longs, or all as decimals that can share one exponent with mantissas below 2^53?
  bool packed(model::RowKind& kind, unsigned& decimals) const;
  void finish_packed(model::RowKind kind, unsigned decimals);
  void finish_typed(std::span<const Patch> patches);
  void finish_cells(std::size_t column, std::span<const Patch> patches);
  bool finish_numbers(std::size_t column);
  [[nodiscard]] bool chunks_are(std::size_t column, model::ValueType type) const;
  [[nodiscard]] std::size_t source_column(std::size_t column) const { return only_.empty() ? column : only_[column]; }
  [[nodiscard]] model::Value value_of(const Source& source, std::size_t column) const;

  std::vector<Source> rows_;            // where there are packed rows, of all; else of none, until each is looked at
  std::vector<Stretch> stretches_;      // all rows, where all are of chunks
  std::vector<std::size_t> parts_;      // while sorting: where parts of rows_ that ascend begin
  std::vector<std::uint32_t> waiting_;  // while merging: chunks that begin later, the latest first
  std::vector<Cursor> merging_;         // and the others that are not done
  std::vector<Chunk> chunks_;
  std::size_t chunks_used_ = 0;
  std::size_t chunks_listed_ = 0;  // in rows_
  std::uint64_t packed_rows_ = 0;  // rows added by add_rows()
  std::uint64_t marker_rows_ = 0;  // of them, of staleness markers
  std::span<const std::uint16_t> only_;
  model::TimeRange range_;
  std::size_t width_ = 0;  // number of columns

  std::vector<model::Timestamp> times_;
  std::vector<chunk::Column> columns_;
  std::vector<std::int64_t> ints_;  // column after column
  std::vector<model::ValueType> types_;
  std::vector<model::ValueType> numbers_;  // as many doubles as the longest column
  std::vector<std::uint64_t> bits_;
  std::vector<std::string_view> texts_;
};

}  // namespace varve::engine::shared
