// SPDX-License-Identifier: Apache-2.0
// Names of time zones behind a date's clock, as devices write them.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace varve::protocol::syslog {

struct ZoneName {
  std::optional<int> ahead_s;  // of UTC; nothing: a name that means many zones, or none
  std::size_t end = 0;         // 0: there is none
};

// A blank and a name at `at`. One that is not known is taken for a zone's only where a year, or a colon and what a
// network device says, is behind it: else it could be a host, or a program.
ZoneName zone_name_at(std::string_view text, std::size_t at);

}  // namespace varve::protocol::syslog
