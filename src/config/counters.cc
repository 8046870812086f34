// SPDX-License-Identifier: Apache-2.0
// Setters of which metrics are counters.
#include <string>

#include "config/setters.h"
#include "config/units.h"

namespace varve::config {

namespace {

constexpr std::int64_t kFrequencyLeastMs = 1000, kFrequencyMostMs = 365LL * 86'400'000;

// PATTERN:FREQUENCY; a pattern may hold colons.
Result<counter::Pattern> counter_pattern_of(std::string_view entry) {
  const std::size_t colon = entry.rfind(':');
  const auto wrong = [&](std::string_view why) { return wrong_entry(entry, why); };
  if (colon == std::string_view::npos || colon == 0) return wrong("is not PATTERN:FREQUENCY, such as *_total:1m");
  const auto frequency = parse_duration_ms(entry.substr(colon + 1));
  if (!frequency || *frequency < kFrequencyLeastMs || *frequency > kFrequencyMostMs) {
    return wrong("needs a frequency from 1s to 1y, such as 1m");
  }
  return counter::Pattern{std::string(entry.substr(0, colon)), *frequency};
}

}  // namespace

Status set_counters(Config& config, std::string_view text) {
  std::vector<counter::Pattern> counters;
  for (const auto entry : split_list(text)) {
    VARVE_ASSIGN_OR_RETURN(counters.emplace_back(), counter_pattern_of(entry));
  }
  config.counters = std::move(counters);
  return {};
}

Status set_counter_suffixes(Config& config, std::string_view text) {
  config.counter_suffixes.clear();
  for (const auto part : split_list(text)) {
    if (part.empty()) return fail(Code::invalid, "a list of name endings, such as reads,writes");
    config.counter_suffixes.emplace_back(part);
  }
  return {};
}

}  // namespace varve::config
