// SPDX-License-Identifier: Apache-2.0
#include "language/promql/names.h"

#include <algorithm>
#include <array>

#include "base/check.h"

namespace varve::language::promql {
namespace {

struct NamedOperator {
  BinaryOp op{};
  std::string_view name;
  int strength = 0;
};

constexpr std::array<NamedOperator, 19> kOperators{{{BinaryOp::add, "+", 5},
                                                    {BinaryOp::subtract, "-", 5},
                                                    {BinaryOp::multiply, "*", 6},
                                                    {BinaryOp::divide, "/", 6},
                                                    {BinaryOp::modulo, "%", 6},
                                                    {BinaryOp::power, "^", 7},
                                                    {BinaryOp::atan2, "atan2", 6},
                                                    {BinaryOp::equal, "==", 4},
                                                    {BinaryOp::not_equal, "!=", 4},
                                                    {BinaryOp::less, "<", 4},
                                                    {BinaryOp::at_most, "<=", 4},
                                                    {BinaryOp::more, ">", 4},
                                                    {BinaryOp::at_least, ">=", 4},
                                                    {BinaryOp::trim_upper, "</", 4},
                                                    {BinaryOp::trim_lower, ">/", 4},
                                                    {BinaryOp::set_and, "and", 3},
                                                    {BinaryOp::set_or, "or", 2},
                                                    {BinaryOp::set_unless, "unless", 3},
                                                    {BinaryOp::default_to, "default", 1}}};

struct NamedAggregation {
  AggregationOp op{};
  std::string_view name;
  bool parameter = false;
};

constexpr std::array<NamedAggregation, 14> kAggregations{{{AggregationOp::sum, "sum"},
                                                          {AggregationOp::avg, "avg"},
                                                          {AggregationOp::count, "count"},
                                                          {AggregationOp::min, "min"},
                                                          {AggregationOp::max, "max"},
                                                          {AggregationOp::group, "group"},
                                                          {AggregationOp::stddev, "stddev"},
                                                          {AggregationOp::stdvar, "stdvar"},
                                                          {AggregationOp::topk, "topk", true},
                                                          {AggregationOp::bottomk, "bottomk", true},
                                                          {AggregationOp::count_values, "count_values", true},
                                                          {AggregationOp::quantile, "quantile", true},
                                                          {AggregationOp::limitk, "limitk", true},
                                                          {AggregationOp::limit_ratio, "limit_ratio", true}}};

// The rows of both tables are in the order of their values.
const NamedOperator& row_of(BinaryOp op) { return kOperators[static_cast<std::size_t>(op)]; }
const NamedAggregation& row_of(AggregationOp op) { return kAggregations[static_cast<std::size_t>(op)]; }

template <class Table>
constexpr bool is_in_order(const Table& table) {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (static_cast<std::size_t>(table[i].op) != i) return false;
  }
  return true;
}
static_assert(is_in_order(kOperators) && is_in_order(kAggregations));

}  // namespace

std::optional<BinaryOp> binary_op_of(std::string_view name) {
  const auto* const found = std::ranges::find(kOperators, name, &NamedOperator::name);
  return found == kOperators.end() ? std::nullopt : std::optional(found->op);
}
std::string_view name_of(BinaryOp op) { return row_of(op).name; }
int strength_of(BinaryOp op) { return row_of(op).strength; }

bool is_comparison(BinaryOp op) { return op >= BinaryOp::equal && op <= BinaryOp::at_least; }
bool is_set_operator(BinaryOp op) { return op >= BinaryOp::set_and && op <= BinaryOp::set_unless; }

std::string_view name_of(MatchOp op) {
  switch (op) {
    case MatchOp::equal: return "=";
    case MatchOp::not_equal: return "!=";
    case MatchOp::regex: return "=~";
    case MatchOp::not_regex: return "!~";
  }
  return {};
}

AggregationOp aggregation_op_of(std::string_view name) {
  const auto* const found = std::ranges::find(kAggregations, name, &NamedAggregation::name);
  check(found != kAggregations.end(), "the lexer knows the aggregations");
  return found->op;
}
std::string_view name_of(AggregationOp op) { return row_of(op).name; }
bool has_parameter(AggregationOp op) { return row_of(op).parameter; }

std::string_view name_of(ValueType type) {
  switch (type) {
    case ValueType::scalar: return "scalar";
    case ValueType::vector: return "instant vector";
    case ValueType::matrix: return "range vector";
    case ValueType::string: return "string";
  }
  return {};
}

}  // namespace varve::language::promql
