// SPDX-License-Identifier: Apache-2.0
// Window chunk: encodes windows of one series and kind as the columns of a chunk (rollup/columns.h), and decodes them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "chunk/block.h"
#include "engine/shared/gather.h"
#include "rollup/columns.h"
#include "rollup/counter_columns.h"
#include "rollup/window.h"
#include "storage/sample_store.h"

namespace varve::engine::shared {

// Encodes windows. Reusable, for one thread.
class WindowChunk {
 public:
  void start(rollup::Kind kind);
  // Appends windows. Their texts must outlive the result of finish().
  void add(std::span<const rollup::Window> windows);
  // The same of windows of this kind that are columns already, with the parts of counters packed: one for each window,
  // or none at all.
  void add(const rollup::Columns& from, std::size_t first, std::size_t count,
           std::span<const rollup::PackedCounter> counters);
  // Requires at least one window. Sums are rounded to the decimals of their samples (rollup/decimal_sums.h). Valid
  // until the next start().
  [[nodiscard]] chunk::Fragment finish(model::GroupId group);

 private:
  std::size_t add_counters(std::size_t first);

  rollup::Kind kind_{};
  rollup::Columns windows_;
  rollup::CounterColumns counters_;  // of numbers
  std::array<chunk::Column, rollup::kColumnsMax> columns_;
  std::vector<model::ValueType> doubles_;               // as many types as the longest column
  std::vector<model::ValueType> histograms_, strings_;  // as many, of texts
  std::vector<std::uint64_t> no_bits_;
};

// Appends the gathered windows of one group, including empty ones, to `out`. Text parts are allocated in `texts`; their
// bytes are views of the blocks. Error: corrupt (these are not columns of a rollup).
Status to_windows(const Gather& gathered, rollup::Windows& out, rollup::PartPool& texts);
// The same for columns decoded from a chunk.
Status to_windows(std::span<const model::Timestamp> starts, std::span<const chunk::DecodedColumn> columns,
                  rollup::Windows& out, rollup::PartPool& texts);

// Sets everything in `out` except series and width to views of the columns, including empty windows (count 0). Only the
// requested columns need be decoded. If the chunk has no extremes they are NaN, stored in `unknown`. Error: corrupt.
Status to_window_columns(std::span<const model::Timestamp> starts, std::span<const chunk::DecodedColumn> columns,
                         const storage::WindowFields& wanted, std::vector<std::uint64_t>& unknown,
                         storage::WindowColumns& out);

// The histogram fields of a text window.
struct WindowHistograms {
  model::Timestamp start = 0;
  std::uint64_t count = 0;       // samples in the window; 0: an empty window
  std::uint64_t histograms = 0;  // how many of the samples are histograms
  model::Timestamp first = 0;    // the time of the first histogram
  bool exact = true;             // rollup::TextPart
  std::string_view merged;
  // Are all samples of the window histograms, and is the merged one exact?
  [[nodiscard]] bool says_all() const { return histograms == count && exact; }
};
// Reads the histogram fields of each window in the chunk, including empty ones, into `out` (cleared first); bytes are
// views of the block. Columns 0, 3, 4 and 5, if present, must be decoded. Error: corrupt.
Status to_histograms(std::span<const model::Timestamp> starts, std::span<const chunk::DecodedColumn> columns,
                     std::vector<WindowHistograms>& out);

// How a counter grew in each window of numbers of a chunk, also in those that are empty (count 0). Views.
struct WindowCounters {
  std::span<const model::Timestamp> starts;
  std::span<const std::uint64_t> counts;
  std::span<const rollup::CounterStretch> counters;
  std::span<const counter::AnySummary> summaries;  // where they were asked for
  // Of window i; nullptr: it was not asked for.
  [[nodiscard]] const counter::AnySummary* summary(std::size_t i) const {
    return summaries.empty() ? nullptr : &summaries[i];
  }
};
struct CounterRoom {
  std::vector<rollup::CounterStretch> stretches;
  std::vector<counter::AnySummary> summaries;
};
// Does to_counters() need the column?
bool is_of_counters(std::size_t column, bool summaries);
// `out` is set to views of the arguments. Error: corrupt.
Status to_counters(std::span<const model::Timestamp> starts, std::span<const chunk::DecodedColumn> columns,
                   bool summaries, CounterRoom& room, WindowCounters& out);

// Error: corrupt, if no kind of window has that number of columns.
Status check_window_columns(std::size_t count);

// Converts a gathered column of windows to the form that decoding one chunk gives.
chunk::DecodedColumn decoded(const chunk::Column& column);

}  // namespace varve::engine::shared
