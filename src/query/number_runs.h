// SPDX-License-Identifier: Apache-2.0
// NumberRuns: receives the numbers of each series that is scanned. What is no number is left out, but for staleness
// markers, where they are wanted: they are doubles with their bits (model::kStaleMarkerBits).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "query/budget.h"
#include "query/running.h"
#include "query/runs.h"
#include "storage/sample_store.h"

namespace varve::query {

// One thread at a time has a series.
class NumberRuns final : public storage::PieceSink {
 public:
  enum class Markers : bool { left_out, wanted };
  // For so many series. `counts`: what is read counts for that query; nullptr: it has been counted.
  NumberRuns(std::size_t series, Budget& budget, RunningQueries::Ticket* counts = nullptr,
             Markers markers = Markers::left_out)
      : budget_(budget), counts_(counts), markers_(markers), runs_(series) {}

  // A scan begins whose n-th series is the one at places[n] here; without one they are the same. Scans of one series
  // come in order of time.
  void begin_scan(std::span<const std::uint32_t> places) { places_ = places; }

  [[nodiscard]] bool takes_markers() const override { return markers_ == Markers::wanted; }
  bool takes_stats(const storage::ChunkStats& stats) override;
  void stats(const storage::ChunkStats& stats) override;
  Status piece(const storage::Piece& piece) override;

  // In order of time. What it takes stays charged, bytes_of() it. Once for each series.
  [[nodiscard]] Run take(std::size_t series);

 private:
  Budget& budget_;
  RunningQueries::Ticket* const counts_;
  const Markers markers_;
  std::span<const std::uint32_t> places_;
  std::vector<Run> runs_;
};

}  // namespace varve::query
