// SPDX-License-Identifier: Apache-2.0
#include "model/time_unit.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/check.h"
#include "model/time.h"

namespace varve::model {

namespace {

constexpr std::int64_t kDaysOf400Years = 146'097;

// std::chrono's calendar ends at year 32767; timestamps go on to 287396.
struct Date {
  std::int64_t year;
  std::int64_t month;  // 0..11
  std::int64_t day;    // 0..30
};

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a / b - (a % b != 0 && (a % b < 0) != (b < 0) ? 1 : 0);
}

bool is_leap(std::int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

std::int64_t days_before_year(std::int64_t year) {  // since 0000-01-01
  const std::int64_t y = year - 1;
  return 366 + y * 365 + floor_div(y, 4) - floor_div(y, 100) + floor_div(y, 400);
}

constexpr std::int64_t kDaysBefore1970 = 719'528;
constexpr std::array<int, 12> kMonthDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

std::int64_t month_days(std::int64_t year, std::int64_t month) {
  return kMonthDays[static_cast<std::size_t>(month)] + (month == 1 && is_leap(year) ? 1 : 0);
}

Date date_of(std::int64_t days_since_1970) {
  const std::int64_t days = days_since_1970 + kDaysBefore1970;
  std::int64_t year = floor_div(days * 400, kDaysOf400Years);  // at most one off
  if (days < days_before_year(year)) --year;
  if (days >= days_before_year(year + 1)) ++year;
  std::int64_t rest = days - days_before_year(year);
  std::int64_t month = 0;
  while (rest >= month_days(year, month)) rest -= month_days(year, month++);
  return {year, month, rest};
}

std::int64_t days_of(const Date& date) {
  std::int64_t days = days_before_year(date.year) - kDaysBefore1970 + date.day;
  for (std::int64_t m = 0; m < date.month; ++m) days += month_days(date.year, m);
  return days;
}

Timestamp add_months(Timestamp t, std::int64_t n) {
  const std::int64_t day = floor_div(t, kDayMs);
  Date date = date_of(day);
  const std::int64_t months = date.year * 12 + date.month + n;
  date.year = floor_div(months, 12);
  date.month = months - date.year * 12;
  date.day = std::min(date.day, month_days(date.year, date.month) - 1);
  return days_of(date) * kDayMs + (t - day * kDayMs);
}

Timestamp in_all_time(Timestamp t) { return std::clamp(t, kAllTime.first, kAllTime.last); }

}  // namespace

std::optional<TimeUnit> time_unit_of(std::string_view name) {
  static constexpr std::array<std::string_view, 8> kNames = {"milliseconds", "seconds", "minutes", "hours",
                                                             "days",         "weeks",   "months",  "years"};
  std::string lower(name.substr(0, 16));
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  const auto* found = std::find(kNames.begin(), kNames.end(), lower);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<TimeUnit>(found - kNames.begin());
}

std::int64_t fixed_ms(TimeUnit unit) {
  static constexpr std::array<std::int64_t, 8> kMs = {1, 1000, 60'000, 3'600'000, kDayMs, 7 * kDayMs, 0, 0};
  return kMs[static_cast<std::size_t>(unit)];
}

Timestamp add_units(Timestamp t, std::int64_t n, TimeUnit unit) {
  if (const std::int64_t ms = fixed_ms(unit)) {
    std::int64_t sum = 0;
    if (__builtin_mul_overflow(n, ms, &sum) || __builtin_add_overflow(sum, t, &sum)) {
      return n < 0 ? kAllTime.first : kAllTime.last;
    }
    return in_all_time(sum);
  }
  // Further than from one end of kAllTime to the other, and no date that far from either overflows.
  constexpr std::int64_t kMonthsMax = 900'000'000;
  const std::int64_t months = unit == TimeUnit::years ? 12 : 1;
  n = std::clamp(n, -kMonthsMax / months, kMonthsMax / months);
  return in_all_time(add_months(t, n * months));
}

std::int64_t units_between(Timestamp from, Timestamp to, TimeUnit unit) {
  if (const std::int64_t ms = fixed_ms(unit)) return floor_div(to - from, ms);
  const Date a = date_of(floor_div(from, kDayMs));
  const Date b = date_of(floor_div(to, kDayMs));
  std::int64_t n = b.year - a.year;
  if (unit == TimeUnit::months) n = n * 12 + b.month - a.month;
  // That many units lead into the month or year of `to`, and one less into an earlier one.
  return add_units(from, n, unit) > to ? n - 1 : n;
}

Timestamp calendar_start(Timestamp t, TimeUnit unit) {
  const std::int64_t day = floor_div(t, kDayMs);
  switch (unit) {
    case TimeUnit::days: return day * kDayMs;
    case TimeUnit::weeks: return floor_div(day + 3, 7) * 7 * kDayMs - 3 * kDayMs;  // 1970-01-01 was a Thursday
    case TimeUnit::months: return (day - date_of(day).day) * kDayMs;
    case TimeUnit::years: return days_of({date_of(day).year, 0, 0}) * kDayMs;
    default: check(false, "calendar_start knows days, weeks, months and years"); return t;
  }
}

}  // namespace varve::model
