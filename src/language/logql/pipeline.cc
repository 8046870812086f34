// SPDX-License-Identifier: Apache-2.0
#include "language/logql/pipeline.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "language/logql/units.h"

namespace varve::language::logql {
namespace {

bool fulfils_text(const Matcher& matcher, std::string_view value) {
  switch (matcher.op) {
    case MatchOp::equal: return value == matcher.value;
    case MatchOp::not_equal: return value != matcher.value;
    case MatchOp::regex: return matcher.expression_matches(value);
    case MatchOp::not_regex: return !matcher.expression_matches(value);
  }
  return false;
}

bool compares(CompareOp op, double value, double bound) {
  switch (op) {
    case CompareOp::equal: return value == bound;
    case CompareOp::not_equal: return value != bound;
    case CompareOp::less: return value < bound;
    case CompareOp::at_most: return value <= bound;
    case CompareOp::more: return value > bound;
    case CompareOp::at_least: return value >= bound;
  }
  return false;
}

std::optional<double> value_of(LabelFilter::Kind kind, std::string_view text) {
  if (kind == LabelFilter::Kind::bytes) return bytes_of(text);
  if (kind == LabelFilter::Kind::number) return number_of(text);
  const auto ns = go_duration_ns(text);
  if (!ns) return std::nullopt;
  return static_cast<double>(*ns) / static_cast<double>(kSecondNs);
}

// As in Loki: a line with an error passes, so that it is seen; one without the label does not.
bool fulfils_number(const LabelFilter& filter, Labels& labels) {
  if (labels.has_error()) return true;
  const std::string_view text = labels.get(filter.name);
  if (text.empty()) return false;
  const auto value = value_of(filter.kind, text);
  if (value) return compares(filter.compare, *value, filter.bound);
  labels.set_error("LabelFilterErr", labels.keep("cannot compare label " + filter.name + ": \"" +
                                                 std::string(text.substr(0, 100)) + "\""));
  return true;
}

bool fulfils_label(const LabelFilter& filter, Labels& labels) {
  const auto one = [&](const LabelFilter& part) { return fulfils_label(part, labels); };
  switch (filter.kind) {
    case LabelFilter::Kind::all: return std::ranges::all_of(filter.parts, one);
    case LabelFilter::Kind::any: return std::ranges::any_of(filter.parts, one);
    case LabelFilter::Kind::text: return fulfils_text(filter.text, labels.get(filter.text.name));
    default: return fulfils_number(filter, labels);
  }
}

// Dropping the error drops what is said about it.
bool names_label(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name == kErrorDetails ? kError : name) != names.end() ||
         std::ranges::find(names, name) != names.end();
}

}  // namespace

bool run_stages(const LogQuery& query, Labels& labels) {
  for (const Stage& stage : query.stages) {
    switch (stage.kind) {
      case Stage::Kind::line: break;  // the store has seen to it
      case Stage::Kind::json: parse_json(labels); break;
      case Stage::Kind::logfmt: parse_logfmt(labels); break;
      case Stage::Kind::label:
        if (!fulfils_label(stage.label, labels)) return false;
        break;
      case Stage::Kind::drop:
        labels.filter([&](const Label& label) { return !names_label(stage.names, label.name); });
        break;
      case Stage::Kind::keep:
        labels.filter(
            [&](const Label& label) { return label.name.starts_with("__") || names_label(stage.names, label.name); });
        break;
    }
  }
  return true;
}

}  // namespace varve::language::logql
