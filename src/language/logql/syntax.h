// SPDX-License-Identifier: Apache-2.0
// The syntax tree of LogQL, as far as varve knows it: queries of lines, and metrics made of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/regex.h"

namespace varve::language::logql {

enum class MatchOp : std::uint8_t { equal, not_equal, regex, not_regex };

// name="value". An absent label is the same as an empty one.
struct Matcher {
  std::string name;
  MatchOp op{};
  std::string value;
  std::optional<Regex> regex;  // of the two operators that have one: over the whole value

  [[nodiscard]] bool expression_matches(std::string_view text) const { return regex && regex->matches(text); }
};

// |= "a" or "b": one of the texts is in the line; != and !~: none is.
struct LineFilter {
  // Over the whole line.
  struct Expression {
    std::string text;
    Regex regex;
  };
  MatchOp op{};
  std::vector<std::string> any;
  std::vector<Expression> expressions;  // of the two operators that have them: of each text
};

enum class CompareOp : std::uint8_t { equal, not_equal, less, at_most, more, at_least };

// What stands behind a parser: (status >= 400 or method = "GET"), elapsed > 1s
struct LabelFilter {
  enum class Kind : std::uint8_t { all, any, text, number, duration, bytes };
  Kind kind{};
  std::vector<LabelFilter> parts;  // of all and any
  Matcher text;
  std::string name;  // of the last three
  CompareOp compare{};
  double bound = 0;  // a number, seconds, bytes
};

struct Stage {
  enum class Kind : std::uint8_t { line, json, logfmt, label, drop, keep };
  Kind kind{};
  LineFilter line;
  LabelFilter label;
  std::vector<std::string> names;  // of drop and keep
};

// {app="a"} |= "x" | json
struct LogQuery {
  std::vector<Matcher> matchers;
  std::vector<Stage> stages;
};

enum class RangeOp : std::uint8_t { count_over_time, rate, bytes_over_time, bytes_rate };
enum class AggregateOp : std::uint8_t { sum, min, max, avg, count, topk };

struct Grouping {
  bool without = false;
  std::vector<std::string> labels;
};

struct MetricQuery {
  enum class Kind : std::uint8_t { number, vector, range, aggregate, arithmetic };
  Kind kind{};
  double number = 0;  // of number and vector
  RangeOp range_op{};
  LogQuery log;
  std::int64_t range_ns = 0, offset_ns = 0;
  AggregateOp aggregate_op{};
  std::optional<Grouping> grouping;  // none: all series together
  std::uint64_t k = 0;               // of topk
  char arithmetic = '+';             // + - * / % ^
  std::vector<MetricQuery> parts;    // one of an aggregation, two of arithmetic
};

using Query = std::variant<LogQuery, MetricQuery>;

}  // namespace varve::language::logql
