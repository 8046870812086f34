// SPDX-License-Identifier: Apache-2.0
#include "message/level.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/ascii.h"

namespace varve::message {
namespace {

using LevelName = std::pair<std::string_view, std::int32_t>;
constexpr std::array<LevelName, 17> kLevels{{{"emerg", 0},
                                             {"emergency", 0},
                                             {"panic", 0},
                                             {"fatal", 0},
                                             {"alert", 1},
                                             {"crit", 2},
                                             {"critical", 2},
                                             {"err", 3},
                                             {"error", 3},
                                             {"warning", 4},
                                             {"warn", 4},
                                             {"notice", 5},
                                             {"info", 6},
                                             {"informational", 6},
                                             {"debug", 7},
                                             {"verbose", 7},
                                             {"trace", 7}}};
constexpr std::array<std::string_view, kKindMax + 1> kKinds{"invalid", "system", "request", "response", "trace",
                                                            "buffer",  "uve",    "object",  "flow",     "trace_object",
                                                            "syslog",  "alarm",  "session"};

bool equals_lower(std::string_view text, std::string_view name) {
  return std::ranges::equal(text, name, {}, [](char c) { return lower(c); });
}

}  // namespace

std::optional<std::int32_t> level_of(std::string_view name) {
  const auto* const found =
      std::ranges::find_if(kLevels, [&](const LevelName& l) { return equals_lower(name, l.first); });
  if (found == kLevels.end()) return std::nullopt;
  return found->second;
}

std::vector<std::string_view> level_names() {
  std::vector<std::string_view> names;
  for (const auto& [name, level] : kLevels) names.push_back(name);
  return names;
}

std::string_view level_name(std::int64_t level) {
  // Of several names the first one is syslog's.
  const auto* const found = std::ranges::find(kLevels, level, &LevelName::second);
  return found == kLevels.end() ? std::string_view() : found->first;
}

std::optional<std::int64_t> kind_of(std::string_view name) {
  const auto* const found = std::ranges::find_if(kKinds, [&](std::string_view k) { return equals_lower(name, k); });
  if (found == kKinds.end()) return std::nullopt;
  return found - kKinds.begin();
}

}  // namespace varve::message
