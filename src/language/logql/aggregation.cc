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

struct Ranked {
  std::uint32_t step;
  double value;
  std::size_t member;  // of the group
};

// Keeps at each step the k largest points of these series.
void keep_largest(std::vector<Series>& all, const std::vector<std::size_t>& members, std::uint64_t k,
                  std::vector<Series>& out) {
  std::vector<Ranked> ranked;
  for (std::size_t i = 0; i < members.size(); ++i) {
    for (const Point& point : all[members[i]].points) ranked.push_back({point.step, point.value, i});
    all[members[i]].points.clear();
  }
  std::ranges::sort(ranked, [](const Ranked& a, const Ranked& b) {
    if (a.step != b.step) return a.step < b.step;
    if (is_larger(a.value, b.value) || is_larger(b.value, a.value)) return is_larger(a.value, b.value);
    return a.member < b.member;
  });
  std::uint64_t kept = 0;
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    if (i == 0 || ranked[i].step != ranked[i - 1].step) kept = 0;
    if (kept++ < k) all[members[ranked[i].member]].points.push_back({ranked[i].step, ranked[i].value});
  }
  for (const std::size_t member : members) {
    if (!all[member].points.empty()) out.push_back(std::move(all[member]));
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
                                    const Source& source) {
  std::map<LabelPairs, std::vector<std::size_t>> groups;
  std::size_t points = 0;
  for (std::size_t i = 0; i < series.size(); ++i) {
    groups[group_labels(series[i], grouping)].push_back(i);
    points += series[i].points.size();
  }
  VARVE_RETURN_IF_ERROR(source.hold(points * sizeof(Ranked)));
  std::vector<Series> out;
  for (const auto& [labels, members] : groups) keep_largest(series, members, k, out);
  return out;
}

}  // namespace varve::language::logql
