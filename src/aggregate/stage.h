// SPDX-License-Identifier: Apache-2.0
// Stage: one aggregator of a pipeline. It cuts time into windows and makes one point of the samples in each.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/time_unit.h"

namespace varve::aggregate {

enum class Function : std::uint8_t { avg, sum, min, max, count, first, last };

std::optional<Function> function_of(std::string_view name);

// Functions of any value; the others let texts pass unchanged.
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

struct Stage {
  Function function = Function::avg;
  Sampling sampling;
  bool align_sampling = true;  // windows count from a calendar boundary before the query's start, not from the start
  bool align_epoch = false;    // windows count from 1970 whatever the query's start; align_sampling has no say then
  Stamp stamp = Stamp::sample;
};

}  // namespace varve::aggregate
