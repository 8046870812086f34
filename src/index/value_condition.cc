// SPDX-License-Identifier: Apache-2.0
#include "index/value_condition.h"

#include <algorithm>

namespace varve::index {

Result<ValueCondition> ValueCondition::make(const Matcher& matcher) {
  ValueCondition condition(matcher);
  switch (matcher.kind) {
    case Matcher::Kind::any_of:
    case Matcher::Kind::none_of:
      condition.values_.assign(matcher.values.begin(), matcher.values.end());
      std::ranges::sort(condition.values_);
      break;
    case Matcher::Kind::regex:
    case Matcher::Kind::not_regex: {
      if (matcher.values.empty()) return fail(Code::invalid, "no expression for tag '" + matcher.key + "'");
      condition.regex_ = matcher.regex;
      if (!condition.regex_) {
        VARVE_ASSIGN_OR_RETURN(condition.regex_, Regex::compile(matcher.values[0]));
      }
      break;
    }
    case Matcher::Kind::prefix:
      if (matcher.values.empty()) return fail(Code::invalid, "no prefix for tag '" + matcher.key + "'");
      break;
  }
  return condition;
}

bool ValueCondition::is_listed(std::string_view value) const { return std::ranges::binary_search(values_, value); }

bool ValueCondition::fits(std::string_view value) const {
  switch (matcher_->kind) {
    case Matcher::Kind::any_of: return is_listed(value);
    case Matcher::Kind::none_of: return !is_listed(value);
    case Matcher::Kind::prefix: return value.starts_with(matcher_->values[0]);
    case Matcher::Kind::regex: return regex_->matches(value);
    case Matcher::Kind::not_regex: return !regex_->matches(value);
  }
  return false;
}

}  // namespace varve::index
