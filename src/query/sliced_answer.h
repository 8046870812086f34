// SPDX-License-Identifier: Apache-2.0
// SlicedAnswer: the answer to a question for samples as they are, where all of them would take much memory. It counts
// first, mostly without decoding: which groups there are, of which series, and how many samples. Then the samples are
// read while the answer is being sent: those of a large group slice by slice of time, those of many small ones at once.
//
// What arrives or goes between the two shows in the samples and not in the counts.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "aggregate/points.h"
#include "base/result.h"
#include "query/answer.h"
#include "query/engine.h"
#include "query/plan.h"
#include "query/request.h"

namespace varve::query {

// One thread at a time. The engine must outlive it.
class SlicedAnswer {
 public:
  // Samples as they are: no metric has steps, splits or a limit, and no series are joined.
  static bool fits(const Request& request);

  // Counts, for a query that `query` is about and that fits. nullptr: there are samples that are no numbers, which come
  // in one piece only. Errors: those of Engine::run.
  static Result<std::unique_ptr<SlicedAnswer>> begin(const Engine& engine, const Request& request, UnderWay& query);

  // Without points. Once.
  [[nodiscard]] Answer take_groups() { return std::move(groups_); }

  // What it holds, about, besides the samples of a slice: which series there are, and what a slice has for each.
  [[nodiscard]] std::size_t bytes() const;

  // The next samples of a group, in order of the answer; none: there are no more. Groups are asked one after the other,
  // in order; a new one begins where its number is another. Errors: limit (of one millisecond), timeout (of a slice),
  // or what the store says.
  Result<aggregate::Points> next(std::size_t metric, std::size_t group);

  // Once it is set, the slice that is being read ends soon, with Code::cancelled. May be nullptr.
  void end_with(std::shared_ptr<const std::atomic<bool>> cancelled) { cancelled_ = std::move(cancelled); }

 private:
  // A group of the answer: what is read for it.
  struct Source {
    std::vector<model::SeriesId> series;  // ascending
    model::TimeRange range;               // of its samples
    std::uint64_t samples = 0;
  };
  struct Metric {
    bool descending = false;
    std::optional<Join> join;    // as asked; says how fine times are
    std::vector<Source> groups;  // as in the answer

    // Slices meet at multiples of it.
    [[nodiscard]] std::int64_t step_ms() const { return join ? join->resolution_ms : 1; }
  };

  SlicedAnswer(const Engine& engine, model::TenantId tenant) : engine_(engine), tenant_(tenant) {}
  Result<bool> count(const Request& request, const MetricQuery& asked, UnderWay& query);
  Status start(std::size_t metric, std::size_t group);
  Status read_ahead();
  [[nodiscard]] std::size_t units_max() const;
  [[nodiscard]] std::span<const Source> small_groups() const;
  [[nodiscard]] model::TimeRange slice() const;
  Result<std::vector<aggregate::Points>> read(std::span<const Source> sources, model::TimeRange range) const;

  const Engine& engine_;
  const model::TenantId tenant_;
  std::shared_ptr<const std::atomic<bool>> cancelled_;
  Answer groups_;
  std::vector<Metric> metrics_;
  // Of groups from `ahead_from_` on, of the metric that is being read.
  std::vector<aggregate::Points> ahead_;
  std::size_t ahead_from_ = 0;
  // Of the group that is being read: what is left of its range, and how much of that is read next.
  std::size_t metric_ = ~std::size_t{0}, group_ = 0;
  model::TimeRange left_;
  std::int64_t width_ms_ = 0;
};

}  // namespace varve::query
