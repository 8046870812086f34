// SPDX-License-Identifier: Apache-2.0
// For tests: series in memory, as a source of PromQL.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "language/promql/source.h"

namespace varve::language::testing {

class MemorySource : public promql::Source {
 public:
  void add(promql::Selected series) { series_.push_back(std::move(series)); }
  void clear() { series_.clear(); }
  [[nodiscard]] const std::vector<promql::Selected>& series() const { return series_; }

  Status select(const promql::Selection& selection, const promql::SelectedSink& sink) override {
    ++selections_;
    for (const promql::Selected& series : series_) {
      const bool wanted = std::ranges::all_of(selection.matchers, [&](const promql::Matcher& matcher) {
        return matcher.matches(promql::label_of(series.labels, matcher.name));
      });
      if (!wanted) continue;
      const auto first = std::ranges::lower_bound(series.times, selection.first_ms);
      const auto end = std::ranges::upper_bound(series.times, selection.last_ms);
      promql::Selected out{series.labels, {}, {}};
      if (first < end) {
        out.times.assign(first, end);
        out.values.assign(series.values.begin() + (first - series.times.begin()),
                          series.values.begin() + (end - series.times.begin()));
      }
      VARVE_RETURN_IF_ERROR(sink(std::move(out)));
    }
    return {};
  }
  [[nodiscard]] int selections() const { return selections_; }

 private:
  std::vector<promql::Selected> series_;
  int selections_ = 0;
};

}  // namespace varve::language::testing
