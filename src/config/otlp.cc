// SPDX-License-Identifier: Apache-2.0
// Setters of how OTLP's metrics are named.
#include <algorithm>

#include "config/setters.h"
#include "config/units.h"

namespace varve::config {
namespace {

struct Strategy {
  std::string_view name;
  bool escapes, adds_suffixes;
};
constexpr Strategy kStrategies[] = {{"UnderscoreEscapingWithSuffixes", true, true},
                                    {"UnderscoreEscapingWithoutSuffixes", true, false},
                                    {"NoUTF8EscapingWithSuffixes", false, true},
                                    {"NoTranslation", false, false}};

}  // namespace

Status set_otlp_translation(Config& config, std::string_view text) {
  const auto* const found = std::ranges::find(kStrategies, text, &Strategy::name);
  if (found == std::end(kStrategies)) {
    return fail(Code::invalid,
                "UnderscoreEscapingWithSuffixes, UnderscoreEscapingWithoutSuffixes, NoUTF8EscapingWithSuffixes or "
                "NoTranslation");
  }
  config.otlp.escapes = found->escapes;
  config.otlp.adds_suffixes = found->adds_suffixes;
  return {};
}

Status set_otlp_promoted(Config& config, std::string_view text) {
  config.otlp.promoted.clear();
  for (const auto part : split_list(text)) {
    if (part.empty()) return fail(Code::invalid, "a list of attributes, such as k8s.pod.name,host.name");
    config.otlp.promoted.emplace_back(part);
  }
  return {};
}

}  // namespace varve::config
