// SPDX-License-Identifier: Apache-2.0
// Times as texts: 2026-11-24T13:19:27.123456789+01:00, as RFC 3339 has them (also with a blank for T, in lower case).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace varve::protocol {

struct PreciseTime {
  std::int64_t us = 0;  // since 1970-01-01 UTC, rounded down
  unsigned nanos = 0;   // behind it: 0 … 999
  bool operator==(const PreciseTime&) const = default;
};

// All of `text`. A second of 60 is the next one; digits beyond nanoseconds are cut off. Nothing if it is anything else,
// names a day or an hour that does not exist, or has no zone.
std::optional<PreciseTime> read_rfc3339(std::string_view text);

}  // namespace varve::protocol
