// SPDX-License-Identifier: Apache-2.0
#include "language/logql/metric.h"

#include <algorithm>
#include <cmath>

#include "language/logql/aggregation.h"
#include "language/logql/condition.h"
#include "language/logql/pipeline.h"
#include "language/logql/range_counts.h"

namespace varve::language::logql {
namespace {

double calculated(char op, double a, double b) {
  switch (op) {
    case '+': return a + b;
    case '-': return a - b;
    case '*': return a * b;
    case '/': return a / b;
    case '%': return std::fmod(a, b);
    default: return std::pow(a, b);
  }
}

// Points of the steps that both have.
std::vector<Point> calculated(char op, const std::vector<Point>& left, const std::vector<Point>& right) {
  std::vector<Point> out;
  for (auto a = left.begin(), b = right.begin(); a != left.end() && b != right.end();) {
    if (a->step == b->step) {
      out.push_back({a->step, calculated(op, a->value, b->value)});
      ++a, ++b;
    } else if (a->step < b->step) {
      ++a;
    } else {
      ++b;
    }
  }
  return out;
}

void sort_series(std::vector<Series>& series) { std::ranges::sort(series, {}, &Series::labels); }

// As in Loki: who does not look at errors is told of them.
Status check_error(const Labels& labels) {
  if (!labels.has_error()) return {};
  const std::string error(labels.get(kError));
  std::string series;
  append_labels(series, labels.all());
  return fail(Code::invalid, "pipeline error: '" + error + "' for series: '" + series.substr(0, 1000) +
                                 "'.\nUse a label filter to intentionally skip this error. (e.g | __error__!=\"" +
                                 error +
                                 "\").\nTo skip all potential errors you can match empty errors.(e.g __error__=\"\")");
}

// Does each stage look at nothing but labels, and take away some at most? (Filters of lines are the store's.)
bool labels_say_all(const LogQuery& query) {
  return std::ranges::all_of(query.stages, [](const Stage& stage) {
    return stage.kind == Stage::Kind::line || stage.kind == Stage::Kind::drop || stage.kind == Stage::Kind::keep;
  });
}

LabelsAsked labels_asked(const Grouping* grouping) {
  if (grouping == nullptr || grouping->without) return {LabelsAsked::Kind::all};
  return {LabelsAsked::Kind::named, {grouping->labels.begin(), grouping->labels.end()}};
}

class Evaluation {
 public:
  Evaluation(const Steps& steps, const Source& source) : steps_(steps), source_(source) {}

  // `grouping`: a sum is made of what comes out, by these labels.
  Result<MetricValue> value(const MetricQuery& query, const Grouping* grouping = nullptr) const {
    switch (query.kind) {
      case MetricQuery::Kind::number: return MetricValue{true, query.number, {}};
      case MetricQuery::Kind::vector: return vector(query.number);
      case MetricQuery::Kind::range: return range(query, grouping);
      case MetricQuery::Kind::aggregate: return aggregated(query);
      case MetricQuery::Kind::arithmetic: return arithmetic(query);
    }
    return fail(Code::unsupported, "unknown expression");
  }

 private:
  [[nodiscard]] Result<MetricValue> vector(double number) const {
    VARVE_RETURN_IF_ERROR(source_.hold(steps_.count() * sizeof(Point)));
    Series series;
    for (std::uint32_t step = 0; step < steps_.count(); ++step) series.points.push_back({step, number});
    MetricValue out;
    out.series.push_back(std::move(series));
    return out;
  }

  [[nodiscard]] Result<MetricValue> range(const MetricQuery& query, const Grouping* grouping) const {
    RangeCounts counts(query, grouping, steps_);
    VARVE_ASSIGN_OR_RETURN(auto condition, condition_of(query.log, source_));
    const auto add = [&](Labels& labels, std::uint64_t lines, std::uint64_t bytes) -> Status {
      if (!run_stages(query.log, labels)) return {};
      VARVE_RETURN_IF_ERROR(check_error(labels));
      return counts.add(labels, lines, bytes, source_);
    };
    if (labels_say_all(query.log)) {
      const bool bytes = query.range_op == RangeOp::bytes_over_time || query.range_op == RangeOp::bytes_rate;
      VARVE_RETURN_IF_ERROR(source_.count({counts.span(), std::move(condition), labels_asked(grouping), bytes,
                                           counts.window_ns(), counts.span().end_ns},
                                          add));
    } else {
      Labels labels;
      VARVE_RETURN_IF_ERROR(source_.find(counts.span(), condition, false, [&](message::RowView row) -> Result<bool> {
        labels.read(row);
        VARVE_RETURN_IF_ERROR(add(labels, 1, labels.line().size()));
        return true;
      }));
    }
    MetricValue out;
    out.series = counts.take();
    std::size_t bytes = 0;
    for (const Series& series : out.series) bytes += series.points.size() * sizeof(Point);
    VARVE_RETURN_IF_ERROR(source_.hold(bytes));
    sort_series(out.series);
    return out;
  }

  [[nodiscard]] Result<MetricValue> aggregated(const MetricQuery& query) const {
    static const Grouping together;
    const Grouping& grouping = query.grouping ? *query.grouping : together;
    const bool is_sum = query.aggregate_op == AggregateOp::sum;
    VARVE_ASSIGN_OR_RETURN(MetricValue inner, value(query.parts[0], is_sum ? &grouping : nullptr));
    if (inner.is_scalar) return fail(Code::invalid, "parse error : an aggregation is of series, not of a number");
    const bool ranks = query.aggregate_op == AggregateOp::topk;
    MetricValue out;
    if (ranks) {
      VARVE_ASSIGN_OR_RETURN(out.series, largest(std::move(inner.series), query.k, grouping, source_));
    } else {
      VARVE_ASSIGN_OR_RETURN(out.series, aggregate(inner.series, query.aggregate_op, grouping, steps_, source_));
    }
    sort_series(out.series);
    const auto first_value = [](const Series& series) { return series.points[0].value; };
    if (ranks && steps_.count() == 1) std::ranges::stable_sort(out.series, std::greater<>(), first_value);
    return out;
  }

  [[nodiscard]] Result<MetricValue> arithmetic(const MetricQuery& query) const {
    VARVE_ASSIGN_OR_RETURN(MetricValue left, value(query.parts[0]));
    VARVE_ASSIGN_OR_RETURN(MetricValue right, value(query.parts[1]));
    const char op = query.arithmetic;
    if (left.is_scalar && right.is_scalar) return MetricValue{true, calculated(op, left.scalar, right.scalar), {}};
    if (left.is_scalar || right.is_scalar) {
      MetricValue& out = left.is_scalar ? right : left;
      for (Series& series : out.series) {
        for (Point& point : series.points) {
          point.value =
              left.is_scalar ? calculated(op, left.scalar, point.value) : calculated(op, point.value, right.scalar);
        }
      }
      return std::move(out);
    }
    return joined(op, std::move(left.series), std::move(right.series));
  }

  // Series with the same labels.
  [[nodiscard]] static MetricValue joined(char op, std::vector<Series> left, std::vector<Series> right) {
    sort_series(left);
    sort_series(right);
    MetricValue out;
    for (auto a = left.begin(), b = right.begin(); a != left.end() && b != right.end();) {
      if (a->labels == b->labels) {
        auto points = calculated(op, a->points, b->points);
        if (!points.empty()) out.series.push_back({std::move(a->labels), std::move(points)});
        ++a, ++b;
      } else if (a->labels < b->labels) {
        ++a;
      } else {
        ++b;
      }
    }
    return out;
  }

  const Steps& steps_;
  const Source& source_;
};

}  // namespace

Result<MetricValue> evaluate(const MetricQuery& query, const Steps& steps, const Source& source) {
  return Evaluation(steps, source).value(query);
}

}  // namespace varve::language::logql
