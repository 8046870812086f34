// SPDX-License-Identifier: Apache-2.0
// Window plan: decides which parts of a query's time range are read as windows, of which granularity, and which as
// samples.
//
// The coarsest granularity that the sink accepts is read wherever its windows are complete; gaps between these, and the
// ends of the range, are read at finer granularities. Pure: the engine says which windows are complete, and does the
// reading.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "model/time_ranges.h"
#include "rollup/levels.h"

namespace varve::engine::shared {

struct Segment {
  static constexpr std::size_t kSamples = static_cast<std::size_t>(-1);
  model::TimeRange range;
  std::size_t level = kSamples;  // the granularity, or kSamples
  // Samples that are read because suitable windows are missing or extend beyond the range.
  bool for_windows = false;
  [[nodiscard]] bool of_samples() const { return level == kSamples; }
  bool operator==(const Segment&) const = default;
};

struct PlanRules {
  std::span<const rollup::Level> levels;  // finest first
  std::int64_t now_ms = 0;
  // Does the sink accept windows of this granularity for the whole range, which consists of whole windows?
  std::function<bool(model::TimeRange range, std::size_t level)> takes;
  // The parts of the range in which windows of this granularity are complete: whole windows, ascending.
  std::function<model::TimeRanges(model::TimeRange range, std::size_t level)> trusted;
};

// Appends the segment to the plan, or extends the last one if it is adjacent and of the same granularity. Ignores empty
// segments.
void append(const Segment& segment, std::vector<Segment>& plan);

// Appends segments that cover the range, in time order and without gaps, using only the first `levels` granularities.
void plan_windows(const PlanRules& rules, model::TimeRange range, std::size_t levels, std::vector<Segment>& plan);

}  // namespace varve::engine::shared
