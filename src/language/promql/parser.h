// SPDX-License-Identifier: Apache-2.0
// The text of a query → its tree, with types. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "language/promql/expression.h"
#include "query/expression.h"

namespace varve::language::promql {

struct ParseOptions {
  bool strict = false;  // nothing of MetricsQL
};

// Compiles expressions: not for threads that serve connections. Error: invalid, in Prometheus' form ("1:5: parse error:
// …") with line and column in bytes.
Result<ExpressionPtr> parse(std::string_view text, ParseOptions options = {});

// m{a="b"} alone, without modifiers, as `match[]` has it. `{}` is allowed; has_matcher_of_something() says whether the
// selector is as narrow as one of a query must be. `expressions`: of all selectors of a question.
Result<std::vector<Matcher>> parse_selector(std::string_view text, query::Expressions& expressions);

}  // namespace varve::language::promql
