// SPDX-License-Identifier: Apache-2.0
// Names of levels (syslog's severities) and of kinds (Contrail's types of messages).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace varve::message {

inline constexpr std::int32_t kDebug = 7;

// emerg, emergency, panic, fatal: 0; alert: 1; crit, critical: 2; err, error: 3; warn, warning: 4; notice: 5; info,
// informational: 6; debug, trace, verbose: 7; in any case.
std::optional<std::int32_t> level_of(std::string_view name);
// All that level_of() knows.
std::vector<std::string_view> level_names();
// emerg alert crit err warning notice info debug; "" for other numbers.
std::string_view level_name(std::int64_t level);

inline constexpr std::int64_t kKindMax = 12;
// invalid system request response trace buffer uve object flow trace_object syslog alarm session.
std::optional<std::int64_t> kind_of(std::string_view name);

}  // namespace varve::message
