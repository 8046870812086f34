// SPDX-License-Identifier: Apache-2.0
#include "protocol/rfc3339.h"

#include <chrono>

namespace varve::protocol {
namespace {

constexpr std::size_t kDayEnd = 10;  // of 2026-11-24T13:19:27
constexpr std::size_t kSecondsEnd = 19;

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

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The zone at out.zone_at: Z, +02:00, +0200, +02. None: out.end stays there.
void read_zone(std::string_view text, WrittenTime& out) {
  const std::string_view zone = text.substr(out.zone_at);
  if (zone.empty()) return;
  if (zone[0] == 'Z' || zone[0] == 'z') {
    out.ahead_s = 0;
    out.end = out.zone_at + 1;
    return;
  }
  if ((zone[0] != '+' && zone[0] != '-') || zone.size() < 3) return;
  const unsigned hours = two_digits(zone.data() + 1);
  unsigned minutes = 0;
  std::size_t end = 3;
  if (zone.size() > end && (zone[end] == ':' || is_digit(zone[end]))) {
    end += zone[end] == ':' ? 3 : 2;
    if (zone.size() < end) return;
    minutes = two_digits(zone.data() + end - 2);
  }
  if (hours > 23 || minutes > 59) return;
  const int seconds = static_cast<int>(hours * 3600 + minutes * 60);
  out.ahead_s = zone[0] == '-' ? -seconds : seconds;
  out.end = out.zone_at + end;
}

}  // namespace

std::optional<int> read_clock(std::string_view text, std::size_t at) {
  if (text.size() < at + 8) return std::nullopt;
  const char* const clock = text.data() + at;
  const unsigned hour = two_digits(clock);
  const unsigned minute = two_digits(clock + 3);
  const unsigned second = two_digits(clock + 6);
  if (clock[2] != ':' || clock[5] != ':' || hour > 23 || minute > 59 || second > 60) return std::nullopt;
  return static_cast<int>(hour * 3600 + minute * 60 + second);
}

std::size_t read_fraction(std::string_view text, std::size_t at, unsigned& nanos) {
  unsigned unit = 100'000'000;
  std::size_t end = at + 1;
  for (; end < text.size() && is_digit(text[end]); ++end, unit /= 10) {
    nanos += static_cast<unsigned>(text[end] - '0') * unit;
  }
  return end == at + 1 ? at : end;
}

std::optional<WrittenTime> begins_as_rfc3339(std::string_view text) {
  if (text.size() < kSecondsEnd) return std::nullopt;
  const char parting = text[kDayEnd];
  if (parting != 'T' && parting != 't' && parting != ' ') return std::nullopt;
  const auto days = days_of(text.data());
  const auto clock = read_clock(text, kDayEnd + 1);
  if (!days || !clock) return std::nullopt;
  unsigned nanos = 0;
  WrittenTime out;
  out.zone_at = kSecondsEnd;
  if (text.size() > kSecondsEnd && text[kSecondsEnd] == '.') out.zone_at = read_fraction(text, kSecondsEnd, nanos);
  out.end = out.zone_at;
  read_zone(text, out);
  out.local = {(*days * 86'400 + *clock) * 1'000'000 + nanos / 1000, nanos % 1000};
  return out;
}

std::optional<PreciseTime> read_rfc3339(std::string_view text) {
  const auto written = begins_as_rfc3339(text);
  if (!written || !written->ahead_s || written->end != text.size()) return std::nullopt;
  const std::string_view zone = text.substr(written->zone_at);
  if (zone.size() != 1 && (zone.size() != 6 || zone[3] != ':')) return std::nullopt;  // +02 is looser than RFC 3339
  return PreciseTime{written->local.us - *written->ahead_s * std::int64_t{1'000'000}, written->local.nanos};
}

}  // namespace varve::protocol
