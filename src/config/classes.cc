// SPDX-License-Identifier: Apache-2.0
// Setters of what is kept for another time: classes of log messages, and of series.
#include <algorithm>
#include <string>

#include "config/setters.h"
#include "config/units.h"

namespace varve::config {
namespace {

bool is_class_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '-';
  });
}

// NAME:RETENTION:CONDITION into a rule; values in conditions may hold colons. `form` is said where it is not that.
template <class Rule, class Read>
Result<Rule> class_of(std::string_view entry, std::string_view form, const Read& read_condition) {
  const std::size_t first = entry.find(':');
  const std::size_t second = first == std::string_view::npos ? first : entry.find(':', first + 1);
  if (second == std::string_view::npos) return wrong_entry(entry, "is not " + std::string(form));
  Rule rule;
  rule.name = entry.substr(0, first);
  if (!is_class_name(rule.name)) return wrong_entry(entry, "needs a name of 1 to 64 of A-Z a-z 0-9 . _ -");
  const auto retention = parse_duration_ms(entry.substr(first + 1, second - first - 1));
  if (!retention) return wrong_entry(entry, "needs a retention: a whole number with a unit, such as 90d");
  if (*retention < 1000) return wrong_entry(entry, "needs a retention of at least 1s, such as 90d");
  rule.retention_ms = *retention;
  const Status read = read_condition(entry.substr(second + 1), rule);
  if (!read) return wrong_entry(entry, read.error().message);
  return rule;
}

template <class Rule, class Read>
Status set_classes(std::vector<Rule>& field, std::string_view text, std::string_view form, const Read& read_condition) {
  std::vector<Rule> classes;
  for (const auto entry : split_list(text)) {
    VARVE_ASSIGN_OR_RETURN(Rule rule, class_of<Rule>(entry, form, read_condition));
    const auto known = std::ranges::find(classes, rule.name, &Rule::name);
    if (known != classes.end() && known->retention_ms != rule.retention_ms) {
      return wrong_entry(entry, "has another retention than '" + rule.name + "' before it");
    }
    classes.push_back(std::move(rule));
  }
  field = std::move(classes);
  return {};
}

}  // namespace

Status set_messages_classes(Config& config, std::string_view text) {
  return set_classes(config.messages.classes, text,
                     "NAME:RETENTION:COLUMN=VALUE, such as audit:90d:type=VncApiConfigLog",
                     message::read_class_condition);
}

Status set_retention_classes(Config& config, std::string_view text) {
  constexpr std::size_t kMost = rollup::RetentionClasses::kMost;
  std::vector<rollup::RetentionRule> rules;
  VARVE_RETURN_IF_ERROR(set_classes(rules, text, "NAME:RETENTION:CONDITION, such as brief:3d:metric=debug.*",
                                    rollup::read_retention_conditions));
  if (rules.size() > kMost) return fail(Code::invalid, "a list of at most " + std::to_string(kMost) + " entries");
  config.retention_classes = std::move(rules);
  return {};
}

}  // namespace varve::config
