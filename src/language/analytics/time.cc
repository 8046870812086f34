// SPDX-License-Identifier: Apache-2.0
#include "language/analytics/time.h"

#include <charconv>
#include <optional>
#include <string>

#include "model/duration.h"

namespace varve::language::analytics {
namespace {

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

// Of "+2d" behind now. from_chars takes a second sign, so the first digit is looked at.
std::optional<std::int64_t> moved(std::int64_t now_us, std::string_view by) {
  if (by.size() < 3 || (by[0] != '+' && by[0] != '-') || by[1] < '0' || by[1] > '9') return std::nullopt;
  using model::TimeUnit;
  const auto duration = model::parse_duration(by.substr(1));
  if (!duration || duration->unit < TimeUnit::seconds || duration->unit > TimeUnit::days) return std::nullopt;
  const auto ms = model::duration_ms(*duration);
  std::int64_t distance = 0, time = 0;
  if (!ms || __builtin_mul_overflow(*ms, 1000, &distance)) return std::nullopt;
  const bool over =
      by[0] == '+' ? __builtin_add_overflow(now_us, distance, &time) : __builtin_sub_overflow(now_us, distance, &time);
  if (over) return std::nullopt;
  return time;
}

}  // namespace

Result<std::int64_t> parse_time(std::string_view text, std::int64_t now_us) {
  constexpr std::string_view kNow = "now";
  if (text == kNow) return now_us;
  const auto time = text.starts_with(kNow) ? moved(now_us, text.substr(kNow.size())) : whole_number(text);
  if (time) return *time;
  return fail(Code::invalid,
              "'" + std::string(text.substr(0, 100)) +
                  "' is not a time: it is microseconds since 1970, now, or now with + or -, a number and "
                  "one of s m h d");
}

}  // namespace varve::language::analytics
