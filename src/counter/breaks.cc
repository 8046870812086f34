// SPDX-License-Identifier: Apache-2.0
#include "counter/breaks.h"

#include <cmath>

namespace varve::counter {
namespace {

constexpr double kTicksPerMs = 0.1, kAllTicks = 4294967296.0;
// How far the device's ticks and the times of the samples may lie apart: an answer is late, a clock is not exact.
constexpr double kSlackTicks = 200, kSlackShare = 1.0 / 16;

bool is_wrap(double from, double to, double passed_ms) {
  const double passed = passed_ms * kTicksPerMs;
  return std::abs(to + kAllTicks - from - passed) <= kSlackTicks + passed * kSlackShare;
}

}  // namespace

std::vector<model::Timestamp> restarts(std::span<const model::Timestamp> times, std::span<const double> ticks) {
  std::vector<model::Timestamp> out;
  for (std::size_t i = 1; i < times.size(); ++i) {
    const double passed_ms = static_cast<double>(times[i]) - static_cast<double>(times[i - 1]);
    if (ticks[i] < ticks[i - 1] && !is_wrap(ticks[i - 1], ticks[i], passed_ms)) out.push_back(times[i]);
  }
  return out;
}

std::vector<model::Timestamp> changes(std::span<const model::Timestamp> times, std::span<const double> values) {
  std::vector<model::Timestamp> out;
  for (std::size_t i = 1; i < times.size(); ++i) {
    if (values[i] != values[i - 1]) out.push_back(times[i]);
  }
  return out;
}

}  // namespace varve::counter
