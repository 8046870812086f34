// SPDX-License-Identifier: Apache-2.0
#include "language/logql/aggregation.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "language/logql/range_counts.h"

namespace varve::language::logql {
namespace {

using LabelPairs = std::vector<std::pair<std::string, std::string>>;

struct Folded {
  double value = 0;
  std::uint64_t count = 0;
};

LabelPairs group_labels(const Series& series, const Grouping& grouping) {
  LabelPairs out;
  for (const auto& label : series.labels) {
    if (groups_by(grouping, label.first)) out.push_back(label);
  }
  return out;
}

void fold(AggregateOp op, Folded& cell, double value) {
  const bool first = cell.count++ == 0;
  switch (op) {
    case AggregateOp::min:
      cell.value = first || value < cell.value || std::isnan(cell.value) ? value : cell.value;
      break;
    case AggregateOp::max:
      cell.value = first || value > cell.value || std::isnan(cell.value) ? value : cell.value;
      break;
    default: cell.value += value; break;
  }
}

double folded(AggregateOp op, const Folded& cell) {
  if (op == AggregateOp::count) return static_cast<double>(cell.count);
  return op == AggregateOp::avg ? cell.value / static_cast<double>(cell.count) : cell.value;
}

// NaN is the smallest.
bool is_larger(double a, double b) { return a > b || (std::isnan(b) && !std::isnan(a)); }

// Keeps at each step the k largest points of these series; `at` moves through their points.
void keep_largest(std::vector<Series>& all, const std::vector<std::size_t>& members, std::uint64_t k,
                  std::uint32_t steps, std::vector<Series>& out) {
  std::vector<std::size_t> at(members.size(), 0);
  std::vector<std::vector<Point>> kept(members.size());
  std::vector<std::size_t> there;
  for (std::uint32_t step = 0; step < steps; ++step) {
    there.clear();
    for (std::size_t i = 0; i < members.size(); ++i) {
      const auto& points = all[members[i]].points;
      if (at[i] < points.size() && points[at[i]].step == step) there.push_back(i), ++at[i];
    }
    const auto value = [&](std::size_t i) { return all[members[i]].points[at[i] - 1].value; };
    std::ranges::stable_sort(there, is_larger, value);
    if (there.size() > k) there.resize(k);
    for (const std::size_t i : there) kept[i].push_back({step, value(i)});
  }
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!kept[i].empty()) out.push_back({std::move(all[members[i]].labels), std::move(kept[i])});
  }
}

}  // namespace

Result<std::vector<Series>> aggregate(const std::vector<Series>& series, AggregateOp op, const Grouping& grouping,
                                      const Steps& steps, const Source& source) {
  std::map<LabelPairs, std::vector<Folded>> groups;
  for (const Series& one : series) {
    std::vector<Folded>& cells = groups[group_labels(one, grouping)];
    if (cells.empty()) {
      VARVE_RETURN_IF_ERROR(source.hold(steps.count() * (sizeof(Folded) + sizeof(Point))));
      cells.resize(steps.count());
    }
    for (const Point& point : one.points) fold(op, cells[point.step], point.value);
  }
  std::vector<Series> out;
  for (const auto& [labels, cells] : groups) {
    Series& one = out.emplace_back();
    one.labels = labels;
    for (std::uint32_t step = 0; step < steps.count(); ++step) {
      if (cells[step].count > 0) one.points.push_back({step, folded(op, cells[step])});
    }
  }
  return out;
}

Result<std::vector<Series>> largest(std::vector<Series> series, std::uint64_t k, const Grouping& grouping,
                                    const Steps& steps, const Source& source) {
  std::map<LabelPairs, std::vector<std::size_t>> groups;
  std::size_t points = 0;
  for (std::size_t i = 0; i < series.size(); ++i) {
    groups[group_labels(series[i], grouping)].push_back(i);
    points += series[i].points.size();
  }
  VARVE_RETURN_IF_ERROR(source.hold(points * sizeof(Point)));
  std::vector<Series> out;
  for (const auto& [labels, members] : groups) keep_largest(series, members, k, steps.count(), out);
  return out;
}

}  // namespace varve::language::logql
