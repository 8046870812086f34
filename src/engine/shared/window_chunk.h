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
  std::vector<model::ValueType> doubles_;  // as many types as the longest column
  std::vector<std::uint64_t> no_bits_;
};

// What was gathered of one group, as windows, empty ones too, appended to `out`; texts live as long as the blocks.
// Error: corrupt (not the shape of a rollup).
Status to_windows(const Gather& gathered, rollup::Windows& out);
// The same of columns as decoded from a chunk.
Status to_windows(std::span<const model::Timestamp> starts, std::span<const chunk::DecodedColumn> columns,
                  rollup::Windows& out);

// The columns of windows of numbers as they are, empty ones (count 0) too; all but series and width is set. Only what
// is wanted of `columns` need be decoded. Extremes that no window has are NaN, of `unknown`. Error: corrupt.
Status to_window_columns(std::span<const model::Timestamp> starts, std::span<const chunk::DecodedColumn> columns,
                         const storage::WindowFields& wanted, std::vector<std::uint64_t>& unknown,
                         storage::WindowColumns& out);

// Error: corrupt, where windows never have so many columns.
Status check_window_columns(std::size_t count);

// A gathered column of windows, as if decoded from one chunk.
chunk::DecodedColumn decoded(const chunk::Column& column);

}  // namespace varve::engine::shared
