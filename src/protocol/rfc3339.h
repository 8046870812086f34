// SPDX-License-Identifier: Apache-2.0
// Times as texts: 2026-11-24T13:19:27.123456789+01:00, as RFC 3339 has them (also with a blank for T, in lower case).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace varve::protocol {

struct PreciseTime {
  std::int64_t us = 0;  // since 1970-01-01 UTC, rounded down
  unsigned nanos = 0;   // behind it: 0 … 999
  bool operator==(const PreciseTime&) const = default;
};

// What a text begins with.
struct WrittenTime {
  PreciseTime local;           // as if it were UTC
  std::optional<int> ahead_s;  // that its zone is of UTC; nothing: it names none
  std::size_t zone_at = 0;     // where the zone is in the text, and where it ends
  std::size_t end = 0;
};

// Also without a zone, and with one as +0200 or +02.
std::optional<WrittenTime> begins_as_rfc3339(std::string_view text);

// hh:mm:ss at `at`, in seconds; a second of 60 is the next one. Nothing: that is not there.
std::optional<int> read_clock(std::string_view text, std::size_t at);

// The digits behind `at`, where a point is, into nanoseconds; more than nine are cut off. Returns where they end: `at`
// if there are none.
std::size_t read_fraction(std::string_view text, std::size_t at, unsigned& nanos);

// All of `text`. A second of 60 is the next one; digits beyond nanoseconds are cut off. Nothing if it is anything else,
// names a day or an hour that does not exist, or has no zone.
std::optional<PreciseTime> read_rfc3339(std::string_view text);

}  // namespace varve::protocol
