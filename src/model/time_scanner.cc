// SPDX-License-Identifier: Apache-2.0
#include "model/time_scanner.h"

#include <chrono>

namespace varve::model {
namespace {

// std::chrono's years end at 32767, so a year is taken to the same one of the first 400, after which all repeats.
std::optional<std::int64_t> days_of(std::int64_t year, std::int64_t month, std::int64_t day) {
  constexpr std::int64_t kCycleYears = 400;
  constexpr std::int64_t kCycleDays = 146'097;
  const std::int64_t in_cycle = window_start(year, kCycleYears);
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(year - in_cycle)),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count() + in_cycle / kCycleYears * kCycleDays;
}

}  // namespace

bool TimeScanner::take(char c) {
  const char front = peek();
  if (front != c && !(front >= 'a' && front <= 'z' && front - 'a' + 'A' == c)) return false;
  if (text_.empty()) return false;
  text_.remove_prefix(1);
  return true;
}

bool TimeScanner::number(std::size_t least, std::size_t most, std::int64_t& out) {
  std::size_t digits = 0;
  for (out = 0; digits < most && at_digit(); ++digits, text_.remove_prefix(1)) out = out * 10 + (peek() - '0');
  return digits >= least;
}

bool TimeScanner::fraction(std::size_t most, std::int64_t& ms) {
  if (!at_digit()) return false;
  std::int64_t digit_ms = 100;
  for (std::size_t n = 0; n < most && at_digit(); ++n, digit_ms /= 10, text_.remove_prefix(1)) {
    ms += (peek() - '0') * digit_ms;
  }
  return !at_digit();
}

std::optional<Timestamp> TimeScanner::date(char between, bool any_year) {
  const bool negative = any_year && take('-');
  const bool has_sign = negative || (any_year && (take('+') || take(' ')));
  std::int64_t year = 0;
  std::int64_t month = 0;
  std::int64_t day = 0;
  const bool good =
      number(4, has_sign ? 6 : 4, year) && take(between) && number(2, 2, month) && take(between) && number(2, 2, day);
  const auto days = good ? days_of(negative ? -year : year, month, day) : std::nullopt;
  if (!days) return std::nullopt;
  return *days * kDayMs;
}

std::optional<std::int64_t> TimeScanner::clock(bool* has_seconds) {
  std::int64_t hour = 0;
  std::int64_t minute = 0;
  std::int64_t second = 0;
  if (!number(2, 2, hour) || !take(':') || !number(2, 2, minute)) return std::nullopt;
  const bool seconds = take(':');
  if (has_seconds != nullptr) *has_seconds = seconds;
  if (seconds && !number(2, 2, second)) return std::nullopt;
  if (hour > 23 || minute > 59 || second > 59) return std::nullopt;
  return hour * kHourMs + minute * kMinuteMs + second * kSecondMs;
}

}  // namespace varve::model
