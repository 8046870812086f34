// SPDX-License-Identifier: Apache-2.0
// Grouping: which series an aggregation puts together, and what the labels of a group are.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "language/promql/evaluation.h"
#include "language/promql/expression.h"
#include "language/promql/series.h"

namespace varve::language::promql {

class Grouping {
 public:
  Grouping(Evaluation& evaluation, const Aggregation& node) : evaluation_(evaluation), without_(node.without) {
    names_.assign(node.labels.begin(), node.labels.end());
    std::ranges::sort(names_);
  }

  // By the labels of a group.
  [[nodiscard]] Labels labels_of(const Labels& labels) const {
    Labels out;
    std::ranges::copy_if(labels, std::back_inserter(out), [&](const auto& label) { return groups_by(label.first); });
    return out;
  }

  // The number of the series' group, counted from 0 in the order in which they come.
  Result<std::size_t> group_of(const Labels& labels) {
    key_.clear();
    for (const auto& [name, value] : labels) {
      if (groups_by(name)) append(name), append(value);
    }
    const auto [found, is_new] = places_.try_emplace(key_, places_.size());
    if (is_new) {
      VARVE_ASSIGN_OR_RETURN(Charge more, evaluation_.budget().charge(sizeof *found + key_.size()));
      held_.absorb(std::move(more));
    }
    return found->second;
  }
  [[nodiscard]] std::size_t size() const { return places_.size(); }

 private:
  [[nodiscard]] bool groups_by(std::string_view name) const {
    const bool listed = std::ranges::binary_search(names_, name);
    return without_ ? !listed && name != kNameLabel : listed;
  }
  void append(std::string_view text) {
    for (int shift = 0; shift < 32; shift += 8) key_ += static_cast<char>(text.size() >> shift);
    key_ += text;
  }

  Evaluation& evaluation_;
  const bool without_;
  std::vector<std::string_view> names_;  // sorted
  std::unordered_map<std::string, std::size_t> places_;
  std::string key_;
  Charge held_;
};

}  // namespace varve::language::promql
