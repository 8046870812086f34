// SPDX-License-Identifier: Apache-2.0
// Classic histograms: counts of observations up to each bound.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "language/promql/annotations.h"

namespace varve::language::promql {

struct Bucket {
  double bound = 0;  // of what is counted, inclusive
  double count = 0;  // of all observations up to it
};

// A label `le` as a number. nullopt: it is none.
std::optional<double> bound_of(std::string_view text);

// Sorted by bound, and each bound once. False: the last one is not +Inf, or there is none, and nothing can be said.
bool normalize(std::vector<Bucket>& buckets);

// Of normalized buckets, with 0 ≤ q ≤ 1. Counts that fall are repaired; `repair` says what, if that is more than
// rounding.
double quantile_of_buckets(double q, std::vector<Bucket>& buckets, std::optional<MonotonicityRepair>& repair);

// Which part of the observations lies between two values? Of normalized buckets.
double fraction_of_buckets(double lower, double upper, const std::vector<Bucket>& buckets);

}  // namespace varve::language::promql
