// SPDX-License-Identifier: Apache-2.0
#include "counter/declared.h"

#include <algorithm>
#include <utility>

namespace varve::counter {

Declared::Declared(std::vector<Pattern> patterns) : patterns_(std::move(patterns)) {}

void Declared::add(Source source) { sources_.push_back(std::move(source)); }

std::optional<Declaration> Declared::find(std::string_view tenant, std::string_view metric, const TagOf& tag) const {
  for (const Source& source : sources_) {
    if (auto found = source(tenant, metric, tag)) return found;
  }
  for (const Pattern& pattern : patterns_) {
    if (fits(pattern.metric, metric)) return declaration_of(pattern);
  }
  return std::nullopt;
}

Rules rules_at(const Declaration& declaration, model::Timestamp time) {
  Rules rules = declaration.rules;
  const auto behind = std::ranges::upper_bound(declaration.ceilings, time, {}, &Ceiling::since);
  if (behind == declaration.ceilings.begin()) return rules;
  rules.max_wrap_per_second = std::prev(behind)->per_second;
  return rules;
}

Declaration declaration_of(const Pattern& pattern) { return {pattern.base_ms, {.gap_ms = kGapBins * pattern.base_ms}}; }

bool fits(std::string_view pattern, std::string_view name) {
  std::size_t p = 0, n = 0;
  // Where to go on if what was tried fails: behind the last star, which then takes one byte more.
  std::size_t behind_star = std::string_view::npos, taken = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      behind_star = ++p;
      taken = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (behind_star != std::string_view::npos) {
      p = behind_star;
      n = ++taken;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

}  // namespace varve::counter
