// SPDX-License-Identifier: Apache-2.0
#include "aggregate/histograms.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "aggregate/histogram_filter.h"
#include "aggregate/windows.h"
#include "model/histogram.h"

namespace varve::aggregate {

namespace {

using model::Histogram;
using model::ValueType;

std::uint64_t bits_of(double value) { return std::bit_cast<std::uint64_t>(value); }

// Calls use(window, time of its first histogram, all of it merged, how many values there were before steps took some
// out) for each window with a histogram, ascending. Error: what `charge` says.
template <class Use>
Status for_each_window(const Windows& windows, const Points& in, const Charge& charge, const Use& use) {
  Pace pace;
  for (std::size_t i = 0; i < in.size();) {
    const std::int64_t window = windows.index(in.times[i]);
    const model::Timestamp end = windows.start(window + 1);
    std::optional<Histogram> all;
    model::Timestamp first = 0;
    std::uint64_t original = 0;
    for (; i < in.size() && in.times[i] < end; ++i) {
      VARVE_RETURN_IF_ERROR(pace.step(charge));
      auto one = model::decode_histogram(in.texts[i]);
      if (!one) continue;
      original = std::min(original + original_count(in, i, *one), model::kHistogramCountMax);
      if (!all) {
        all = std::move(one);
        first = in.times[i];
        if (const std::uint64_t count = all->count(); count != 0) all->mean = all->sum / static_cast<double>(count);
      } else {
        model::merge(*all, *one);
      }
    }
    if (all) use(window, first, *all, original);
  }
  return {};
}

double value_of(const Histogram& histogram, const model::HistogramBin& bin) {
  return model::bin_value(bin.key, histogram.precision);
}

double deviation_of(const Deviation& how, const Histogram& histogram) {
  const auto count = static_cast<double>(histogram.count());
  double sum = 0;
  for (const auto& bin : histogram.bins) sum += value_of(histogram, bin) * static_cast<double>(bin.count);
  const double mean = sum / count;
  double squares = 0;
  for (const auto& bin : histogram.bins) {
    const double off = value_of(histogram, bin) - mean;
    squares += off * off * static_cast<double>(bin.count);
  }
  const double deviation = count < 2 ? 0 : std::sqrt(squares / (count - 1));
  switch (how.answer) {
    case Deviation::Answer::above: return mean + how.count * deviation;
    case Deviation::Answer::below: return mean - how.count * deviation;
    default: return deviation;
  }
}

double value_of(const Stage& stage, const Histogram& histogram) {
  switch (stage.function) {
    case Function::avg: return histogram.mean;
    case Function::sum: return histogram.sum;
    case Function::min: return histogram.min;
    case Function::max: return histogram.max;
    case Function::dev: return deviation_of(stage.deviation, histogram);
    default: return 0;
  }
}

// Of a histogram that counted something.
double apdex_of(double target, const Histogram& histogram) {
  double satisfied = 0;
  double tolerating = 0;
  double all = 0;
  for (const auto& bin : histogram.bins) {
    const double value = value_of(histogram, bin);
    const auto count = static_cast<double>(bin.count);
    all += count;
    if (value <= target) {
      satisfied += count;
    } else if (value <= 4 * target) {
      tolerating += count;
    }
  }
  return (satisfied + tolerating / 2) / all;
}

}  // namespace

Result<Points> apply(const Merge& merge, const Scope& scope, Points in) {
  in = without_nulls(std::move(in));
  const Windows windows = windows_of(merge, scope.start);
  Points out;
  out.type = ValueType::histogram;
  const auto put = [&](std::int64_t window, model::Timestamp first, Histogram& all, std::uint64_t original) {
    if (merge.precision) model::coarsen(all, *merge.precision);
    out.times.push_back(stamp_of(merge, windows, window, first));
    out.texts.push_back(model::encode(all));
    if (!in.originals.empty()) out.originals.push_back(original);
  };
  VARVE_RETURN_IF_ERROR(for_each_window(windows, in, scope.charge, put));
  return out;
}

Result<Points> apply(const Apdex& apdex, const Scope& scope, Points in) {
  in = without_nulls(std::move(in));
  const Windows windows = windows_of(apdex, scope.start);
  Points out;
  out.type = ValueType::double_;
  const auto put = [&](std::int64_t window, model::Timestamp first, const Histogram& all, std::uint64_t) {
    if (all.count() == 0) return;
    out.times.push_back(stamp_of(apdex, windows, window, first));
    out.bits.push_back(bits_of(apdex_of(apdex.target, all)));
  };
  VARVE_RETURN_IF_ERROR(for_each_window(windows, in, scope.charge, put));
  return out;
}

Result<Points> apply_to_histograms(const Stage& stage, const Scope& scope, Points in) {
  in = without_nulls(std::move(in));
  const Windows windows = windows_of(stage, scope.start);
  const bool counts = stage.function == Function::count;
  Points out;
  out.type = counts ? ValueType::long_ : ValueType::double_;
  const auto put = [&](std::int64_t window, model::Timestamp first, const Histogram& all, std::uint64_t) {
    const std::uint64_t count = all.count();
    if (count == 0 && !counts) return;
    out.times.push_back(stamp_of(stage, windows, window, first));
    out.bits.push_back(counts ? count : bits_of(value_of(stage, all)));
  };
  VARVE_RETURN_IF_ERROR(for_each_window(windows, in, scope.charge, put));
  return out;
}

Result<Points> apply_to_histograms(const Percentile& percentile, const Scope& scope, Points in) {
  in = without_nulls(std::move(in));
  const Windows windows = windows_of(percentile, scope.start);
  Points out;
  out.type = ValueType::double_;
  const auto put = [&](std::int64_t window, model::Timestamp first, const Histogram& all, std::uint64_t) {
    if (const auto value = model::percentile(all, percentile.fraction)) {
      out.times.push_back(stamp_of(percentile, windows, window, first));
      out.bits.push_back(bits_of(*value));
    }
  };
  VARVE_RETURN_IF_ERROR(for_each_window(windows, in, scope.charge, put));
  return out;
}

}  // namespace varve::aggregate
