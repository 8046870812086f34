// SPDX-License-Identifier: Apache-2.0
// The parsers of durations: between brackets, behind `offset`.
#pragma once

#include <cstddef>
#include <optional>

#include "base/result.h"
#include "language/promql/expression.h"
#include "language/promql/token_reader.h"

namespace varve::language::promql {

struct Brackets {
  Duration range;
  bool subquery = false;         // with a colon
  std::optional<Duration> step;  // behind the colon
};

// [5m], [1h:5m], [1h:]: the next token is the bracket. `depth`: of the expression that they belong to.
Result<Brackets> read_brackets(TokenReader& tokens, std::size_t depth);

// Behind the word: 5m, -5m, 300, step(), (2 * step()). What is computed has parentheses; an operator behind them
// belongs to the expression around.
Result<Duration> read_offset(TokenReader& tokens, std::size_t depth);

}  // namespace varve::language::promql
