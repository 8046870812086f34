// SPDX-License-Identifier: Apache-2.0
// Operators between two vectors: whose series belong together is found out once, not at each step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "language/promql/evaluation.h"
#include "language/promql/expression.h"
#include "language/promql/series.h"

namespace varve::language::promql {

// What of a label set counts for a matching.
class MatchKey {
 public:
  explicit MatchKey(const Matching& matching);

  // Equal for those that belong together. Valid until the next call.
  const std::string& of(const Labels& labels);
  // The labels that count, to be shown.
  [[nodiscard]] Labels labels_of(const Labels& labels) const;

 private:
  [[nodiscard]] bool counts(std::string_view name) const;

  const Matching& matching_;
  std::vector<std::string_view> names_;  // sorted
  std::string key_;
};

// Series by their keys.
class KeyedSeries {
 public:
  KeyedSeries(Evaluation& evaluation, const Matching& matching) : evaluation_(evaluation), key_(matching) {}

  // The number of the key, which is a new one if no series had it.
  Result<std::size_t> place(const Labels& labels);
  static constexpr std::size_t kNone = SIZE_MAX;
  // kNone: no series has this key.
  [[nodiscard]] std::size_t find(const Labels& labels);
  [[nodiscard]] std::size_t size() const { return places_.size(); }
  [[nodiscard]] const MatchKey& key() const { return key_; }

 private:
  Evaluation& evaluation_;
  MatchKey key_;
  std::unordered_map<std::string, std::size_t> places_;
  Charge held_;
};

// Arithmetic and comparisons. Errors: invalid (several series where one is allowed).
Status matched(Evaluation& evaluation, const Binary& node, const Steps& steps, const SeriesSink& sink);

// and, unless
Status intersection(Evaluation& evaluation, const Binary& node, const Steps& steps, const SeriesSink& sink);
// or
Status union_of(Evaluation& evaluation, const Binary& node, const Steps& steps, const SeriesSink& sink);
// default: gaps of the left side are filled by the right one; if there is nothing to the left, it is the right one.
Status defaults(Evaluation& evaluation, const Binary& node, const Steps& steps, const SeriesSink& sink);

}  // namespace varve::language::promql
