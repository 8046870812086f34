// SPDX-License-Identifier: Apache-2.0
#include "model/instant.h"

#include <charconv>

#include "model/time.h"

namespace varve::model {
namespace {}  // namespace

void append_padded(std::string& out, std::int64_t number, std::size_t width) {
  char digits[20];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  const auto size = static_cast<std::size_t>(end - digits);
  if (size < width) out.append(width - size, '0');
  out.append(digits, size);
}

void append_instant(std::string& out, Timestamp t) {
  const std::int64_t day = window_start(t, kDayMs) / kDayMs;
  const std::int64_t in_day = t - day * kDayMs;
  // Years are counted from March, so that the odd day comes last.
  const std::int64_t shifted = day + 719'468;
  const std::int64_t cycle = (shifted >= 0 ? shifted : shifted - 146'096) / 146'097;
  const std::int64_t of_cycle = shifted - cycle * 146'097;
  const std::int64_t of_400 = (of_cycle - of_cycle / 1460 + of_cycle / 36'524 - of_cycle / 146'096) / 365;
  const std::int64_t of_year = of_cycle - (365 * of_400 + of_400 / 4 - of_400 / 100);
  const std::int64_t m = (5 * of_year + 2) / 153;
  const std::int64_t month = m < 10 ? m + 3 : m - 9;
  const std::int64_t year = of_400 + cycle * 400 + (month <= 2 ? 1 : 0);
  if (year < 0) out += '-';
  if (year > 9999) out += '+';
  append_padded(out, year < 0 ? -year : year, 4);
  out += '-';
  append_padded(out, month, 2);
  out += '-';
  append_padded(out, of_year - (153 * m + 2) / 5 + 1, 2);
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

}  // namespace varve::model
