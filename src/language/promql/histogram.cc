// SPDX-License-Identifier: Apache-2.0
// histogram_quantile, histogram_quantiles, histogram_fraction, of classic histograms. Native ones would be values of a
// second kind, each of them a histogram by itself.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "language/promql/buckets.h"
#include "language/promql/families.h"
#include "language/promql/merging.h"

namespace varve::language::promql {
namespace {

constexpr std::string_view kBoundLabel = "le";

struct BucketSeries {
  double bound = 0;
  Column points;
};

struct ClassicHistogram {
  Labels labels;  // without `le`
  std::vector<BucketSeries> buckets;
};

// Buckets whose labels, but for `le`, are the same.
Result<std::vector<ClassicHistogram>> read_histograms(const CallOf& of, const Expression& vector) {
  std::vector<ClassicHistogram> out;
  std::unordered_map<std::string, std::size_t> places;
  std::string key;
  VARVE_RETURN_IF_ERROR(of.evaluation.each(vector, of.steps, [&](Series&& one) -> Status {
    const std::string le(label_of(one.labels, kBoundLabel));
    const auto bound = bound_of(le);
    if (!bound) {
      of.evaluation.annotations().warn("bucket label \"le\" is missing or has a malformed value of \"" + le + "\"",
                                       vector.at);
      return {};
    }
    set_label(one.labels, kBoundLabel, {});
    key.clear();
    append_key(key, one.labels);
    const auto [found, is_new] = places.try_emplace(key, out.size());
    if (is_new) out.push_back({std::move(one.labels), {}});
    out[found->second].buckets.push_back({*bound, std::move(one.points)});
    return {};
  }));
  return out;
}

// Fills the buckets that a step has.
bool buckets_at(const ClassicHistogram& histogram, std::size_t step, std::vector<Bucket>& out) {
  out.clear();
  for (const BucketSeries& bucket : histogram.buckets) {
    if (bucket.points.has(step)) out.push_back({bucket.bound, bucket.points[step]});
  }
  return !out.empty();
}

class HistogramQuantile {
 public:
  HistogramQuantile(const CallOf& of, const Expression& vector) : of_(of), vector_(vector) {}

  // Of one step; its buckets are changed.
  double at(std::size_t step, double q, std::vector<Bucket>& buckets) {
    if (std::isnan(q)) return std::numeric_limits<double>::quiet_NaN();
    if (q < 0) return -std::numeric_limits<double>::infinity();
    if (q > 1) return std::numeric_limits<double>::infinity();
    if (!normalize(buckets)) return std::numeric_limits<double>::quiet_NaN();
    std::optional<MonotonicityRepair> repair;
    const double value = quantile_of_buckets(q, buckets, repair);
    if (repair) of_.evaluation.annotations().repaired(*repair, of_.steps.at(step), vector_.at);
    return value;
  }

 private:
  const CallOf& of_;
  const Expression& vector_;
};

void warn_of_bucket_quantiles(const CallOf& of, const Expression& argument, const Column& quantiles) {
  quantiles.each([&](std::size_t step) {
    const double q = quantiles[step];
    if (q >= 0 && q <= 1) return;
    of.evaluation.annotations().warn("quantile value should be between 0 and 1, got " + text_of_number(q), argument.at);
  });
}

// As OpenMetrics writes the value of such a label: 0.5, 1.0.
std::string quantile_label(double q) {
  const std::string text = text_of_number(q);
  return std::isfinite(q) && text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

// One series of the histogram at the steps that have buckets. value(step, buckets)
template <class Value>
Result<Series> series_of(const CallOf& of, const ClassicHistogram& histogram, Labels labels, Value value) {
  VARVE_ASSIGN_OR_RETURN(Series out, of.evaluation.series(std::move(labels), of.steps));
  std::vector<Bucket> buckets;
  for (std::size_t step = 0; step < of.steps.count(); ++step) {
    VARVE_RETURN_IF_ERROR(of.evaluation.spend(histogram.buckets.size()));
    if (buckets_at(histogram, step, buckets)) out.points.set(step, value(step, buckets));
  }
  return out;
}

Labels labels_of_result(const CallOf& of, const ClassicHistogram& histogram) {
  Labels out = histogram.labels;
  if (!of.call.keep_metric_names) drop_name(out);
  return out;
}

Status quantiles_of(const CallOf& of, const Expression& vector, const std::vector<const Expression*>& arguments,
                    std::string_view label) {
  std::vector<Column> quantiles;
  for (const Expression* argument : arguments) {
    VARVE_ASSIGN_OR_RETURN(Column column, of.evaluation.scalar(*argument, of.steps));
    warn_of_bucket_quantiles(of, *argument, column);
    quantiles.push_back(std::move(column));
  }
  VARVE_ASSIGN_OR_RETURN(std::vector<ClassicHistogram> histograms, read_histograms(of, vector));
  HistogramQuantile quantile(of, vector);
  Merger out(of.evaluation);
  for (const ClassicHistogram& histogram : histograms) {
    for (const Column& q : quantiles) {
      VARVE_ASSIGN_OR_RETURN(Series made, series_of(of, histogram, labels_of_result(of, histogram),
                                                    [&](std::size_t step, std::vector<Bucket>& buckets) {
                                                      return quantile.at(step, q[step], buckets);
                                                    }));
      if (!label.empty()) set_label(made.labels, label, quantile_label(q[0]));
      VARVE_RETURN_IF_ERROR(out.add(std::move(made)));
    }
  }
  histograms.clear();
  return out.give(of.sink);
}

Status fractions(const CallOf& of) {
  VARVE_ASSIGN_OR_RETURN(const Column lower, of.evaluation.scalar(of.argument(0), of.steps));
  VARVE_ASSIGN_OR_RETURN(const Column upper, of.evaluation.scalar(of.argument(1), of.steps));
  VARVE_ASSIGN_OR_RETURN(std::vector<ClassicHistogram> histograms, read_histograms(of, of.argument(2)));
  Merger out(of.evaluation);
  for (const ClassicHistogram& histogram : histograms) {
    VARVE_ASSIGN_OR_RETURN(Series made, series_of(of, histogram, labels_of_result(of, histogram),
                                                  [&](std::size_t step, std::vector<Bucket>& buckets) {
                                                    return normalize(buckets)
                                                               ? fraction_of_buckets(lower[step], upper[step], buckets)
                                                               : std::numeric_limits<double>::quiet_NaN();
                                                  }));
    VARVE_RETURN_IF_ERROR(out.add(std::move(made)));
  }
  histograms.clear();
  return out.give(of.sink);
}

}  // namespace

Status call_histogram(const CallOf& of) {
  if (of.call.function == FunctionId::histogram_fraction) return fractions(of);
  if (of.call.function == FunctionId::histogram_quantile)
    return quantiles_of(of, of.argument(1), {&of.argument(0)}, {});
  std::vector<const Expression*> quantiles;
  for (std::size_t i = 2; i < of.call.arguments.size(); ++i) quantiles.push_back(&of.argument(i));
  return quantiles_of(of, of.argument(0), quantiles, Evaluation::string(of.argument(1)));
}

}  // namespace varve::language::promql
