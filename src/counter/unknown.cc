// SPDX-License-Identifier: Apache-2.0
#include "counter/unknown.h"

namespace varve::counter {

std::optional<WhyUnknown> why_unknown(const Sample<std::uint64_t>& from, const Sample<std::uint64_t>& to,
                                      const Declaration& declaration) {
  Rules rules = rules_at(declaration, to.time);
  std::uint64_t increase = 0;
  if (grew(from, to, rules, increase)) return std::nullopt;
  const auto length_ms = static_cast<std::uint64_t>(to.time) - static_cast<std::uint64_t>(from.time);
  if (length_ms > static_cast<std::uint64_t>(rules.gap_ms)) return WhyUnknown::gap;
  rules.max_per_second = rules.max_wrap_per_second = std::nullopt;
  return grew(from, to, rules, increase) ? WhyUnknown::speed : WhyUnknown::fell;
}

}  // namespace varve::counter
