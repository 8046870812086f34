// SPDX-License-Identifier: Apache-2.0
// Collector: receives the pieces of one metric's series from all scanning threads, and makes its groups' points.
//
// Where the first stage's windows can be filled from parts (no limit), a piece is reduced to cells outside of any lock
// and only those are added to its group, or to the parts that the group is split into: nothing is kept of the samples.
// Otherwise the samples are kept per series (one thread at a time has a series, so without locks), merged and split at
// the end; for a percentile of whole groups only the values, by window, or if these are too many, only how they are
// distributed: then the series have to be scanned again. Texts, complex numbers and histograms are always kept; of
// histograms the store may give some as one, where the pipeline asks for no more.
//
// Where the first stage asks by how much counters grew, each series is counted by itself, also without locks
// (counted_series.h), from samples that reach further than the range; or from windows, where they are made by the rules
// that are asked for.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "aggregate/cell_set.h"
#include "base/mutex.h"
#include "base/result.h"
#include "query/answer.h"
#include "query/budget.h"
#include "query/counted_series.h"
#include "query/counters.h"
#include "query/deadline.h"
#include "query/plan.h"
#include "query/request.h"
#include "query/runs.h"
#include "storage/sample_store.h"

namespace varve::query {

// The values that the percentiles of one query keep.
struct KeptValues {
  explicit KeptValues(std::size_t most) : bytes_max(most) {}
  const std::size_t bytes_max;  // about
  std::atomic<std::size_t> bytes{0};
};

class Collector {
 public:
  // `pipeline`: read_through(asked). `counters`: of a pipeline that has a counter_stage(). All must outlive the
  // collector. `now`: gaps are not marked after it.
  Collector(const Request& request, const MetricQuery& asked, const Pipeline& pipeline, const Plan& plan,
            const Counters& counters, model::Timestamp now, Budget& budget, const Deadline& deadline, KeptValues& kept);

  // Of the samples that it wants, in one range or in adjacent ones, which may be scanned in any order.
  [[nodiscard]] const std::vector<model::TimeRange>& scan_ranges() const { return scans_; }

  // As in storage::PieceSink, `series` being a position in the plan. Error: limit.
  [[nodiscard]] bool takes_stats(std::uint32_t series, const storage::ChunkStats& stats) const;
  [[nodiscard]] bool takes_windows(std::uint32_t series, model::TimeRange range, std::int64_t width_ms) const;
  [[nodiscard]] storage::WindowFields window_fields(std::uint32_t series) const;
  [[nodiscard]] bool takes_counter(std::uint32_t series, const counter::Stretch& window) const;
  Status stats(std::uint32_t series, const storage::ChunkStats& stats);
  Status windows(std::uint32_t series, const storage::WindowColumns& windows);
  Status histograms(std::uint32_t series, const storage::HistogramColumns& windows);
  Status counters(std::uint32_t series, const storage::CounterColumns& windows);
  Status piece(std::uint32_t series, const storage::Piece& piece);

  // After a scan, from one thread: is another one needed, of the series that wants() names?
  bool end_scan() VARVE_NO_THREAD_ANALYSIS;
  [[nodiscard]] bool wants(std::uint32_t series) const VARVE_NO_THREAD_ANALYSIS;

  // After the last scan, from one thread. Errors: those of the steps, limit, unavailable, cancelled, timeout.
  Result<MetricAnswer> finish();
  // MetricAnswer::of_nothing.
  static Result<aggregate::Points> of_nothing(const Request& request, const Pipeline& pipeline, model::Timestamp now,
                                              Budget& budget, const Deadline& deadline);

 private:
  // The samples of a group that have the same numbers in all splits.
  struct Part {
    aggregate::CellSet cells;
    std::uint64_t samples = 0;
    Number edge;  // the first sample, with `descending` the last: parts are in order of it
  };
  struct GroupState {
    Mutex mutex;
    aggregate::CellSet cells VARVE_GUARDED_BY(mutex);
    aggregate::WindowValues values VARVE_GUARDED_BY(mutex);  // of percentiles, instead of cells
    std::uint64_t samples VARVE_GUARDED_BY(mutex) = 0;       // in cells or values
    std::array<std::vector<Text>, model::kValueKinds> texts VARVE_GUARDED_BY(mutex);  // by kind; none of numbers
    std::uint64_t merged VARVE_GUARDED_BY(mutex) = 0;                   // histograms that are in others of `texts`
    std::map<aggregate::SplitKey, Part> parts VARVE_GUARDED_BY(mutex);  // with splits instead of cells
  };
  using Kind = model::ValueKind;
  static constexpr std::uint8_t bit_of(Kind kind) {
    return static_cast<std::uint8_t>(1U << static_cast<unsigned>(kind));
  }

  [[nodiscard]] GroupState& group_of(std::uint32_t series) const { return groups_[plan_.group_of[series]]; }
  [[nodiscard]] bool takes_summaries() const;
  Status add(std::uint32_t series, const aggregate::Summaries& summaries);
  // What add(cells) of the group's set does, under its lock.
  Status add_cells(GroupState& group, std::uint64_t samples, const auto& add);
  Status add_values(GroupState& group, const aggregate::Column& column);
  Status add_parts(GroupState& group, const aggregate::Column& column);
  [[nodiscard]] CountedSeries::How how(std::uint32_t series) const;
  Status add_counted(std::uint32_t series, const storage::Piece& piece);
  Status finish_counted();
  Status add_run(std::uint32_t series, const storage::Piece& piece);
  Status add_texts(std::uint32_t series, Kind kind, std::span<const model::Timestamp> times,
                   std::span<const std::string_view> texts, std::uint64_t merged);
  [[nodiscard]] bool saw(std::uint32_t group, Kind kind) const;
  aggregate::Points samples_of(std::uint32_t series, std::uint64_t& samples);
  Result<aggregate::Points> merged_numbers(std::uint32_t group, std::uint64_t& samples);
  // Without a group's mutex: after the scan there is one thread.
  Result<MetricAnswer> joined(const Join& how);
  Result<aggregate::Points> numbers_of(std::uint32_t group, std::uint64_t& samples) VARVE_NO_THREAD_ANALYSIS;
  Status put_numbers(std::uint32_t group, MetricAnswer& answer) VARVE_NO_THREAD_ANALYSIS;
  Result<aggregate::Points> counted_of(std::uint32_t group, std::uint64_t& samples);
  Status put_counted_parts(std::uint32_t group, MetricAnswer& answer);
  Status put_texts(std::uint32_t group, Kind kind, MetricAnswer& answer) VARVE_NO_THREAD_ANALYSIS;
  Status put_parts(std::uint32_t group, Group head, MetricAnswer& answer) VARVE_NO_THREAD_ANALYSIS;
  Status put_samples(Group head, aggregate::Points points, MetricAnswer& answer);
  Status put(Group group, aggregate::Points points, std::span<const aggregate::Step> steps, MetricAnswer& answer);
  [[nodiscard]] Group head_of(std::uint32_t group, Kind kind) const;

  const Request& request_;
  const MetricQuery& asked_;
  const Pipeline& pipeline_;  // read_through(asked_)
  const Plan& plan_;
  const model::TimeRange range_;  // of the request: what windows and splits count from
  const model::TimeRange read_;   // of the samples that are aggregated
  const model::Timestamp now_;
  Budget& budget_;
  const Deadline& deadline_;
  KeptValues& kept_;
  bool again_ = false;                             // this is not the first scan, and only percentiles want it
  const aggregate::Stage* const first_;            // of windows filled from parts
  const aggregate::Percentile* const percentile_;  // or of values of windows
  const aggregate::CounterStage* const counter_;   // or of counters
  const bool counts_;                              // while they are read; none of all these: samples are kept
  const bool only_extremes_;                       // CounterStage::extremes_in_ms
  const Counters& counters_;
  const std::vector<model::TimeRange> scans_;
  const aggregate::Charge charge_;
  const aggregate::Windows windows_;  // of the first stage
  const bool merges_;                 // histograms of parts of merge_windows_ do
  const aggregate::Windows merge_windows_;
  const bool joins_;
  std::unique_ptr<GroupState[]> groups_;  // none where samples of single series are kept
  std::vector<std::uint8_t> seen_;        // of each series: bit_of each kind
  std::vector<Run> runs_;                 // of each series, if samples are kept
  std::vector<CountedSeries> counted_;    // of each series, if counts_
  std::vector<std::uint64_t> counted_samples_;
};

}  // namespace varve::query
