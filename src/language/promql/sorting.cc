// SPDX-License-Identifier: Apache-2.0
// sort, sort_desc, sort_by_label, sort_by_label_desc: orders of the answer of one time.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "language/promql/families.h"

namespace varve::language::promql {
namespace {

bool is_sort_digit(char c) { return c >= '0' && c <= '9'; }

// A run of digits, or of anything else.
std::string_view take_run(std::string_view& text) {
  const bool digits = is_sort_digit(text[0]);
  std::size_t size = 1;
  while (size < text.size() && is_sort_digit(text[size]) == digits) ++size;
  const std::string_view run = text.substr(0, size);
  text.remove_prefix(size);
  return run;
}

// Numbers in the texts by their value: a2 is before a10. < 0, 0, > 0.
int natural_order(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    std::string_view run_a = take_run(a), run_b = take_run(b);
    if (is_sort_digit(run_a[0]) && is_sort_digit(run_b[0])) {
      while (run_a.size() > 1 && run_a[0] == '0') run_a.remove_prefix(1);
      while (run_b.size() > 1 && run_b[0] == '0') run_b.remove_prefix(1);
      if (run_a.size() != run_b.size()) return run_a.size() < run_b.size() ? -1 : 1;
    }
    if (const int order = run_a.compare(run_b); order != 0) return order;
  }
  return a.empty() ? (b.empty() ? 0 : -1) : 1;
}

// NaN is last, whatever the direction.
void sort_by_value(std::vector<Series>& series, bool descending) {
  std::ranges::stable_sort(series, [&](const Series& left, const Series& right) {
    const double a = left.points[0], b = right.points[0];
    if (std::isnan(a) || std::isnan(b)) return !std::isnan(a) && std::isnan(b);
    return descending ? a > b : a < b;
  });
}

void sort_by_labels(std::vector<Series>& series, const std::vector<std::string_view>& names, bool descending) {
  std::ranges::sort(series, [&](const Series& left, const Series& right) {
    const Series& a = descending ? right : left;
    const Series& b = descending ? left : right;
    for (const std::string_view name : names) {
      const int order = natural_order(label_of(a.labels, name), label_of(b.labels, name));
      if (order != 0) return order < 0;
    }
    return a.labels < b.labels;
  });
}

}  // namespace

Status call_sort(const CallOf& of) {
  const bool by_label =
      of.call.function == FunctionId::sort_by_label || of.call.function == FunctionId::sort_by_label_desc;
  if (of.steps.count() > 1) {
    of.evaluation.annotations().warn(
        (by_label ? "sort_by_label is" : "sort is") +
            std::string(" ineffective for range queries since results are always ordered by labels"),
        of.expression.at);
    return of.evaluation.each(of.argument(0), of.steps, of.sink);
  }
  VARVE_ASSIGN_OR_RETURN(std::vector<Series> series, of.evaluation.all(of.argument(0), of.steps));
  std::ranges::sort(series, {}, &Series::labels);
  if (by_label) {
    std::vector<std::string_view> names;
    for (std::size_t i = 1; i < of.call.arguments.size(); ++i) names.push_back(Evaluation::string(of.argument(i)));
    sort_by_labels(series, names, of.call.function == FunctionId::sort_by_label_desc);
  } else {
    sort_by_value(series, of.call.function == FunctionId::sort_desc);
  }
  for (Series& one : series) VARVE_RETURN_IF_ERROR(of.sink(std::move(one)));
  return {};
}

}  // namespace varve::language::promql
