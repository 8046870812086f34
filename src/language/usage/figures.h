// SPDX-License-Identifier: Apache-2.0
// Figures of usage: what an interface carried in one direction, made of the bins of its counter. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "aggregate/growth.h"
#include "model/time.h"

namespace varve::language::usage {

// What is known of [start, start + width).
struct UsageBin {
  model::Timestamp start = 0;
  aggregate::Growth growth = {};  // of bytes; covered_ms > 0

  [[nodiscard]] double bytes() const { return static_cast<double>(growth.whole) + growth.real; }
  [[nodiscard]] double bytes_per_second() const { return counter::rate_of(bytes(), growth.covered_ms); }
};
using UsageBins = std::vector<UsageBin>;  // ascending

// How fast an interface was, and when.
struct SpeedSpan {
  model::TimeRange range = {};
  double bits_per_second = 0;  // > 0
};

struct UsageFigures {
  aggregate::Growth growth = {};         // in all bins; where nothing is covered, all below is 0
  double average = 0, max = 0, p95 = 0;  // bytes per second
  // Of the known bins in which the speed is known, too: bits, and how many there could have been in the covered time.
  double bits = 0, bits_possible = 0;

  [[nodiscard]] bool is_known() const { return growth.covered_ms > 0; }
  [[nodiscard]] std::optional<double> utilisation() const {
    return bits_possible > 0 ? std::optional(bits / bits_possible) : std::nullopt;
  }
};

// `speeds` ascend and do not overlap. The average is that of the covered time, and p95 the nearest rank: of n bins the
// ceil(0.95 · n)-th smallest.
UsageFigures usage_figures(std::span<const UsageBin> bins, std::int64_t width_ms, std::span<const SpeedSpan> speeds);

// Two sources of the same bytes: of each bin the one that covers more of it, and of equal ones that in `first`.
UsageBins more_covered(UsageBins first, const UsageBins& second);

// Several interfaces together.
class UsageSum {
 public:
  void add(std::span<const UsageBin> bins, const UsageFigures& figures);
  // Made of the sums of their rates at each time: a bin is known where any of them is, for as long as the one that is
  // known for most of it. Bits are the sums of theirs.
  [[nodiscard]] UsageFigures figures() const;

 private:
  struct Total {
    model::Timestamp start = 0;
    double bytes_per_second = 0;
    std::int64_t covered_ms = 0;
  };
  std::vector<Total> totals_;  // ascending
  UsageFigures sums_;          // growth and bits
};

}  // namespace varve::language::usage
