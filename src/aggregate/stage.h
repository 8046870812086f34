// SPDX-License-Identifier: Apache-2.0
// Stage: an aggregator that cuts time into windows and makes one point of the samples in each. Those that make more of
// a window, or have no windows, are beside it in pipeline.h; Grid is what all with windows have in common.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/time_unit.h"
#include "model/time_zone.h"

namespace varve::aggregate {

enum class Function : std::uint8_t { avg, sum, min, max, count, first, last, dev };

// By the names that all query languages use alike; not dev, which one divides by n and the other by n − 1.
std::optional<Function> function_of(std::string_view name);
std::string_view name_of(Function function);

// Functions of any value; the others let what is no number pass unchanged.
constexpr bool takes_text(Function f) { return f == Function::count || f == Function::first || f == Function::last; }

// What time the point of a window bears.
enum class Stamp : std::uint8_t {
  sample,  // the first sample's; for `last` its own
  window_start,
  window_end  // the start of the next
};

struct Sampling {
  std::int64_t value = 1;
  model::TimeUnit unit = model::TimeUnit::milliseconds;
};

// How time is cut, and what time a window's point bears.
struct Grid {
  Sampling sampling;
  bool align_sampling = true;  // windows count from a calendar boundary before the query's start, not from the start
  bool align_epoch = false;    // windows count from 1970 whatever the query's start; align_sampling has no say then
  Stamp stamp = Stamp::sample;
  model::TimeZone zone;  // whose calendar
};

// What `dev` answers: the standard deviation of the sample (of n − 1), or the mean that many deviations up or down.
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
