// SPDX-License-Identifier: Apache-2.0
#include "model/instant.h"

#include <charconv>
#include <chrono>

#include "model/time_scanner.h"

namespace varve::model {
namespace {

// Z, +01:00, and if `is_short` +0100, +01 and a blank that a URL made of '+'.
std::optional<std::int64_t> take_offset_ms(TimeScanner& in, bool is_short) {
  if (in.take('Z')) return 0;
  const bool east = in.take('+') || (is_short && in.take(' '));
  if (!east && !in.take('-')) return std::nullopt;
  std::int64_t hours = 0;
  std::int64_t minutes = 0;
  if (!in.number(2, 2, hours)) return std::nullopt;
  const bool colon = in.take(':');
  if (!is_short && !colon) return std::nullopt;
  if ((colon || !in.at_end()) && !in.number(2, 2, minutes)) return std::nullopt;
  if (hours > 18 || minutes > 59) return std::nullopt;
  const std::int64_t ms = hours * kHourMs + minutes * kMinuteMs;
  return east ? ms : -ms;
}

}  // namespace

void append_padded(std::string& out, std::int64_t number, std::size_t width) {
  char digits[20];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  const auto size = static_cast<std::size_t>(end - digits);
  if (size < width) out.append(width - size, '0');
  out.append(digits, size);
}

void append_instant(std::string& out, Timestamp t) {
  // std::chrono's years end at 32767; after 400 of them all repeats.
  constexpr std::int64_t kCycleYears = 400;
  constexpr std::int64_t kCycleDays = 146'097;
  const std::int64_t day = window_start(t, kDayMs) / kDayMs;
  const std::int64_t in_day = t - day * kDayMs;
  const std::int64_t cycle_day = window_start(day, kCycleDays);
  const std::chrono::year_month_day date(std::chrono::sys_days(std::chrono::days(day - cycle_day)));
  const std::int64_t year = int{date.year()} + cycle_day / kCycleDays * kCycleYears;
  if (year < 0) out += '-';
  if (year > 9999) out += '+';
  append_padded(out, year < 0 ? -year : year, 4);
  out += '-';
  append_padded(out, unsigned{date.month()}, 2);
  out += '-';
  append_padded(out, unsigned{date.day()}, 2);
  out += 'T';
  append_padded(out, in_day / kHourMs, 2);
  out += ':';
  append_padded(out, in_day / kMinuteMs % 60, 2);
  out += ':';
  append_padded(out, in_day / kSecondMs % 60, 2);
  if (in_day % kSecondMs != 0) {
    out += '.';
    append_padded(out, in_day % kSecondMs, 3);
  }
  out += 'Z';
}

std::optional<Timestamp> parse_instant(std::string_view text, InstantForm form) {
  TimeScanner in(text);
  const auto day = in.date('-', form.any_year);
  if (!day || !in.take('T')) return std::nullopt;
  bool has_seconds = false;
  const auto clock = in.clock(&has_seconds);
  if (!clock) return std::nullopt;
  std::int64_t ms = 0;
  const bool may_have_fraction = has_seconds || form.any_fraction;
  if (may_have_fraction && in.take('.') && !in.fraction(form.any_fraction ? text.size() : 9, ms)) return std::nullopt;
  const auto offset = take_offset_ms(in, form.short_offset);
  if (!offset || !in.at_end()) return std::nullopt;
  return *day + *clock + ms - *offset;
}

}  // namespace varve::model
