// SPDX-License-Identifier: Apache-2.0
// For tests: a query of LogQL as one line of text, with all parentheses, so that a tree shows.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "language/logql/syntax.h"

namespace varve::language::testing {

inline std::string text_of(const logql::Matcher& matcher) {
  constexpr const char* kOps[] = {"=", "!=", "=~", "!~"};
  return matcher.name + kOps[static_cast<int>(matcher.op)] + "'" + matcher.value + "'";
}

inline std::string text_of(const logql::LabelFilter& filter) {
  using Kind = logql::LabelFilter::Kind;
  constexpr const char* kOps[] = {"==", "!=", "<", "<=", ">", ">="};
  std::ostringstream out;
  if (filter.kind == Kind::text) return text_of(filter.text);
  if (filter.kind == Kind::all || filter.kind == Kind::any) {
    for (const auto& part : filter.parts) {
      out << (out.str().empty() ? "(" : filter.kind == Kind::all ? " and " : " or ") << text_of(part);
    }
    return out.str() + ")";
  }
  const char* const unit = filter.kind == Kind::duration ? "s" : filter.kind == Kind::bytes ? "B" : "";
  out << filter.name << kOps[static_cast<int>(filter.compare)] << filter.bound << unit;
  return out.str();
}

inline std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (const auto& name : names) out += (out.empty() ? "" : ",") + name;
  return out;
}

inline std::string text_of(const logql::LogQuery& query) {
  constexpr const char* kLineOps[] = {"|=", "!=", "|~", "!~"};
  std::string out = "{";
  for (const auto& matcher : query.matchers) out += (out.size() > 1 ? "," : "") + text_of(matcher);
  out += "}";
  for (const auto& stage : query.stages) {
    switch (stage.kind) {
      case logql::Stage::Kind::line:
        out += std::string(" ") + kLineOps[static_cast<int>(stage.line.op)] + "'" + listed(stage.line.any) + "'";
        break;
      case logql::Stage::Kind::json: out += " | json"; break;
      case logql::Stage::Kind::logfmt: out += " | logfmt"; break;
      case logql::Stage::Kind::label: out += " | " + text_of(stage.label); break;
      case logql::Stage::Kind::drop: out += " | drop " + listed(stage.names); break;
      case logql::Stage::Kind::keep: out += " | keep " + listed(stage.names); break;
    }
  }
  return out;
}

inline std::string text_of(const logql::MetricQuery& query) {
  using Kind = logql::MetricQuery::Kind;
  constexpr const char* kRanges[] = {"count_over_time", "rate", "bytes_over_time", "bytes_rate"};
  constexpr const char* kAggregates[] = {"sum", "min", "max", "avg", "count", "topk"};
  std::ostringstream out;
  switch (query.kind) {
    case Kind::number: out << query.number; break;
    case Kind::vector: out << "vector(" << query.number << ")"; break;
    case Kind::range:
      out << kRanges[static_cast<int>(query.range_op)] << "(" << text_of(query.log) << "["
          << static_cast<double>(query.range_ns) / 1e9 << "s]";
      if (query.offset_ns != 0) out << " offset " << static_cast<double>(query.offset_ns) / 1e9 << "s";
      out << ")";
      break;
    case Kind::aggregate:
      out << kAggregates[static_cast<int>(query.aggregate_op)];
      if (query.grouping)
        out << (query.grouping->without ? " without(" : " by(") << listed(query.grouping->labels) << ")";
      out << "(";
      if (query.k != 0) out << query.k << ",";
      out << text_of(query.parts[0]) << ")";
      break;
    case Kind::arithmetic:
      out << "(" << text_of(query.parts[0]) << query.arithmetic << text_of(query.parts[1]) << ")";
      break;
  }
  return out.str();
}

}  // namespace varve::language::testing
