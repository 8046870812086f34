// SPDX-License-Identifier: Apache-2.0
// Setters of what is dropped of log messages.
#include <algorithm>
#include <string>

#include "config/setters.h"
#include "config/units.h"
#include "message/level.h"

namespace varve::config {
namespace {

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

}  // namespace

Status set_messages_shed_disk(Config& config, std::string_view text) {
  return set_shed(config.messages.shed_disk, text);
}

Status set_messages_shed_backlog(Config& config, std::string_view text) {
  return set_shed(config.messages.shed_backlog, text);
}

}  // namespace varve::config
