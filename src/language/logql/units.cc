// SPDX-License-Identifier: Apache-2.0
#include "language/logql/units.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>

#include "base/ascii.h"

namespace varve::language::logql {
namespace {

constexpr double kSecond = 1e9;
constexpr double kHour = 3600 * kSecond;
constexpr double kDurationMax = 200.0 * 365 * 24 * kHour;

// Longer names before those that they begin with.
constexpr std::array<std::pair<std::string_view, double>, 11> kTimes{{{"ns", 1},
                                                                      {"us", 1e3},
                                                                      {"\xc2\xb5s", 1e3},
                                                                      {"\xce\xbcs", 1e3},
                                                                      {"ms", 1e6},
                                                                      {"s", kSecond},
                                                                      {"m", 60 * kSecond},
                                                                      {"h", kHour},
                                                                      {"d", 24 * kHour},
                                                                      {"w", 7 * 24 * kHour},
                                                                      {"y", 365 * 24 * kHour}}};

// Digits with at most one dot at the front of `text`, which are taken off.
std::optional<double> take_decimal(std::string_view& text) {
  const std::size_t size = std::min(text.find_first_not_of("0123456789."), text.size());
  double number = 0;
  const char* const begin = text.data();
  const auto read = std::from_chars(begin, begin + size, number, std::chars_format::fixed);
  if (size == 0 || read.ec != std::errc() || read.ptr != begin + size) return std::nullopt;
  text.remove_prefix(size);
  return number;
}

// 1, 1000, 1024, …: of "", "k", "ki", …; 0: it is no such prefix.
double scale_of(std::string_view prefix) {
  if (prefix.empty()) return 1;
  const std::size_t power = std::string_view("kmgtpe").find(prefix[0]);
  if (power == std::string_view::npos || prefix.size() > 2 || (prefix.size() == 2 && prefix[1] != 'i')) return 0;
  double scale = 1;
  for (std::size_t i = 0; i <= power; ++i) scale *= prefix.size() == 2 ? 1024 : 1000;
  return scale;
}

// Without a sign, in units of the table up to the longest one.
std::optional<double> sum_of(std::string_view text, double longest) {
  if (text == "0") return 0;
  if (text.empty()) return std::nullopt;
  double sum = 0;
  while (!text.empty()) {
    const auto number = take_decimal(text);
    const auto* const unit = std::ranges::find_if(kTimes, [&](const auto& one) { return text.starts_with(one.first); });
    if (!number || unit == kTimes.end() || unit->second > longest) return std::nullopt;
    text.remove_prefix(unit->first.size());
    sum += *number * unit->second;
    if (!(sum <= kDurationMax)) return std::nullopt;
  }
  return sum;
}

}  // namespace

std::optional<std::int64_t> duration_ns(std::string_view text) {
  const bool negative = text.starts_with('-');
  const auto sum = sum_of(text.substr(negative ? 1 : 0), kTimes.back().second);
  if (!sum) return std::nullopt;
  return static_cast<std::int64_t>(negative ? -*sum : *sum);
}

std::optional<std::int64_t> go_duration_ns(std::string_view text) {
  const bool negative = text.starts_with('-');
  const auto sum = sum_of(text.substr(negative || text.starts_with('+') ? 1 : 0), kHour);
  if (!sum) return std::nullopt;
  return static_cast<std::int64_t>(negative ? -*sum : *sum);
}

std::optional<double> bytes_of(std::string_view text) {
  const auto number = take_decimal(text);
  if (!number) return std::nullopt;
  std::string unit = lower(trimmed(text));
  if (unit.ends_with('b')) unit.pop_back();
  const double scale = scale_of(unit);
  if (scale == 0) return std::nullopt;
  return *number * scale;
}

std::optional<double> number_of(std::string_view text) {
  double number = 0;
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const auto read = std::from_chars(begin, end, number);
  if (text.empty() || read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return number;
}

}  // namespace varve::language::logql
