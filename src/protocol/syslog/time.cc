// SPDX-License-Identifier: Apache-2.0
#include "protocol/syslog/time.h"

#include <array>
#include <chrono>
#include <cstdlib>
#include <optional>

#include "base/ascii.h"

namespace varve::protocol::syslog {
namespace {

// The number that `digits` digits at `at` are, or -1.
int number_at(std::string_view text, std::size_t at, std::size_t digits) {
  if (text.size() < at + digits) return -1;
  int out = 0;
  for (std::size_t i = at; i < at + digits; ++i) {
    const int digit = text[i] - '0';
    if (digit < 0 || digit > 9) return -1;
    out = out * 10 + digit;
  }
  return out;
}

bool is_at(std::string_view text, std::size_t at, char c) { return at < text.size() && text[at] == c; }

bool ends_at(std::string_view text, std::size_t at) { return at >= text.size() || text[at] == ' '; }

// Seconds since 1970 of a date's begin, as if it were UTC; none: not in the calendar.
std::optional<std::int64_t> day_start(int year, int month, int day) {
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  return std::int64_t{std::chrono::sys_days(date).time_since_epoch().count()} * 86'400;
}

// A point or comma and digits, if they are there; returns where they end.
std::size_t fraction_at(std::string_view text, std::size_t at, PreciseTime& out) {
  if (!is_at(text, at, '.') && !is_at(text, at, ',')) return at;
  unsigned nanos = 0;
  const std::size_t end = read_fraction(text, at, nanos);
  out.us += nanos / 1000;
  out.nanos = nanos % 1000;
  return end;
}

std::int64_t utc_us(std::int64_t local_seconds, model::TimeZone zone) {
  return zone.to_utc(local_seconds * 1000) * 1000;
}

int month_at(std::string_view text, std::size_t at) {
  constexpr std::string_view kMonths = "janfebmaraprmayjunjulaugsepoctnovdec";
  if (text.size() < at + 3) return 0;
  const std::array<char, 3> name{lower(text[at]), lower(text[at + 1]), lower(text[at + 2])};
  for (std::size_t i = 0; i < kMonths.size(); i += 3) {
    if (kMonths.substr(i, 3) == std::string_view(name.data(), 3)) return static_cast<int>(i / 3) + 1;
  }
  return 0;
}

// The day's begin in the year that brings it, with the seconds of its clock, nearest to now (all local). The 29th of
// February may be eight years away.
std::optional<std::int64_t> nearest(int month, int day, int clock, std::int64_t now) {
  using namespace std::chrono;
  const auto today = floor<days>(sys_seconds(seconds(now)));
  const int this_year = static_cast<int>(year_month_day(today).year());
  std::optional<std::int64_t> best;
  for (int away = 0; away <= 8 && (away <= 1 || !best); ++away) {
    for (const int year : {this_year - away, this_year + away}) {
      const auto start = day_start(year, month, day);
      if (start && (!best || std::abs(*start + clock - now) < std::abs(*best + clock - now))) best = start;
    }
  }
  return best;
}

struct BsdDay {
  int month = 0;
  int day = 0;
  int year = -1;        // it says none
  std::size_t end = 0;  // where the clock begins; 0: it is no date
};

// Oct  3, Oct 03, Oct 3, Oct  3 2023.
BsdDay bsd_day(std::string_view text) {
  BsdDay out;
  std::size_t at = is_at(text, 0, '*') || is_at(text, 0, '.') ? 1 : 0;
  out.month = month_at(text, at);
  if (out.month == 0 || !is_at(text, at + 3, ' ')) return {};
  at += is_at(text, at + 4, ' ') ? 5 : 4;
  const std::size_t digits = number_at(text, at, 2) >= 0 ? 2 : 1;
  out.day = number_at(text, at, digits);
  at += digits;
  if (out.day < 1 || !is_at(text, at, ' ')) return {};
  out.year = number_at(text, ++at, 4);
  if (out.year >= 0) {
    if (!is_at(text, at + 4, ' ')) return {};
    at += 5;
  }
  out.end = at;
  return out;
}

}  // namespace

bool take_rfc3339(std::string_view& text, model::TimeZone zone, PreciseTime& out) {
  const auto written = begins_as_rfc3339(text);
  if (!written || text[10] == ' ' || !ends_at(text, written->end)) return false;
  out = written->local;
  if (written->ahead_s) {
    out.us -= *written->ahead_s * std::int64_t{1'000'000};
  } else {
    const std::int64_t seconds = model::window_start(out.us, 1'000'000) / 1'000'000;
    out.us += utc_us(seconds, zone) - seconds * 1'000'000;
  }
  text.remove_prefix(written->end);
  return true;
}

bool take_bsd_date(std::string_view& text, std::int64_t now_us, model::TimeZone zone, PreciseTime& out) {
  const BsdDay date = bsd_day(text);
  const auto clock = date.end != 0 ? read_clock(text, date.end) : std::nullopt;
  if (!clock) return false;
  PreciseTime found;
  std::size_t end = fraction_at(text, date.end + 8, found);
  if (const auto named = text.substr(end, 4); named == " UTC" || named == " GMT") {
    if (ends_at(text, end + 4) || text[end + 4] == ':') {
      zone = {};
      end += 4;
    }
  }
  if (is_at(text, end, ':')) ++end;
  if (!ends_at(text, end)) return false;
  const std::int64_t now = model::window_start(zone.to_local(model::window_start(now_us, 1000) / 1000), 1000) / 1000;
  const auto start =
      date.year >= 0 ? day_start(date.year, date.month, date.day) : nearest(date.month, date.day, *clock, now);
  if (!start) return false;
  found.us += utc_us(*start + *clock, zone);
  out = found;
  text.remove_prefix(end);
  return true;
}

}  // namespace varve::protocol::syslog
