// SPDX-License-Identifier: Apache-2.0
// Options: what a question may say of the counters that it asks for. What it does not say is as the series' own
// declaration says, else as of a counter that nobody knows.
#pragma once

#include <optional>

#include "counter/declared.h"

namespace varve::counter {

struct Options {
  std::optional<std::int64_t> max_gap_ms = {};
  // Does it have 32 bits? true says as much as Fall::wrap32; with false, what it means that it falls is `from_zero`.
  std::optional<bool> is_32_bits = {};
  std::optional<bool> from_zero = {};  // a counter that falls began at 0; false: the interval does not count
  std::optional<double> max_per_second = {};

  bool operator==(const Options&) const = default;
};

// `declared` may be nothing. Where the result is declared->rules, the question asks for what the series' own windows
// say.
Rules rules_of(const Options& options, const std::optional<Declaration>& declared);

}  // namespace varve::counter
