// SPDX-License-Identifier: Apache-2.0
// Setters of what is kept of log messages, and of what is dropped.
#include <algorithm>
#include <string>

#include "config/setters.h"
#include "config/units.h"
#include "message/level.h"

namespace varve::config {
namespace {

std::unexpected<Error> wrong_entry(std::string_view entry, const std::string& why) {
  return fail(Code::invalid, "'" + std::string(entry) + "' " + why);
}

// high/low:level
Result<Shed> shed_of(std::string_view entry) {
  constexpr std::uint64_t kMost = 100;
  const std::size_t slash = entry.find('/');
  const std::size_t colon = entry.find(':');
  if (slash == std::string_view::npos || colon == std::string_view::npos || colon < slash) {
    return wrong_entry(entry, "is not high/low:level, such as 85/80:debug");
  }
  const auto high = parse_count(entry.substr(0, slash));
  const auto low = parse_count(entry.substr(slash + 1, colon - slash - 1));
  if (!high || !low || *high > kMost || *low > *high) {
    return wrong_entry(entry, "needs whole percentages from 0 to 100, the first not below the second");
  }
  const std::string_view name = entry.substr(colon + 1);
  auto level = message::level_of(name);
  if (!level && name.size() == 1 && name[0] >= '0' && name[0] <= '7') level = name[0] - '0';
  if (!level) {
    return wrong_entry(entry, "needs a level: emerg, alert, crit, err, warning, notice, info, debug, or 0 to 7");
  }
  return Shed{static_cast<unsigned>(*high), static_cast<unsigned>(*low), *level};
}

Status set_shed(std::vector<Shed>& field, std::string_view text) {
  std::vector<Shed> marks;
  for (const auto entry : split_list(text)) {
    VARVE_ASSIGN_OR_RETURN(marks.emplace_back(), shed_of(entry));
  }
  field = std::move(marks);
  return {};
}

bool is_class_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '-';
  });
}

// NAME:RETENTION:COLUMN=VALUE; values may hold colons.
Result<message::ClassRule> class_of(std::string_view entry) {
  const std::size_t first = entry.find(':');
  const std::size_t second = first == std::string_view::npos ? first : entry.find(':', first + 1);
  if (second == std::string_view::npos) {
    return wrong_entry(entry, "is not NAME:RETENTION:COLUMN=VALUE, such as audit:90d:type=VncApiConfigLog");
  }
  message::ClassRule rule;
  rule.name = entry.substr(0, first);
  if (!is_class_name(rule.name)) return wrong_entry(entry, "needs a name of 1 to 64 of A-Z a-z 0-9 . _ -");
  const auto retention = parse_duration_ms(entry.substr(first + 1, second - first - 1));
  if (!retention || *retention < 1000) return wrong_entry(entry, "needs a retention of at least 1s, such as 90d");
  rule.retention_ms = *retention;
  const Status read = message::read_class_condition(entry.substr(second + 1), rule);
  if (!read) return wrong_entry(entry, read.error().message);
  return rule;
}

}  // namespace

Status set_messages_classes(Config& config, std::string_view text) {
  std::vector<message::ClassRule> classes;
  for (const auto entry : split_list(text)) {
    VARVE_ASSIGN_OR_RETURN(message::ClassRule rule, class_of(entry));
    const auto known = std::ranges::find(classes, rule.name, &message::ClassRule::name);
    if (known != classes.end() && known->retention_ms != rule.retention_ms) {
      return wrong_entry(entry, "has another retention than '" + rule.name + "' before it");
    }
    classes.push_back(std::move(rule));
  }
  config.messages.classes = std::move(classes);
  return {};
}

Status set_messages_shed_disk(Config& config, std::string_view text) {
  return set_shed(config.messages.shed_disk, text);
}

Status set_messages_shed_backlog(Config& config, std::string_view text) {
  return set_shed(config.messages.shed_backlog, text);
}

}  // namespace varve::config
