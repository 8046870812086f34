// SPDX-License-Identifier: Apache-2.0
// ValueCondition: a matcher prepared for testing many values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/regex.h"
#include "base/result.h"
#include "index/matcher.h"

namespace varve::index {

// The matcher must outlive it. Thread-safe.
class ValueCondition {
 public:
  // Error: invalid (a bad regular expression, a missing one, no prefix).
  static Result<ValueCondition> make(const Matcher& matcher);

  [[nodiscard]] bool fits(std::string_view value) const;
  // What fits() may take for a value of so many bytes, in steps of an expression (regex.h).
  [[nodiscard]] std::uint64_t steps(std::size_t bytes) const { return regex_ ? regex_->steps(bytes) : 0; }
  // The values of any_of and none_of, sorted.
  [[nodiscard]] const std::vector<std::string_view>& values() const { return values_; }

 private:
  explicit ValueCondition(const Matcher& matcher) : matcher_(&matcher) {}
  [[nodiscard]] bool is_listed(std::string_view value) const;

  const Matcher* matcher_;
  std::vector<std::string_view> values_;  // sorted
  std::optional<Regex> regex_;
};

}  // namespace varve::index
