// SPDX-License-Identifier: Apache-2.0
// What a tree must be beyond its syntax: types of operands and arguments, and rules of matching.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "language/promql/expression.h"

namespace varve::language::promql {

// Gives each expression its type. Error: invalid, with its place in `text`.
Status check_types(Expression& root, std::string_view text);

// A selector has one name at most. Error: invalid, at `at` in `text`.
Status check_names(const VectorSelector& selector, Span at, std::string_view text);

// Is there a matcher that the empty value does not fulfil?
bool has_matcher_of_something(const std::vector<Matcher>& matchers);

}  // namespace varve::language::promql
