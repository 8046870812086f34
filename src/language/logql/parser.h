// SPDX-License-Identifier: Apache-2.0
// The text of a query → its tree. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "language/logql/syntax.h"
#include "query/expression.h"

namespace varve::language::logql {

inline constexpr std::size_t kDepthMax = 64;  // of parentheses, aggregations and arithmetic

// Compiles expressions: not for threads that serve connections. Errors say where and what, in Loki's form: invalid;
// unsupported (of Loki's language, but not here), which names it.
Result<Query> parse(std::string_view text);

// {app="a"} alone, as `match[]` and `query` of lists have it. `{}` has no matchers: everything. `expressions`: of all
// selectors of a question.
Result<std::vector<Matcher>> parse_selector(std::string_view text, query::Expressions& expressions);

}  // namespace varve::language::logql
