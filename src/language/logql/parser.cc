// SPDX-License-Identifier: Apache-2.0
#include "language/logql/parser.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "language/logql/log_parser.h"
#include "language/logql/token_reader.h"
#include "language/logql/units.h"

namespace varve::language::logql {
namespace {

using Kind = Token::Kind;

constexpr std::array<std::pair<std::string_view, RangeOp>, 4> kRangeOps{{{"count_over_time", RangeOp::count_over_time},
                                                                         {"rate", RangeOp::rate},
                                                                         {"bytes_over_time", RangeOp::bytes_over_time},
                                                                         {"bytes_rate", RangeOp::bytes_rate}}};
constexpr std::array<std::pair<std::string_view, AggregateOp>, 6> kAggregates{{{"sum", AggregateOp::sum},
                                                                               {"min", AggregateOp::min},
                                                                               {"max", AggregateOp::max},
                                                                               {"avg", AggregateOp::avg},
                                                                               {"count", AggregateOp::count},
                                                                               {"topk", AggregateOp::topk}}};
constexpr std::array<std::string_view, 24> kOtherFunctions{"sum_over_time",
                                                           "avg_over_time",
                                                           "max_over_time",
                                                           "min_over_time",
                                                           "first_over_time",
                                                           "last_over_time",
                                                           "stdvar_over_time",
                                                           "stddev_over_time",
                                                           "quantile_over_time",
                                                           "absent_over_time",
                                                           "rate_counter",
                                                           "stddev",
                                                           "stdvar",
                                                           "bottomk",
                                                           "sort",
                                                           "sort_desc",
                                                           "label_replace",
                                                           "approx_topk",
                                                           "increase",
                                                           "variants",
                                                           "quantile",
                                                           "group",
                                                           "limitk",
                                                           "count_values"};
constexpr std::array<std::string_view, 6> kComparisons{"==", "!=", ">", ">=", "<", "<="};
constexpr std::array<std::string_view, 3> kSetOps{"and", "or", "unless"};

template <class List>
bool holds(const List& list, std::string_view text) {
  return std::ranges::find(list, text) != list.end();
}

template <class Table>
auto find_word(const Table& table, const Token& token) {
  return std::ranges::find_if(
      table, [&](const auto& one) { return token.kind == Kind::identifier && token.text == one.first; });
}

// 0: not one. Higher ones bind tighter.
int strength_of(const Token& token) {
  if (token.kind != Kind::sign || token.text.size() != 1) return 0;
  switch (token.text[0]) {
    case '+':
    case '-': return 1;
    case '*':
    case '/':
    case '%': return 2;
    case '^': return 3;
    default: return 0;
  }
}

class MetricParser {
 public:
  explicit MetricParser(TokenReader& tokens) : tokens_(tokens) {}

  // Operators that bind as tightly as `strength` at least.
  Result<MetricQuery> expression(int strength, std::size_t depth) {
    VARVE_RETURN_IF_ERROR(check_depth(depth));
    VARVE_ASSIGN_OR_RETURN(MetricQuery left, operand(depth));
    std::size_t height = depth;  // of a + b + c + …, whose tree grows to the left
    while (true) {
      const Token& op = tokens_.peek();
      const int found = strength_of(op);
      if (found == 0 || found < strength) return left;
      VARVE_RETURN_IF_ERROR(check_depth(++height));
      tokens_.take();
      // ^ is done from the right.
      VARVE_ASSIGN_OR_RETURN(MetricQuery right, expression(op.text == "^" ? found : found + 1, depth + 1));
      MetricQuery both;
      both.kind = MetricQuery::Kind::arithmetic;
      both.arithmetic = op.text[0];
      both.parts.push_back(std::move(left));
      both.parts.push_back(std::move(right));
      left = std::move(both);
    }
  }

 private:
  [[nodiscard]] Status check_depth(std::size_t depth) const {
    if (depth <= kDepthMax) return {};
    return tokens_.error(tokens_.peek(), "more than " + std::to_string(kDepthMax) + " operations within each other");
  }

  Result<MetricQuery> operand(std::size_t depth) {
    const Token& token = tokens_.peek();
    if (tokens_.take_sign("(")) {
      VARVE_ASSIGN_OR_RETURN(MetricQuery inner, expression(1, depth + 1));
      VARVE_RETURN_IF_ERROR(tokens_.expect_sign(")"));
      return inner;
    }
    if (token.kind == Kind::number || tokens_.is_sign("-") || tokens_.is_sign("+")) {
      MetricQuery out;
      VARVE_ASSIGN_OR_RETURN(out.number, number());
      return out;
    }
    if (tokens_.is_word("vector")) return vector();
    if (const auto op = find_word(kRangeOps, token); op != kRangeOps.end()) return range(op->second);
    if (const auto op = find_word(kAggregates, token); op != kAggregates.end()) return aggregate(op->second, depth);
    if (token.kind == Kind::identifier && holds(kOtherFunctions, token.text)) {
      return tokens_.unsupported(token, "the function '" + token.text + "'");
    }
    return tokens_.unexpected();
  }

  Result<double> number() {
    double sign = 1;
    if (tokens_.take_sign("-")) {
      sign = -1;
    } else {
      tokens_.take_sign("+");
    }
    if (tokens_.peek().kind != Kind::number) return tokens_.unexpected("NUMBER");
    return sign * tokens_.take().value;
  }

  Result<MetricQuery> vector() {
    tokens_.take();
    MetricQuery out;
    out.kind = MetricQuery::Kind::vector;
    VARVE_RETURN_IF_ERROR(tokens_.expect_sign("("));
    VARVE_ASSIGN_OR_RETURN(out.number, number());
    VARVE_RETURN_IF_ERROR(tokens_.expect_sign(")"));
    return out;
  }

  // [5m]
  Result<std::int64_t> brackets() {
    VARVE_RETURN_IF_ERROR(tokens_.expect_sign("["));
    VARVE_ASSIGN_OR_RETURN(const std::int64_t range_ns, duration());
    VARVE_RETURN_IF_ERROR(tokens_.expect_sign("]"));
    return range_ns;
  }
  Result<std::int64_t> duration() {
    const Token& token = tokens_.peek();
    VARVE_ASSIGN_OR_RETURN(const std::string text, tokens_.expect(Kind::duration, "DURATION"));
    const std::int64_t out = duration_ns(text).value_or(0);
    if (out <= 0) return tokens_.error(token, "a duration must be greater than 0");
    return out;
  }

  Result<MetricQuery> range(RangeOp op) {
    const Token& name = tokens_.take();
    MetricQuery out;
    out.kind = MetricQuery::Kind::range;
    out.range_op = op;
    VARVE_RETURN_IF_ERROR(tokens_.expect_sign("("));
    // The selector may have parentheses of its own: count_over_time(({a="b"} |= "x")[5m]).
    const bool inner = tokens_.take_sign("(");
    VARVE_ASSIGN_OR_RETURN(out.log.matchers, read_selector(tokens_));
    VARVE_RETURN_IF_ERROR(check_selector(out.log.matchers));
    if (tokens_.is_sign("[")) {
      VARVE_ASSIGN_OR_RETURN(out.range_ns, brackets());
    }
    VARVE_RETURN_IF_ERROR(read_stages(tokens_, out.log.stages));
    if (inner) {
      VARVE_RETURN_IF_ERROR(tokens_.expect_sign(")"));
    }
    if (out.range_ns == 0) {
      VARVE_ASSIGN_OR_RETURN(out.range_ns, brackets());
    }
    if (tokens_.take_word("offset")) {
      VARVE_ASSIGN_OR_RETURN(out.offset_ns, duration());
    }
    VARVE_RETURN_IF_ERROR(tokens_.expect_sign(")"));
    if (tokens_.is_word("by") || tokens_.is_word("without")) {
      return tokens_.error(tokens_.peek(), "grouping not allowed for " + name.text + " aggregation");
    }
    return out;
  }

  Status grouping(MetricQuery& out) {
    if (out.grouping || (!tokens_.is_word("by") && !tokens_.is_word("without"))) return {};
    out.grouping.emplace();
    out.grouping->without = tokens_.take().text == "without";
    VARVE_RETURN_IF_ERROR(tokens_.expect_sign("("));
    if (tokens_.take_sign(")")) return {};
    do {
      VARVE_ASSIGN_OR_RETURN(std::string label, tokens_.expect(Kind::identifier, "IDENTIFIER"));
      out.grouping->labels.push_back(std::move(label));
    } while (tokens_.take_sign(","));
    return tokens_.expect_sign(")");
  }

  Result<MetricQuery> aggregate(AggregateOp op, std::size_t depth) {
    tokens_.take();
    MetricQuery out;
    out.kind = MetricQuery::Kind::aggregate;
    out.aggregate_op = op;
    VARVE_RETURN_IF_ERROR(grouping(out));
    VARVE_RETURN_IF_ERROR(tokens_.expect_sign("("));
    if (op == AggregateOp::topk) {
      const Token& k = tokens_.peek();
      if (k.kind != Kind::number) return tokens_.error(k, "parameter required for operation topk");
      if (!(k.value >= 1 && k.value <= 1e9) || k.value != std::floor(k.value)) {
        return tokens_.error(k, "invalid parameter topk: it must be a whole number greater than 0");
      }
      out.k = static_cast<std::uint64_t>(tokens_.take().value);
      VARVE_RETURN_IF_ERROR(tokens_.expect_sign(","));
    }
    VARVE_ASSIGN_OR_RETURN(MetricQuery part, expression(1, depth + 1));
    if (part.kind == MetricQuery::Kind::number) return tokens_.unexpected("an expression of series");
    out.parts.push_back(std::move(part));
    VARVE_RETURN_IF_ERROR(tokens_.expect_sign(")"));
    VARVE_RETURN_IF_ERROR(grouping(out));
    return out;
  }

  TokenReader& tokens_;
};

Status check_end(const TokenReader& tokens) {
  const Token& token = tokens.peek();
  if (token.kind == Kind::end) return {};
  const bool set_op = token.kind == Kind::identifier && holds(kSetOps, token.text);
  if (set_op || (token.kind == Kind::sign && holds(kComparisons, token.text))) {
    return tokens.unsupported(token, "the operator '" + token.text + "'");
  }
  if (tokens.is_word("offset")) return tokens.error(token, "offset is only allowed behind a range");
  return tokens.unexpected();
}

// ({a="b"} |= "x"): how many parentheses stand in front of the selector; nothing: there is none.
std::size_t parentheses_of(const TokenReader& tokens) {
  std::size_t count = 0;
  while (tokens.is_sign("(", count)) ++count;
  return count;
}

Result<Query> read_log(TokenReader& tokens, std::size_t parentheses) {
  for (std::size_t i = 0; i < parentheses; ++i) tokens.take();
  LogQuery log;
  VARVE_ASSIGN_OR_RETURN(log.matchers, read_selector(tokens));
  VARVE_RETURN_IF_ERROR(check_selector(log.matchers));
  VARVE_RETURN_IF_ERROR(read_stages(tokens, log.stages));
  for (std::size_t i = 0; i < parentheses; ++i) VARVE_RETURN_IF_ERROR(tokens.expect_sign(")"));
  VARVE_RETURN_IF_ERROR(check_end(tokens));
  return log;
}

}  // namespace

Result<Query> parse(std::string_view text) {
  VARVE_ASSIGN_OR_RETURN(auto list, tokens_of(text));
  query::Expressions expressions;
  TokenReader tokens(text, std::move(list), expressions);
  const std::size_t parentheses = parentheses_of(tokens);
  if (tokens.is_sign("{", parentheses)) return read_log(tokens, parentheses);
  VARVE_ASSIGN_OR_RETURN(MetricQuery metric, MetricParser(tokens).expression(1, 0));
  VARVE_RETURN_IF_ERROR(check_end(tokens));
  return metric;
}

Result<std::vector<Matcher>> parse_selector(std::string_view text, query::Expressions& expressions) {
  VARVE_ASSIGN_OR_RETURN(auto list, tokens_of(text));
  TokenReader tokens(text, std::move(list), expressions);
  VARVE_ASSIGN_OR_RETURN(auto matchers, read_selector(tokens));
  VARVE_RETURN_IF_ERROR(check_end(tokens));
  return matchers;
}

}  // namespace varve::language::logql
