// SPDX-License-Identifier: Apache-2.0
// The operators and aggregations of PromQL by their names, and what is said of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "language/promql/expression.h"

namespace varve::language::promql {

// "+", "and"; words in lower case.
std::optional<BinaryOp> binary_op_of(std::string_view name);
std::string_view name_of(BinaryOp op);

// Higher ones bind tighter; from 1.
int strength_of(BinaryOp op);
bool is_comparison(BinaryOp op);
bool is_set_operator(BinaryOp op);

// "=", "!~"
std::string_view name_of(MatchOp op);

// Of a word that the lexer took for one.
AggregationOp aggregation_op_of(std::string_view name);
std::string_view name_of(AggregationOp op);
bool has_parameter(AggregationOp op);

// "instant vector", "range vector", "scalar", "string"
std::string_view name_of(ValueType type);

}  // namespace varve::language::promql
