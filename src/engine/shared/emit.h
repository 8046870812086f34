// SPDX-License-Identifier: Apache-2.0
// Emit: delivers data to a PieceSink, cut to a time range: columns as pieces of one type each, chunks as statistics
// where the sink accepts them, and windows of histograms. All samples leave a store through here, so here it is decided
// who sees staleness markers.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "chunk/block.h"
#include "engine/shared/series_merge.h"
#include "engine/shared/window_chunk.h"
#include "storage/sample_store.h"

namespace varve::engine::shared {

// Reusable, for one thread.
class Emitter {
 public:
  Emitter(storage::PieceSink& sink, model::TimeRange range) : sink_(sink), range_(range) {}
  // From now on.
  void set_range(model::TimeRange range) { range_ = range; }
  [[nodiscard]] model::TimeRange range() const { return range_; }

  Status emit(std::size_t series, std::span<const model::Timestamp> times, const chunk::Column& column);
  Status emit(std::size_t series, std::span<const model::Timestamp> times, const chunk::DecodedColumn& column);
  // The winning samples of the merge.
  Status emit(std::size_t series, SeriesMerge& merge);

  // Prepares to emit group `at` of a block column by column: as statistics if the sink accepts them, else as samples.
  // The block must outlive the calls of chunk_column(). False: the chunk is outside the range.
  [[nodiscard]] bool start_chunk(const chunk::Block& block, std::size_t at);
  Status chunk_column(std::size_t series, std::size_t column);

 private:
  // The positions of the times in the range.
  struct Cut {
    std::size_t first, count;
  };
  [[nodiscard]] Cut cut(std::span<const model::Timestamp> times) const;
  // Emits one piece for each type that occurs, of markers only if the sink takes them.
  Status split(std::size_t series, std::span<const model::Timestamp> times, std::span<const model::ValueType> types,
               std::span<const std::uint64_t> bits, std::span<const std::string_view> texts);

  storage::PieceSink& sink_;
  model::TimeRange range_;
  const chunk::Block* block_ = nullptr;
  std::size_t at_ = 0;
  bool covered_ = false;    // the whole chunk is in the range
  bool has_times_ = false;  // times_ and rows_ are those of the chunk
  std::vector<model::Timestamp> times_;
  chunk::Rows rows_;
  chunk::DecodedColumn column_;
  std::vector<std::uint64_t> bits_;
  std::vector<model::Timestamp> split_times_;
  std::vector<std::uint64_t> split_bits_;
  std::vector<std::string_view> split_texts_;
};

// Collects the histograms of one series' windows as columns. Reusable, for one thread.
class HistogramEmitter {
 public:
  // The merged bytes must stay valid until give().
  void add(const WindowHistograms& window);
  // Delivers the collected histograms, if any, and clears them.
  Status give(std::size_t series, std::int64_t width_ms, storage::PieceSink& sink);

 private:
  std::vector<model::Timestamp> times_;
  std::vector<std::uint64_t> counts_;
  std::vector<std::string_view> merged_;
};

// The part of the columns whose windows start in the range.
storage::WindowColumns windows_in(const storage::WindowColumns& columns, model::TimeRange range);

}  // namespace varve::engine::shared
