// SPDX-License-Identifier: Apache-2.0
// The syntax tree of PromQL, as Prometheus 3.16 has it, and of six words of MetricsQL: each expression with its type
// and its place in the text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/regex.h"
#include "language/promql/function_table.h"
#include "language/promql/value_type.h"

namespace varve::language::promql {

inline constexpr std::string_view kNameLabel = "__name__";

// Bytes [from, to) of the query's text.
struct Span {
  std::size_t from = 0;
  std::size_t to = 0;
};

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;

enum class MatchOp : std::uint8_t { equal, not_equal, regex, not_regex };

// name="value". A label that a series lacks is the same as an empty one.
struct Matcher {
  std::string name{};
  MatchOp op{};
  std::string value{};
  std::optional<Regex> regex{};  // of the two operators that have one: over the whole value

  [[nodiscard]] bool matches(std::string_view text) const {
    switch (op) {
      case MatchOp::equal: return text == value;
      case MatchOp::not_equal: return text != value;
      case MatchOp::regex: return regex && regex->matches(text);
      case MatchOp::not_regex: return regex && !regex->matches(text);
    }
    return false;
  }
};

// Arithmetic with durations, as in [2 * step()], in seconds.
struct DurationExpression {
  enum class Kind : std::uint8_t {
    number,
    step,
    range,
    negate,
    add,
    subtract,
    multiply,
    divide,
    modulo,
    power,
    min,
    max
  };
  Kind kind{};
  double seconds = 0;        // of a number
  bool parentheses = false;  // around it
  bool unit = false;         // a number that was written as 5m, not as 300
  std::vector<DurationExpression> parts{};
  Span at{};
};

// What stands between brackets and behind `offset`.
struct Duration {
  // With step() or range() in it: only once resolve_durations() of duration.h knows the steps of the query.
  std::int64_t ms = 0;
  std::unique_ptr<DurationExpression> expression{};  // null: `ms` is what was written
};

// m @ 5, m @ start()
struct AtModifier {
  enum class Kind : std::uint8_t { time, start, end };
  Kind kind{};
  std::int64_t time_ms = 0;
};

// How far a selector looks beyond its range (extended range selectors): m[5m] smoothed
enum class RangeExtension : std::uint8_t { none, anchored, smoothed };

struct NumberLiteral {
  double value = 0;
  bool duration = false;  // written as 5m
};

struct StringLiteral {
  std::string value;
};

// m{a="b"} offset 5m @ 7
struct VectorSelector {
  std::string name;  // in front of the braces; empty: none, or within them
  // All must hold. That of the name, wherever it was, is one of __name__.
  std::vector<Matcher> matchers{};
  Duration offset{};
  std::optional<AtModifier> at{};
  RangeExtension extension{};
  bool may_select_all = false;  // the second argument of info()
};

// m{a="b"}[5m] offset 5m @ 7: the modifiers are those of the selector.
struct MatrixSelector {
  VectorSelector selector{};
  Duration range{};
};

// (…)[1h:5m] offset 5m @ 7
struct Subquery {
  ExpressionPtr inner{};
  Duration range{};
  std::optional<Duration> step{};  // none: the default one of the server
  Duration offset{};
  std::optional<AtModifier> at{};
};

struct Unary {
  bool negate = false;  // -x; else +x
  ExpressionPtr inner{};
};

enum class BinaryOp : std::uint8_t {
  add,
  subtract,
  multiply,
  divide,
  modulo,
  power,
  atan2,
  equal,
  not_equal,
  less,
  at_most,
  more,
  at_least,
  trim_upper,  // </ of native histograms
  trim_lower,  // >/
  set_and,
  set_or,
  set_unless,
  default_to  // MetricsQL: `a default b`, what a lacks is taken from b
};

// Which series of two vectors belong together.
struct Matching {
  enum class Group : std::uint8_t { none, left, right };  // which side may have several series for one of the other
  bool on = false;                                        // labels are those that count; else those that do not
  std::vector<std::string> labels{};
  Group group{};
  std::vector<std::string> include{};  // labels that are taken from the side that has one
};

struct Binary {
  BinaryOp op{};
  bool returns_bool = false;
  Matching matching{};
  ExpressionPtr left{};
  ExpressionPtr right{};
};

enum class AggregationOp : std::uint8_t {
  sum,
  avg,
  count,
  min,
  max,
  group,
  stddev,
  stdvar,
  topk,
  bottomk,
  count_values,
  quantile,
  limitk,
  limit_ratio
};

struct Aggregation {
  AggregationOp op{};
  bool without = false;
  std::vector<std::string> labels{};  // by (labels), unless `without`
  ExpressionPtr parameter{};          // null: the operation has none
  ExpressionPtr inner{};
};

struct Call {
  FunctionId function{};
  std::vector<ExpressionPtr> arguments{};
  bool keep_metric_names = false;  // MetricsQL
};

struct Parentheses {
  ExpressionPtr inner{};
};

struct Expression {
  using Node = std::variant<NumberLiteral, StringLiteral, VectorSelector, MatrixSelector, Subquery, Unary, Binary,
                            Aggregation, Call, Parentheses>;
  Node node{};
  ValueType type{};
  Span at{};
};

// How many expressions may be within each other. Who walks a tree may recurse.
inline constexpr std::size_t kHeightMax = 200;

}  // namespace varve::language::promql
