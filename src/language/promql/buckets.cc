// SPDX-License-Identifier: Apache-2.0
#include "language/promql/buckets.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace varve::language::promql {
namespace {

constexpr double kNoBucketValue = std::numeric_limits<double>::quiet_NaN();

// Do they differ by no more than rounding of a sum?
bool nearly_equal(double a, double b) {
  constexpr double kTolerance = 1e-12, kLeast = std::numeric_limits<double>::min();
  if (a == b) return true;
  const double sum = std::fabs(a) + std::fabs(b), apart = std::fabs(a - b);
  if (a == 0 || b == 0 || sum < kLeast) return apart < kTolerance * kLeast;
  return apart / std::min(sum, std::numeric_limits<double>::max()) < kTolerance;
}

std::optional<MonotonicityRepair> make_monotonic(std::vector<Bucket>& buckets) {
  std::optional<MonotonicityRepair> out;
  double before = buckets[0].count;
  for (std::size_t i = 1; i < buckets.size(); ++i) {
    Bucket& bucket = buckets[i];
    if (nearly_equal(bucket.count, before)) {
      bucket.count = before;
    } else if (bucket.count < before) {
      if (!out) out = MonotonicityRepair{bucket.bound, bucket.bound, 0};
      out->lowest_bound = std::min(out->lowest_bound, bucket.bound);
      out->highest_bound = std::max(out->highest_bound, bucket.bound);
      out->largest_difference = std::max(out->largest_difference, before - bucket.count);
      bucket.count = before;
    } else {
      before = bucket.count;
    }
  }
  return out;
}

// How many observations are below x, if those of a bucket are spread evenly? Those of a first bucket that is not above
// 0 are all at its bound.
double rank_below(double x, const std::vector<Bucket>& buckets) {
  double rank = 0;
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    const double upper = buckets[i].bound;
    const double lower = i > 0 ? buckets[i - 1].bound : upper > 0 ? 0 : -std::numeric_limits<double>::infinity();
    if (x <= lower) return rank;
    if (x < upper) {
      if (std::isinf(lower) || std::isinf(upper)) return rank;
      return rank + (buckets[i].count - rank) * (x - lower) / (upper - lower);
    }
    rank = buckets[i].count;
  }
  return rank;
}

}  // namespace

std::optional<double> bound_of(std::string_view text) {
  const bool minus = text.starts_with('-');
  if (minus || text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || text[0] == '-' || text[0] == '+') return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || error != std::errc()) return std::nullopt;
  return minus ? -value : value;
}

bool normalize(std::vector<Bucket>& buckets) {
  std::ranges::sort(buckets, {}, &Bucket::bound);
  if (buckets.empty() || buckets.back().bound != std::numeric_limits<double>::infinity()) return false;
  std::size_t last = 0;
  for (std::size_t i = 1; i < buckets.size(); ++i) {
    if (buckets[i].bound == buckets[last].bound) {
      buckets[last].count += buckets[i].count;
    } else {
      buckets[++last] = buckets[i];
    }
  }
  buckets.resize(last + 1);
  return true;
}

double quantile_of_buckets(double q, std::vector<Bucket>& buckets, std::optional<MonotonicityRepair>& repair) {
  repair = make_monotonic(buckets);
  const std::size_t last = buckets.size() - 1;
  if (last == 0 || buckets[last].count == 0 || std::isnan(buckets[last].count)) return kNoBucketValue;
  double rank = q * buckets[last].count;
  std::size_t at = 0;
  while (at < last && !(buckets[at].count >= rank)) ++at;
  if (at == last) return buckets[last - 1].bound;
  const double upper = buckets[at].bound;
  if (at == 0 && upper <= 0) return upper;
  double lower = 0, count = buckets[at].count;
  if (at > 0) {
    lower = buckets[at - 1].bound;
    count -= buckets[at - 1].count;
    rank -= buckets[at - 1].count;
  }
  return lower + (upper - lower) * (rank / count);
}

double fraction_of_buckets(double lower, double upper, const std::vector<Bucket>& buckets) {
  const double all = buckets.back().count;
  if (buckets.size() < 2 || all == 0 || std::isnan(all) || std::isnan(lower) || std::isnan(upper))
    return kNoBucketValue;
  if (lower >= upper) return 0;
  return (std::min(rank_below(upper, buckets), all) - std::min(rank_below(lower, buckets), all)) / all;
}

}  // namespace varve::language::promql
