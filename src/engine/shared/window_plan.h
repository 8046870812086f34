// SPDX-License-Identifier: Apache-2.0
// Window plan: which parts of a question's time are read as windows of which granularity, and which as samples.
//
// The coarsest granularity that the sink takes is read wherever its windows can be trusted; holes in it, and what its
// windows do not cover at both ends, are read finer. Pure: an engine says what can be trusted, and reads.
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
  std::size_t level = kSamples;  // of windows
  // Samples that are read where windows of some granularity would do, but are not there, or reach too far.
  bool for_windows = false;
  [[nodiscard]] bool of_samples() const { return level == kSamples; }
  bool operator==(const Segment&) const = default;
};

struct PlanRules {
  std::span<const rollup::Level> levels;  // finest first
  std::int64_t now_ms = 0;
  // Does the sink take windows of this granularity for all of the range, which consists of whole windows?
  std::function<bool(model::TimeRange range, std::size_t level)> takes;
  // Where in the range windows of this granularity say all that samples say; whole windows, ascending.
  std::function<model::TimeRanges(model::TimeRange range, std::size_t level)> trusted;
};

// After what is planned already; what follows on a segment of the same granularity makes that one longer. Empty ones
// are left out.
void append(const Segment& segment, std::vector<Segment>& plan);

// Appends the segments of the range, in order of time and without gaps, of the first `levels` granularities at most.
void plan_windows(const PlanRules& rules, model::TimeRange range, std::size_t levels, std::vector<Segment>& plan);

}  // namespace varve::engine::shared
