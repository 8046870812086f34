// SPDX-License-Identifier: Apache-2.0
// Durations of PromQL: 1h30m, and what is computed from them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "language/promql/expression.h"

namespace varve::language::promql {

// Whole numbers with one of y w d h m s ms each, from the longest to the shortest, each at most once. nullopt: anything
// else, or 2⁶³ ns and more.
std::optional<std::int64_t> duration_ms(std::string_view text);

// 1h30m; -5m; 0s.
std::string duration_text(std::int64_t ms);

// The steps of a query at several times; of one time all are 0.
struct QuerySteps {
  std::int64_t step_ms = 0;
  std::int64_t range_ms = 0;  // from the first to the last one
};

// Gives all durations of the tree their `ms`. Those without step() and range() have it already. Error: invalid, with
// the place in `text`, which the tree was made of (a range that is not greater than 0, a division by 0, out of range).
Status resolve_durations(Expression& root, QuerySteps steps, std::string_view text);

enum class DurationUse : std::uint8_t {
  range,  // and steps of subqueries: greater than 0
  offset
};

// Of one expression. Error: as above.
Result<std::int64_t> evaluated_ms(const DurationExpression& expression, QuerySteps steps, DurationUse use,
                                  std::string_view text);

// Is step() or range() in it?
bool depends_on_steps(const DurationExpression& expression);

}  // namespace varve::language::promql
