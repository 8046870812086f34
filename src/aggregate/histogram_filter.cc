// SPDX-License-Identifier: Apache-2.0
#include "aggregate/histogram_filter.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace varve::aggregate {

namespace {

using model::Histogram;
using model::HistogramBin;

enum class Share : std::uint8_t { none, some, all };

constexpr Share share(bool all, bool some) { return all ? Share::all : some ? Share::some : Share::none; }

// How many of the values from `low` to `high` may satisfy the comparison.
Share satisfying(const HistogramFilter& filter, double low, double high) {
  using enum Filter::Compare;
  const double t = filter.threshold;
  switch (filter.compare) {
    case less: return share(high < t, low < t);
    case less_or_equal: return share(high <= t, low <= t);
    case greater: return share(low > t, high > t);
    case greater_or_equal: return share(low >= t, high >= t);
    case equal: return share(low == t && high == t, low <= t && t <= high);
    case not_equal: return share(t < low || high < t, low != t || high != t);
  }
  return Share::none;
}

struct Bounds {
  double low, high;
};

Bounds bounds_of(const HistogramBin& bin, unsigned precision) {
  const double inner = model::bin_value(bin.key, precision);
  const double outer = model::bin_outer_value(bin.key, precision);
  return bin.key < 0 ? Bounds{outer, inner} : Bounds{inner, outer};
}

bool goes(const HistogramFilter& filter, Bounds bounds) {
  const Share of_it = satisfying(filter, bounds.low, bounds.high);
  return of_it == Share::all || (of_it == Share::some && filter.discard_partial);
}

void add_up(Histogram& histogram) {
  histogram.sum = 0;
  for (const HistogramBin& bin : histogram.bins) {
    histogram.sum += model::bin_value(bin.key, histogram.precision) * static_cast<double>(bin.count);
  }
  histogram.mean = histogram.sum / static_cast<double>(histogram.count());
}

enum class Outcome : std::uint8_t { as_it_was, less, nothing };

Outcome take_out(const HistogramFilter& filter, Histogram& histogram) {
  // Extremes are any doubles: only those that can be true are believed.
  const bool believed = histogram.min <= histogram.max;
  std::vector<HistogramBin>& bins = histogram.bins;
  std::erase_if(bins, [](const HistogramBin& bin) { return bin.count == 0; });
  if (bins.empty()) return Outcome::nothing;
  if (believed && satisfying(filter, histogram.min, histogram.max) == Share::none) return Outcome::as_it_was;
  const std::int64_t least = bins.front().key;
  const std::int64_t greatest = bins.back().key;
  const unsigned precision = histogram.precision;
  const std::size_t gone =
      std::erase_if(bins, [&](const HistogramBin& bin) { return goes(filter, bounds_of(bin, precision)); });
  if (gone == 0) return Outcome::as_it_was;
  if (bins.empty()) return Outcome::nothing;
  if (bins.front().key != least) histogram.min = bounds_of(bins.front(), precision).low;
  if (bins.back().key != greatest) histogram.max = bounds_of(bins.back(), precision).high;
  add_up(histogram);
  return Outcome::less;
}

}  // namespace

Points apply(const HistogramFilter& filter, Points in) {
  std::vector<std::uint8_t> kept(in.size(), 1);
  std::vector<std::uint64_t> originals(in.size(), 0);
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (in.is_null(i)) continue;
    auto histogram = model::decode_histogram(in.texts[i]);
    if (!histogram) {
      kept[i] = 0;
      continue;
    }
    originals[i] = original_count(in, i, *histogram);
    const Outcome outcome = take_out(filter, *histogram);
    kept[i] = outcome == Outcome::nothing ? 0 : 1;
    if (outcome == Outcome::less) in.texts[i] = model::encode(*histogram);
  }
  in.originals = std::move(originals);
  return keep(std::move(in), kept);
}

}  // namespace varve::aggregate
