// SPDX-License-Identifier: Apache-2.0
#include "counter/options.h"

namespace varve::counter {
namespace {

Fall fall_of(const Options& options, Fall own) {
  if (options.is_32_bits.value_or(own == Fall::wrap32)) return Fall::wrap32;
  return options.from_zero.value_or(own == Fall::from_zero) ? Fall::from_zero : Fall::unknown;
}

}  // namespace

Rules rules_of(const Options& options, const std::optional<Declaration>& declared) {
  Rules rules = declared ? declared->rules : Rules{.gap_ms = kUnknownGapMs};
  rules.fall = fall_of(options, rules.fall);
  if (options.max_gap_ms) rules.gap_ms = *options.max_gap_ms;
  if (options.max_per_second) rules.max_per_second = options.max_per_second;
  return rules;
}

}  // namespace varve::counter
