// SPDX-License-Identifier: Apache-2.0
// Collector: receives the pieces of one metric's series from all scanning threads, and makes its groups' points.
//
// Where the first stage's windows can be filled from parts (no limit), a piece is reduced to cells outside of any lock
// and only those are added to its group: nothing is kept of the samples. Otherwise the samples are kept per series
// (one thread at a time has a series, so without locks) and merged at the end. Texts are always kept.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "aggregate/cell_set.h"
#include "base/result.h"
#include "query/answer.h"
#include "query/budget.h"
#include "query/plan.h"
#include "query/request.h"
#include "query/runs.h"
#include "storage/sample_store.h"

namespace varve::query {

class Collector {
 public:
  // All must outlive the collector.
  Collector(const MetricQuery& query, const Plan& plan, model::TimeRange range, Budget& budget);

  // As in storage::PieceSink, `series` being a position in the plan. Error: limit.
  [[nodiscard]] bool takes_stats(const storage::ChunkStats& stats) const;
  [[nodiscard]] bool takes_windows(model::TimeRange range, std::int64_t width_ms) const;
  [[nodiscard]] storage::WindowFields window_fields() const;
  Status stats(std::uint32_t series, const storage::ChunkStats& stats);
  Status windows(std::uint32_t series, const storage::WindowColumns& windows);
  Status piece(std::uint32_t series, const storage::Piece& piece);

  // After the scan, from one thread. `alive` is asked between groups; its error ends the query.
  Result<MetricAnswer> finish(const std::function<Status()>& alive);

 private:
  struct GroupState {
    std::mutex mutex;
    aggregate::CellSet cells;
    std::uint64_t samples = 0;  // in cells
    std::vector<Text> texts;
  };
  enum Seen : std::uint8_t { kNumbers = 1, kTexts = 2 };

  GroupState& group_of(std::uint32_t series) { return groups_[plan_.group_of[series]]; }
  Status add(std::uint32_t series, const aggregate::Summaries& summaries);
  // What add(cells) of the group's set does, under its lock.
  Status add_cells(GroupState& group, std::uint64_t samples, const auto& add);
  Status add_run(std::uint32_t series, const storage::Piece& piece);
  Status add_texts(std::uint32_t series, const storage::Piece& piece);
  Result<aggregate::Points> numbers_of(std::uint32_t group, std::uint64_t& samples);
  void put_group(std::uint32_t group, Seen kind, aggregate::Points points, MetricAnswer& answer) const;

  const MetricQuery& query_;
  const Plan& plan_;
  const model::TimeRange range_;
  Budget& budget_;
  const bool windowed_;
  const aggregate::Windows windows_;  // of the first stage
  std::unique_ptr<GroupState[]> groups_;
  std::vector<std::uint8_t> seen_;  // of each series
  std::vector<Run> runs_;           // of each series, unless windowed
};

}  // namespace varve::query
