// SPDX-License-Identifier: Apache-2.0
#include "protocol/syslog/time.h"

#include <array>
#include <chrono>
#include <cstdlib>
#include <optional>

#include "base/ascii.h"
#include "protocol/syslog/zone_name.h"

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

// The day's begin in the year that brings it, with the seconds of its clock, nearest to now and not behind `last` (all
// local). The 29th of February may be eight years away.
std::optional<std::int64_t> nearest(int month, int day, int clock, std::int64_t now, std::int64_t last) {
  using namespace std::chrono;
  const auto today = floor<days>(sys_seconds(seconds(now)));
  const int this_year = static_cast<int>(year_month_day(today).year());
  std::optional<std::int64_t> best;
  for (int away = 0; away <= 8 && (away <= 1 || !best); ++away) {
    for (const int year : {this_year - away, this_year + away}) {
      const auto start = day_start(year, month, day);
      if (!start || *start + clock > last) continue;
      if (!best || std::abs(*start + clock - now) < std::abs(*best + clock - now)) best = start;
    }
  }
  return best;
}

struct Day {
  int month = 0;
  int day = 0;
  int year = -1;        // it says none
  std::size_t end = 0;  // where the clock begins; 0: it is no date
};

// A year with a blank behind at `at`, or -1.
int year_at(std::string_view text, std::size_t at) { return is_at(text, at + 4, ' ') ? number_at(text, at, 4) : -1; }

// Oct  3, Oct 03, Oct 3, Oct  3 2023, 2023 Oct  3.
Day day_of(std::string_view text) {
  Day out;
  std::size_t at = is_at(text, 0, '*') || is_at(text, 0, '.') ? 1 : 0;
  out.year = year_at(text, at);
  if (out.year >= 0) at += 5;
  out.month = month_at(text, at);
  if (out.month == 0 || !is_at(text, at + 3, ' ')) return {};
  at += is_at(text, at + 4, ' ') ? 5 : 4;
  const std::size_t digits = number_at(text, at, 2) >= 0 ? 2 : 1;
  out.day = number_at(text, at, digits);
  at += digits;
  if (out.day < 1 || !is_at(text, at, ' ')) return {};
  ++at;
  if (const int year = out.year < 0 ? year_at(text, at) : -1; year >= 0) {
    out.year = year;
    at += 5;
  }
  out.end = at;
  return out;
}

// The begin of a day that names no year.
std::optional<std::int64_t> of_year(const Day& date, int clock, const Context& context) {
  const auto local = [&](std::int64_t us) {
    return model::window_start(context.zone.to_local(model::window_start(us, 1000) / 1000), 1000) / 1000;
  };
  return nearest(date.month, date.day, clock, local(context.now_us), local(context.now_us + context.ahead_us_max));
}

// A colon behind a date, perhaps with a blank or two before it; returns where it ends, `at` if there is none.
std::size_t colon_at(std::string_view text, std::size_t at) {
  if (is_at(text, at, ':')) return at + 1;
  if (!is_at(text, at + 1, ' ') && !is_at(text, at + 1, ':')) return at;
  const std::size_t next = text.find_first_not_of(' ', at);
  return next != std::string_view::npos && next <= at + 2 && text[next] == ':' && is_at(text, next + 1, ' ') ? next + 1
                                                                                                             : at;
}

// Of a local time, in a zone that has a name or in the listener's.
std::int64_t utc_us(std::int64_t local_seconds, const ZoneName& named, model::TimeZone zone) {
  return named.ahead_s ? (local_seconds - *named.ahead_s) * 1'000'000 : utc_us(local_seconds, zone);
}

// What stands between the clock, where `end` is, and the rest.
ZoneName take_zone(std::string_view text, std::size_t& end) {
  const ZoneName named = zone_name_at(text, end);
  if (named.end != 0) end = named.end;
  return named;
}

// 2003-10-11 22:14:15.
bool take_iso_with_blank(std::string_view& text, model::TimeZone zone, Date& out) {
  const auto written = begins_as_rfc3339(text);
  if (!written || text[10] != ' ') return false;
  std::size_t end = written->end;
  ZoneName named{.ahead_s = written->ahead_s, .end = 0};
  if (!written->ahead_s) named = take_zone(text, end);
  const std::size_t colon = colon_at(text, end);
  if (!ends_at(text, colon)) return false;
  const std::int64_t seconds = model::window_start(written->local.us, 1'000'000) / 1'000'000;
  out.time = written->local;
  out.time.us += utc_us(seconds, named, zone) - seconds * 1'000'000;
  out.closed = colon != end;
  out.loose = true;
  text.remove_prefix(colon);
  return true;
}

}  // namespace

bool take_rfc3339(std::string_view& text, model::TimeZone zone, PreciseTime& out) {
  const auto written = begins_as_rfc3339(text);
  if (!written || text[10] == ' ' || !ends_at(text, written->end)) return false;
  out = written->local;
  const std::int64_t seconds = model::window_start(out.us, 1'000'000) / 1'000'000;
  out.us += utc_us(seconds, {.ahead_s = written->ahead_s, .end = 0}, zone) - seconds * 1'000'000;
  text.remove_prefix(written->end);
  return true;
}

bool take_date(std::string_view& text, const Context& context, Date& out) {
  const bool digit_first = !text.empty() && text[0] >= '0' && text[0] <= '9';
  if (digit_first) {
    out = {};
    if (take_rfc3339(text, context.zone, out.time) || take_iso_with_blank(text, context.zone, out)) return true;
  }
  Day date = day_of(text);
  const auto clock = date.end != 0 ? read_clock(text, date.end) : std::nullopt;
  if (!clock) return false;
  PreciseTime found;
  std::size_t end = fraction_at(text, date.end + 8, found);
  const ZoneName named = take_zone(text, end);
  if (date.year < 0 && is_at(text, end, ' ') && year_at(text, end + 1) >= 0) {
    date.year = year_at(text, end + 1);
    end += 5;
  }
  const std::size_t colon = colon_at(text, end);
  if (!ends_at(text, colon)) return false;
  const auto start = date.year >= 0 ? day_start(date.year, date.month, date.day) : of_year(date, *clock, context);
  if (!start) return false;
  found.us += utc_us(*start + *clock, named, context.zone);
  out = {.time = found, .closed = colon != end, .loose = digit_first};
  text.remove_prefix(colon);
  return true;
}

}  // namespace varve::protocol::syslog
