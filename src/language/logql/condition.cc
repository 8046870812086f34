// SPDX-License-Identifier: Apache-2.0
#include "language/logql/condition.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "language/logql/labels.h"
#include "language/logql/log_parser.h"
#include "message/level.h"

namespace varve::language::logql {
namespace {

using message::Column;
using message::Condition;
using message::Op;
using Join = Condition::Kind;

constexpr std::int64_t kLevels = 8;
constexpr std::string_view kAnything = "(?s).+";
constexpr std::string_view kAnyText = "(?s).*";

Condition joined(Join kind, std::vector<Condition> parts) {
  if (parts.size() == 1 && kind != Join::none) return std::move(parts.front());
  return {kind, std::move(parts), {}};
}
Condition negated(Condition condition) {
  std::vector<Condition> parts;
  parts.push_back(std::move(condition));
  return joined(Join::none, std::move(parts));
}
Condition either(Condition a, Condition b) {
  std::vector<Condition> parts;
  parts.push_back(std::move(a));
  parts.push_back(std::move(b));
  return joined(Join::any, std::move(parts));
}

Condition level_is(std::int64_t level) {
  return Condition::of(*message::make_range(Column::level, "", Op::in_range, level, level));
}

// A level by any of its names.
Condition levels(Op op, std::string_view value, const std::optional<Regex>& regex) {
  std::array<bool, kLevels> has{};
  for (const std::string_view name : message::level_names()) {
    const auto level = message::level_of(name);
    const bool fits = op == Op::regex ? regex && regex->matches(name) : level == message::level_of(value);
    if (level && fits) has[static_cast<std::size_t>(*level)] = true;
  }
  std::vector<Condition> any;
  for (std::int64_t level = 0; level < kLevels; ++level) {
    if (has[static_cast<std::size_t>(level)]) any.push_back(level_is(level));
  }
  return joined(Join::any, std::move(any));
}

Result<message::Term> term_of(Column column, std::string_view field, Op op, std::string_view value,
                              const std::optional<Regex>& regex) {
  if (regex) return message::make_term(column, field, *regex, value);
  return message::make_term(column, field, op, value);
}

// One of the cells that are the label fulfils it, which is not empty.
Result<Condition> some_cell(std::string_view name, Op op, std::string_view value, const std::optional<Regex>& regex,
                            const Source& source) {
  std::vector<Condition> any;
  VARVE_ASSIGN_OR_RETURN(auto fields, source.field_names(name));
  fields.emplace_back(name);
  for (const std::string& field : fields) {
    VARVE_ASSIGN_OR_RETURN(auto term, term_of(Column::field, field, op, value, regex));
    any.push_back(Condition::of(std::move(term)));
  }
  if (const auto column = label_column(name)) {
    if (*column == Column::level) {
      any.push_back(levels(op, value, regex));
    } else {
      VARVE_ASSIGN_OR_RETURN(auto term, term_of(*column, "", op, value, regex));
      any.push_back(Condition::of(std::move(term)));
    }
  }
  return joined(Join::any, std::move(any));
}

Result<Condition> has_cell(std::string_view name, const Source& source) {
  static const Regex anything = *Regex::compile(kAnything);
  return some_cell(name, Op::regex, kAnything, anything, source);
}

// The label's value is it, or matches; an absent one is empty.
Result<Condition> is_it(const Matcher& matcher, const Source& source) {
  const bool by_regex = matcher.regex.has_value();
  if (!by_regex && matcher.value.empty()) {
    VARVE_ASSIGN_OR_RETURN(Condition has, has_cell(matcher.name, source));
    return negated(std::move(has));
  }
  VARVE_ASSIGN_OR_RETURN(
      Condition some, some_cell(matcher.name, by_regex ? Op::regex : Op::equal, matcher.value, matcher.regex, source));
  if (!by_regex || !matcher.expression_matches("")) return some;
  VARVE_ASSIGN_OR_RETURN(Condition has, has_cell(matcher.name, source));
  return either(std::move(some), negated(std::move(has)));
}

bool is_negative(MatchOp op) { return op == MatchOp::not_equal || op == MatchOp::not_regex; }

Result<Condition> condition_of_matcher(const Matcher& matcher, const Source& source) {
  VARVE_ASSIGN_OR_RETURN(Condition out, is_it(matcher, source));
  return is_negative(matcher.op) ? negated(std::move(out)) : std::move(out);
}

Condition line_matches(const LineFilter::Expression& expression) {
  static const Regex any_text = *Regex::compile(kAnyText);
  Condition out = Condition::of(message::make_term(Column::text, "", expression.regex, expression.text));
  if (!expression.regex.matches("")) return out;
  Condition has_text = Condition::of(message::make_term(Column::text, "", any_text, kAnyText));
  return either(std::move(out), negated(std::move(has_text)));  // a message without a text
}

Result<Condition> condition_of_line(const LineFilter& filter) {
  std::vector<Condition> any;
  const bool by_regex = filter.op == MatchOp::regex || filter.op == MatchOp::not_regex;
  for (std::size_t i = 0; i < filter.any.size(); ++i) {
    const std::string& text = filter.any[i];
    if (text.empty()) {
      any.emplace_back();  // in every line
    } else if (by_regex) {
      any.push_back(line_matches(filter.expressions[i]));
    } else {
      VARVE_ASSIGN_OR_RETURN(auto term, message::make_term(Column::text, "", Op::contains, text));
      any.push_back(Condition::of(std::move(term)));
    }
  }
  Condition out = joined(Join::any, std::move(any));
  return is_negative(filter.op) ? negated(std::move(out)) : std::move(out);
}

// What lines that fulfil the filter fulfil, as far as the store can say so; nullopt: it cannot.
Result<std::optional<Condition>> condition_of_label(const LabelFilter& filter, const Source& source) {
  if (filter.kind == LabelFilter::Kind::text) {
    // Which of two cells is the label, the store does not know: it can find what one of them is, not what one is not.
    if (is_negative(filter.text.op) || fits_empty(filter.text) || filter.text.name.starts_with("__")) {
      return std::optional<Condition>();
    }
    // Nor whether it is one that has "_extracted" behind its name.
    if (filter.text.name.ends_with("_extracted")) return std::optional<Condition>();
    VARVE_ASSIGN_OR_RETURN(Condition some, is_it(filter.text, source));
    return some;
  }
  std::vector<Condition> parts;
  for (const LabelFilter& part : filter.parts) {
    VARVE_ASSIGN_OR_RETURN(auto one, condition_of_label(part, source));
    if (one) parts.push_back(std::move(*one));
    if (!one && filter.kind == LabelFilter::Kind::any) return std::optional<Condition>();
  }
  if (parts.empty()) return std::optional<Condition>();
  return joined(filter.kind == LabelFilter::Kind::any ? Join::any : Join::all, std::move(parts));
}

Status add_matchers(const std::vector<Matcher>& matchers, const Source& source, Condition& out) {
  for (const Matcher& matcher : matchers) {
    VARVE_ASSIGN_OR_RETURN(out.parts.emplace_back(), condition_of_matcher(matcher, source));
  }
  return {};
}

}  // namespace

Result<Condition> condition_of(const LogQuery& query, const Source& source) {
  Condition out;
  VARVE_RETURN_IF_ERROR(add_matchers(query.matchers, source, out));
  bool as_stored = true;  // labels are those of the message still
  for (const Stage& stage : query.stages) {
    if (stage.kind == Stage::Kind::line) {
      VARVE_ASSIGN_OR_RETURN(out.parts.emplace_back(), condition_of_line(stage.line));
    } else if (stage.kind == Stage::Kind::label && as_stored) {
      VARVE_ASSIGN_OR_RETURN(auto condition, condition_of_label(stage.label, source));
      if (condition) out.parts.push_back(std::move(*condition));
    } else {
      as_stored = false;
    }
  }
  return out;
}

Result<Condition> condition_of(const std::vector<Matcher>& matchers, const Source& source) {
  Condition out;
  VARVE_RETURN_IF_ERROR(add_matchers(matchers, source, out));
  return out;
}

}  // namespace varve::language::logql
