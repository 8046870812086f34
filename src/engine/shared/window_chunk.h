// SPDX-License-Identifier: Apache-2.0
// Window chunk: windows of one series and kind as the columns of a chunk (rollup/columns.h), and back.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "chunk/block.h"
#include "engine/shared/gather.h"
#include "rollup/columns.h"
#include "rollup/window.h"
#include "storage/sample_store.h"

namespace varve::engine::shared {

// Lays windows out. Reusable, one thread.
class WindowChunk {
 public:
  void start(rollup::Kind kind);
  // After what was added; texts must outlive the use of what finish() gives.
  void add(std::span<const rollup::Window> windows);
  // Of at least one window. Sums have become as short as their samples are. Valid until the next start().
  [[nodiscard]] chunk::Fragment finish(model::GroupId group);

 private:
  rollup::Kind kind_{};
  rollup::Columns windows_;
  std::array<chunk::Column, rollup::kColumnsMax> columns_;
  std::vector<model::ValueType> doubles_;     // as many types as the longest column
  std::vector<model::ValueType> histograms_;  // as many, of texts
  std::vector<std::uint64_t> no_bits_;
};

// What was gathered of one group, as windows, empty ones too, appended to `out`; what texts know is of `texts`, its
// bytes of the blocks. Error: corrupt (not the shape of a rollup).
Status to_windows(const Gather& gathered, rollup::Windows& out, rollup::TextPool& texts);
// The same of columns as decoded from a chunk.
Status to_windows(std::span<const model::Timestamp> starts, std::span<const chunk::DecodedColumn> columns,
                  rollup::Windows& out, rollup::TextPool& texts);

// The columns of windows of numbers as they are, empty ones (count 0) too; all but series and width is set. Only what
// is wanted of `columns` need be decoded. Extremes that no window has are NaN, of `unknown`. Error: corrupt.
Status to_window_columns(std::span<const model::Timestamp> starts, std::span<const chunk::DecodedColumn> columns,
                         const storage::WindowFields& wanted, std::vector<std::uint64_t>& unknown,
                         storage::WindowColumns& out);

// What a window of texts says of histograms.
struct WindowHistograms {
  model::Timestamp start = 0;
  std::uint64_t count = 0;       // of samples in the window; 0: it is an empty one
  std::uint64_t histograms = 0;  // how many of them are histograms
  model::Timestamp first = 0;    // the time of the first histogram
  bool exact = true;             // rollup::TextPart
  std::string_view merged;
  // Are its samples histograms and nothing else, and does the merge say all of them?
  [[nodiscard]] bool says_all() const { return histograms == count && exact; }
};
// Of each window in the chunk, empty ones too, into `out` (cleared first); the bytes are of the block. Columns 0, 3, 4
// and 5, where the chunk has them, need be decoded. Error: corrupt.
Status to_histograms(std::span<const model::Timestamp> starts, std::span<const chunk::DecodedColumn> columns,
                     std::vector<WindowHistograms>& out);

// Error: corrupt, where windows never have so many columns.
Status check_window_columns(std::size_t count);

// A gathered column of windows, as if decoded from one chunk.
chunk::DecodedColumn decoded(const chunk::Column& column);

}  // namespace varve::engine::shared
