// SPDX-License-Identifier: Apache-2.0
#include "protocol/rfc3339.h"

#include <chrono>

namespace varve::protocol {
namespace {

constexpr std::size_t kSecondsEnd = 19;  // of 2026-11-24T13:19:27

// The number of the two digits at `at`; above 99 if they are none.
unsigned two_digits(const char* at) {
  const auto high = static_cast<unsigned char>(at[0] - '0');
  const auto low = static_cast<unsigned char>(at[1] - '0');
  return high > 9 || low > 9 ? 100 : high * 10U + low;
}

// Days since 1970-01-01 of 2026-11-24.
std::optional<std::int64_t> days_of(const char* at) {
  const unsigned century = two_digits(at);
  const unsigned year = two_digits(at + 2);
  if (century > 99 || year > 99 || at[4] != '-' || at[7] != '-') return std::nullopt;
  const std::chrono::year_month_day date(std::chrono::year(static_cast<int>(century * 100 + year)),
                                         std::chrono::month(two_digits(at + 5)), std::chrono::day(two_digits(at + 8)));
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count();
}

// Seconds that Z or ±hh:mm is ahead of UTC.
std::optional<std::int64_t> offset_of(std::string_view zone) {
  if (zone == "Z" || zone == "z") return 0;
  if (zone.size() != 6 || (zone[0] != '+' && zone[0] != '-') || zone[3] != ':') return std::nullopt;
  const unsigned hours = two_digits(zone.data() + 1);
  const unsigned minutes = two_digits(zone.data() + 4);
  if (hours > 23 || minutes > 59) return std::nullopt;
  const auto seconds = static_cast<std::int64_t>(hours * 3600 + minutes * 60);
  return zone[0] == '-' ? -seconds : seconds;
}

}  // namespace

std::optional<PreciseTime> read_rfc3339(std::string_view text) {
  if (text.size() <= kSecondsEnd) return std::nullopt;
  const char* const at = text.data();
  const auto days = days_of(at);
  const unsigned hour = two_digits(at + 11);
  const unsigned minute = two_digits(at + 14);
  const unsigned second = two_digits(at + 17);
  const bool parted = (at[10] == 'T' || at[10] == 't' || at[10] == ' ') && at[13] == ':' && at[16] == ':';
  if (!days || !parted || hour > 23 || minute > 59 || second > 60) return std::nullopt;
  std::size_t i = kSecondsEnd;
  unsigned nanos = 0;
  if (text[i] == '.') {
    unsigned unit = 100'000'000;
    const std::size_t first = ++i;
    for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i, unit /= 10) {
      nanos += static_cast<unsigned>(text[i] - '0') * unit;
    }
    if (i == first) return std::nullopt;
  }
  const auto offset = offset_of(text.substr(i));
  if (!offset) return std::nullopt;
  const std::int64_t seconds = *days * 86'400 + hour * 3600 + minute * 60 + second - *offset;
  return PreciseTime{seconds * 1'000'000 + nanos / 1000, nanos % 1000};
}

}  // namespace varve::protocol
