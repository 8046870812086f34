// SPDX-License-Identifier: Apache-2.0
// What keeps the label sets of a vector distinct where a function changes them.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "language/promql/evaluation.h"
#include "language/promql/series.h"

namespace varve::language::promql {

inline constexpr std::string_view kSameLabels = "vector cannot contain metrics with the same labelset";

// No two series may have the same labels, at whatever steps they are.
class Distinct {
 public:
  explicit Distinct(Evaluation& evaluation) : evaluation_(evaluation) {}
  // Of a function that only takes away the names of `inner`: often it is known that nothing can collide.
  Distinct(Evaluation& evaluation, const Expression& inner) : evaluation_(evaluation), needed_(!has_one_name(inner)) {}

  // Error: invalid (there was one with these labels), limit.
  Status add(const Labels& labels);

 private:
  Evaluation& evaluation_;
  const bool needed_ = true;
  std::unordered_set<std::string> known_;
  std::string key_;
  Charge held_;
};

// Series with the same labels are one, but not at the same step.
class Merger {
 public:
  explicit Merger(Evaluation& evaluation) : evaluation_(evaluation) {}

  // Error: invalid (`conflict`: a step has two values of the same labels), limit.
  Status add(Series&& series, std::string_view conflict = kSameLabels);
  // In the order in which they came first. Nothing is left.
  Status give(const SeriesSink& sink);

 private:
  Evaluation& evaluation_;
  std::unordered_map<std::string, std::size_t> places_;
  std::vector<Series> series_;
  std::string key_;
  Charge held_;
};

// Gives series whose names were dropped, one after another where nothing can collide, else after the last one.
class NamelessSink {
 public:
  NamelessSink(Evaluation& evaluation, const Expression& inner, bool keeps_names, const SeriesSink& sink)
      : merger_(evaluation), streams_(keeps_names || has_one_name(inner)), keeps_names_(keeps_names), sink_(sink) {}

  Status take(Series&& series);
  Status finish() { return merger_.give(sink_); }

 private:
  Merger merger_;
  const bool streams_;
  const bool keeps_names_;
  const SeriesSink& sink_;
};

}  // namespace varve::language::promql
