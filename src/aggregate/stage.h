// SPDX-License-Identifier: Apache-2.0
// Stage: an aggregator that divides time into windows and computes one point for each. Aggregators that compute several
// points per window, or have no windows, are in pipeline.h; Grid is common to all with windows.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/time_unit.h"
#include "model/time_zone.h"

namespace varve::aggregate {

enum class Function : std::uint8_t { avg, sum, min, max, count, first, last, dev };

// Names that all query languages share; not dev, which one divides by n and another by n − 1.
std::optional<Function> function_of(std::string_view name);
std::string_view name_of(Function function);

// Functions that accept any value; the others pass values that are not numbers unchanged.
constexpr bool takes_text(Function f) { return f == Function::count || f == Function::first || f == Function::last; }

// The timestamp of a window's point.
enum class Stamp : std::uint8_t {
  sample,  // the first sample's; for `last` its own
  window_start,
  window_end  // the start of the next
};

struct Sampling {
  std::int64_t value = 1;
  model::TimeUnit unit = model::TimeUnit::milliseconds;
};

// How time is divided into windows, and the timestamp of a window's point.
struct Grid {
  Sampling sampling;
  bool align_sampling = true;  // windows count from a calendar boundary before the query's start, not from the start
  bool align_epoch = false;    // windows count from 1970 whatever the query's start; align_sampling has no say then
  Stamp stamp = Stamp::sample;
  model::TimeZone zone;  // whose calendar
};

// What `dev` returns: the sample standard deviation (divided by n − 1), or the mean plus or minus that many deviations.
struct Deviation {
  enum class Answer : std::uint8_t { deviation, above, below };
  Answer answer = Answer::deviation;
  double count = 1;
};

struct Stage : Grid {
  Function function = Function::avg;
  Deviation deviation;
};

}  // namespace varve::aggregate
