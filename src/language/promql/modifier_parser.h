// SPDX-License-Identifier: Apache-2.0
// The parsers of what stands behind operands and operators: ranges, `offset`, `@`, `on`, `by`, …
#pragma once

#include <cstddef>

#include "base/result.h"
#include "language/promql/expression.h"
#include "language/promql/token_reader.h"

namespace varve::language::promql {

// Behind an operand.
bool begins_modifier(const TokenReader& tokens);
// `operand` becomes what it is with the modifier, e.g. a subquery of it.
Status read_modifier(TokenReader& tokens, ExpressionPtr& operand, std::size_t depth);

// bool on (a) group_left (b): what there is behind an operator.
Status read_binary_modifiers(TokenReader& tokens, Binary& out);

// by (a), without (a)
bool begins_grouping(const TokenReader& tokens);
Status read_grouping(TokenReader& tokens, Aggregation& out);

}  // namespace varve::language::promql
