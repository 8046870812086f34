// SPDX-License-Identifier: Apache-2.0
// Aggregations that fold a series into its group's columns, and forget it: sum, avg, count, min, max, group, stddev,
// stdvar; quantile and count_values, which need all values of a step.
#include <cmath>
#include <unordered_map>
#include <utility>
#include <vector>

#include "language/promql/exact_sum.h"
#include "language/promql/families.h"
#include "language/promql/grouping.h"
#include "language/promql/quantile.h"

namespace varve::language::promql {
namespace {

// A group's value at each step is in its column. `low`: what rounding loses of it. Of averages that would be infinite,
// though no value is, it is the mean instead of the sum from then on. Of variances it is the sum of squared distances,
// and `low` the mean.
struct GroupState {
  Series series;
  std::vector<double> low;
  std::vector<std::uint32_t> counts;
  std::vector<bool> is_mean;
};

bool needs_low(AggregationOp op) {
  return op == AggregationOp::sum || op == AggregationOp::avg || op == AggregationOp::stddev ||
         op == AggregationOp::stdvar;
}
bool needs_counts(AggregationOp op) { return needs_low(op) && op != AggregationOp::sum; }

void add_to_sum(GroupState& group, std::size_t step, double x) {
  ExactSum sum{group.series.points[step], group.low[step]};
  sum.add(x);
  group.series.points.value(step) = sum.high;
  group.low[step] = sum.low;
}

// Where both have values at all of 64 steps the compiler adds several at once.
void add_to_sums(GroupState& group, const Column& points) {
  constexpr std::size_t kSteps = 64;
  for (std::size_t at = 0; at < points.words().size(); ++at) {
    const std::uint64_t bits = points.words()[at];
    std::uint64_t& known = group.series.points.word(at);
    if (bits == 0) continue;
    if ((bits & known) == ~std::uint64_t{0}) {
      double* const high = &group.series.points.value(at * kSteps);
      double* const low = &group.low[at * kSteps];
      const double* const values = points.values_at(at * kSteps);
      for (std::size_t i = 0; i < kSteps; ++i) {
        ExactSum sum{high[i], low[i]};
        sum.add(values[i]);
        high[i] = sum.high;
        low[i] = sum.low;
      }
      continue;
    }
    Column::each_bit(bits & known, at, [&](std::size_t step) { add_to_sum(group, step, points[step]); });
    Column::each_bit(bits & ~known, at, [&](std::size_t step) { group.series.points.set(step, points[step]); });
  }
}

void add_to_mean(GroupState& group, std::size_t step, double x) {
  const double count = ++group.counts[step];
  if (!group.is_mean[step]) {
    ExactSum sum{group.series.points[step], group.low[step]};
    sum.add(x);
    if (!std::isinf(sum.high)) {
      group.series.points.value(step) = sum.high;
      group.low[step] = sum.low;
      return;
    }
    group.is_mean[step] = true;
    group.series.points.value(step) /= count - 1;
    group.low[step] /= count - 1;
  }
  const double share = (count - 1) / count;
  ExactSum mean{share * group.series.points[step], share * group.low[step]};
  mean.add(x / count);
  group.series.points.value(step) = mean.high;
  group.low[step] = mean.low;
}

void add_to_variance(GroupState& group, std::size_t step, double x) {
  const double count = ++group.counts[step];
  const double apart = x - group.low[step];
  group.low[step] += apart / count;
  group.series.points.value(step) += apart * (x - group.low[step]);
}

// The first value of a step in its group.
void start(AggregationOp op, GroupState& group, std::size_t step, double x) {
  const bool ones = op == AggregationOp::count || op == AggregationOp::group;
  const bool variance = op == AggregationOp::stddev || op == AggregationOp::stdvar;
  group.series.points.set(step, ones ? 1 : variance ? x - x : x);  // NaN of what is not finite
  if (needs_counts(op)) group.counts[step] = 1;
  if (variance) group.low[step] = x;
}

void fold(AggregationOp op, GroupState& group, std::size_t step, double x) {
  Column& points = group.series.points;
  switch (op) {
    case AggregationOp::avg: add_to_mean(group, step, x); break;
    case AggregationOp::count: ++points.value(step); break;
    case AggregationOp::min:
      if (x < points[step] || std::isnan(points[step])) points.value(step) = x;
      break;
    case AggregationOp::max:
      if (x > points[step] || std::isnan(points[step])) points.value(step) = x;
      break;
    case AggregationOp::stddev:
    case AggregationOp::stdvar: add_to_variance(group, step, x); break;
    default: break;  // group
  }
}

void finish(AggregationOp op, GroupState& group) {
  Column& points = group.series.points;
  switch (op) {
    case AggregationOp::sum: points.each([&](std::size_t step) { points.value(step) += group.low[step]; }); break;
    case AggregationOp::avg:
      points.each([&](std::size_t step) {
        const double count = group.is_mean[step] ? 1 : group.counts[step];
        points.value(step) = points[step] / count + group.low[step] / count;
      });
      break;
    case AggregationOp::stddev:
      points.each([&](std::size_t step) { points.value(step) = std::sqrt(points[step] / group.counts[step]); });
      break;
    case AggregationOp::stdvar: points.each([&](std::size_t step) { points.value(step) /= group.counts[step]; }); break;
    default: break;
  }
}

Result<GroupState> make_group(Evaluation& evaluation, AggregationOp op, Labels labels, const Steps& steps) {
  GroupState out;
  const std::size_t per_step =
      (needs_low(op) ? sizeof(double) : 0) + (needs_counts(op) ? sizeof(std::uint32_t) + 1 : 0);
  VARVE_ASSIGN_OR_RETURN(out.series.points,
                         Column::make(evaluation.budget(), steps.count(), bytes_of(labels) + per_step * steps.count()));
  out.series.labels = std::move(labels);
  if (needs_low(op)) out.low.resize(steps.count());
  if (needs_counts(op)) out.counts.resize(steps.count());
  if (op == AggregationOp::avg) out.is_mean.resize(steps.count());
  return out;
}

Status fold_groups(Evaluation& evaluation, const Aggregation& node, const Steps& steps, const SeriesSink& sink) {
  Grouping grouping(evaluation, node);
  std::vector<GroupState> groups;
  VARVE_RETURN_IF_ERROR(evaluation.each(*node.inner, steps, [&](Series&& one) -> Status {
    VARVE_RETURN_IF_ERROR(evaluation.spend(steps.count()));
    VARVE_ASSIGN_OR_RETURN(const std::size_t at, grouping.group_of(one.labels));
    if (at == groups.size()) {
      VARVE_ASSIGN_OR_RETURN(GroupState made, make_group(evaluation, node.op, grouping.labels_of(one.labels), steps));
      groups.push_back(std::move(made));
    }
    GroupState& group = groups[at];
    if (node.op == AggregationOp::sum) {
      add_to_sums(group, one.points);
      return {};
    }
    one.points.each([&](std::size_t step) {
      if (group.series.points.has(step)) {
        fold(node.op, group, step, one.points[step]);
      } else {
        start(node.op, group, step, one.points[step]);
      }
    });
    return {};
  }));
  for (GroupState& group : groups) {
    finish(node.op, group);
    VARVE_RETURN_IF_ERROR(sink(std::move(group.series)));
  }
  return {};
}

Status quantiles(Evaluation& evaluation, const Aggregation& node, const Steps& steps, const SeriesSink& sink) {
  VARVE_ASSIGN_OR_RETURN(const Column quantile, evaluation.scalar(*node.parameter, steps));
  Grouping grouping(evaluation, node);
  std::vector<std::vector<Series>> groups;
  VARVE_RETURN_IF_ERROR(evaluation.each(*node.inner, steps, [&](Series&& one) -> Status {
    VARVE_ASSIGN_OR_RETURN(const std::size_t at, grouping.group_of(one.labels));
    if (at == groups.size()) groups.emplace_back();
    groups[at].push_back(std::move(one));
    return {};
  }));
  if (!groups.empty()) {
    quantile.each([&](std::size_t step) {
      const double q = quantile[step];
      if (q >= 0 && q <= 1) return;
      evaluation.annotations().warn("quantile value should be between 0 and 1, got " + text_of_number(q),
                                    node.parameter->at);
    });
  }
  std::vector<double> values;
  for (std::vector<Series>& members : groups) {
    VARVE_ASSIGN_OR_RETURN(Series out, evaluation.series(grouping.labels_of(members[0].labels), steps));
    for (std::size_t step = 0; step < steps.count(); ++step) {
      VARVE_RETURN_IF_ERROR(evaluation.spend(members.size()));
      values.clear();
      for (const Series& member : members) {
        if (member.points.has(step)) values.push_back(member.points[step]);
      }
      if (!values.empty()) out.points.set(step, quantile_of(quantile[step], values));
    }
    members.clear();
    VARVE_RETURN_IF_ERROR(sink(std::move(out)));
  }
  return {};
}

// A series for each value in each group.
class CountedValues {
 public:
  CountedValues(Evaluation& evaluation, const Aggregation& node, const Steps& steps)
      : evaluation_(evaluation),
        label_(Evaluation::string(*node.parameter)),
        steps_(steps),
        grouping_(evaluation, node) {}

  Status add(const Series& one) {
    VARVE_RETURN_IF_ERROR(evaluation_.spend(steps_.count()));
    const Labels labels = grouping_.labels_of(one.labels);
    Status status;
    std::string text;
    Column* column = nullptr;
    double known = 0;  // of `column`
    one.points.each([&](std::size_t step) {
      const double value = one.points[step];
      if (!status) return;
      if (column == nullptr || std::bit_cast<std::uint64_t>(value) != std::bit_cast<std::uint64_t>(known)) {
        const auto found = column_of(labels, value);
        if (!found) {
          status = fail(found.error());
          return;
        }
        column = *found;
        known = value;
      }
      column->set(step, column->has(step) ? (*column)[step] + 1 : 1);
    });
    return status;
  }

  Status give(const SeriesSink& sink) {
    for (Series& one : counted_) VARVE_RETURN_IF_ERROR(sink(std::move(one)));
    return {};
  }

 private:
  // Valid until the next call.
  Result<Column*> column_of(Labels labels, double value) {
    set_label(labels, label_, plain_text_of_number(value));
    key_.clear();
    append_key(key_, labels);
    const auto [found, is_new] = places_.try_emplace(key_, counted_.size());
    if (is_new) {
      VARVE_ASSIGN_OR_RETURN(Series made, evaluation_.series(std::move(labels), steps_));
      counted_.push_back(std::move(made));
    }
    return &counted_[found->second].points;
  }

  Evaluation& evaluation_;
  const std::string_view label_;
  const Steps& steps_;
  Grouping grouping_;
  std::unordered_map<std::string, std::size_t> places_;
  std::vector<Series> counted_;
  std::string key_;
};

Status count_values(Evaluation& evaluation, const Aggregation& node, const Steps& steps, const SeriesSink& sink) {
  if (Evaluation::string(*node.parameter).empty()) return fail(Code::invalid, "invalid label name \"\"");
  CountedValues counted(evaluation, node, steps);
  VARVE_RETURN_IF_ERROR(evaluation.each(*node.inner, steps, [&](Series&& one) { return counted.add(one); }));
  return counted.give(sink);
}

}  // namespace

Status aggregate(Evaluation& evaluation, const Aggregation& node, const Steps& steps, const SeriesSink& sink) {
  switch (node.op) {
    case AggregationOp::topk:
    case AggregationOp::bottomk:
    case AggregationOp::limitk:
    case AggregationOp::limit_ratio: return choose(evaluation, node, steps, sink);
    case AggregationOp::quantile: return quantiles(evaluation, node, steps, sink);
    case AggregationOp::count_values: return count_values(evaluation, node, steps, sink);
    default: return fold_groups(evaluation, node, steps, sink);
  }
}

}  // namespace varve::language::promql
