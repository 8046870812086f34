// SPDX-License-Identifier: Apache-2.0
#include "protocol/ceres/time.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "model/duration.h"
#include "model/time_scanner.h"
#include "protocol/ceres/parameters.h"

namespace varve::protocol::ceres {

namespace {

using model::Duration;
using model::TimeScanner;
using model::Timestamp;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

Result<Timestamp> in_range(std::optional<std::int64_t> t, std::string_view text) {
  if (t && model::is_timestamp(*t)) return *t;
  return fail(Code::invalid, "the time " + in_quotes(text) + " is out of range");
}

// --- reading

constexpr model::InstantForm kInstants{.any_year = true, .short_offset = true};

// "15m", never negative.
std::optional<Duration> amount_of(std::string_view text) {
  return text.empty() || !is_digit(text.front()) ? std::nullopt : model::parse_duration(text);
}

// Only digits, perhaps behind a minus sign.
std::optional<std::string_view> digits_of(std::string_view text) {
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  if (digits.empty() || !std::ranges::all_of(digits, is_digit)) return std::nullopt;
  return digits;
}

constexpr std::size_t kMillisecondDigits = 13;

Result<Timestamp> epoch_of(std::string_view text, std::string_view digits) {
  std::int64_t number = 0;
  const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return in_range(std::nullopt, text);
  return in_range(digits.size() >= kMillisecondDigits ? number : number * model::kSecondMs, text);
}

// --- widths

// "1H30M" of "PT1H30M": units of `letters` in that order, each at most once, the last perhaps with a fraction
// (seconds).
struct Part {
  char letter;
  std::int64_t ms;
};

bool take_parts(TimeScanner& in, std::initializer_list<Part> parts, std::int64_t& sum_ms, bool& any) {
  auto at = parts.begin();
  while (in.at_digit()) {
    std::int64_t number = 0;
    std::int64_t fraction_ms = 0;
    if (!in.number(1, 15, number)) return false;
    const bool broken = in.take('.');
    if (broken && !in.fraction(9, fraction_ms)) return false;
    while (at != parts.end() && !in.take(at->letter)) ++at;
    if (at == parts.end() || (broken && at->letter != 'S')) return false;
    std::int64_t ms = 0;
    if (__builtin_mul_overflow(number, at->ms, &ms) || __builtin_add_overflow(ms, fraction_ms, &ms) ||
        __builtin_add_overflow(sum_ms, ms, &sum_ms)) {
      return false;
    }
    any = true;
    ++at;
  }
  return true;
}

// ISO-8601 as Ceres' clients write it: days, hours, minutes and seconds (weeks too); a day has 24 hours.
bool iso_duration(std::string_view text, std::int64_t& ms) {
  TimeScanner in(text);
  bool any = false;
  if (!in.take('P') || !take_parts(in, {{'W', 7 * model::kDayMs}, {'D', model::kDayMs}}, ms, any)) return false;
  if (in.take('T')) {
    any = false;
    if (!take_parts(in, {{'H', model::kHourMs}, {'M', model::kMinuteMs}, {'S', model::kSecondMs}}, ms, any))
      return false;
  }
  return any && in.at_end();
}

}  // namespace

Result<Timestamp> parse_time(std::string_view text, Timestamp now) {
  if (const auto instant = model::parse_instant(text, kInstants)) return in_range(instant, text);
  if (const auto digits = digits_of(text)) return epoch_of(text, *digits);
  constexpr std::string_view kAgo = "-ago";
  if (text.ends_with(kAgo)) {
    const auto amount = amount_of(text.substr(0, text.size() - kAgo.size()));
    if (amount) return model::nearest_timestamp(model::add_units(now, -amount->count, amount->unit));
  }
  return fail(Code::invalid, "Invalid relative time format: " + in_quotes(text) +
                                 "; a time is an instant such as 2020-11-10T14:24:35Z, seconds or milliseconds since "
                                 "1970, or 15m-ago (ms, s, m, h, d, w, n for months, y)");
}

Result<std::int64_t> parse_granularity(std::string_view text) {
  std::int64_t ms = 0;
  bool good = iso_duration(text, ms);
  if (const auto amount = amount_of(text); !good && amount) {
    good = !__builtin_mul_overflow(amount->count, model::fixed_ms(amount->unit), &ms);  // 0 for months and years
  }
  if (good && ms > 0 && ms <= model::kTimestampMax) return ms;
  return fail(Code::invalid, "Unknown downsample granularity: " + in_quotes(text) +
                                 "; a width such as PT5M, 5m, P1D or 1d of at least 1 ms (months and years have no "
                                 "fixed width)");
}

std::string granularity_text(std::int64_t ms) {
  std::string out = "PT";
  if (const std::int64_t hours = ms / model::kHourMs; hours != 0) out += std::to_string(hours) + 'H';
  if (const std::int64_t minutes = ms / model::kMinuteMs % 60; minutes != 0) out += std::to_string(minutes) + 'M';
  const std::int64_t rest = ms % model::kMinuteMs;
  if (rest == 0) return out;
  out += std::to_string(rest / model::kSecondMs);
  if (rest % model::kSecondMs != 0) {
    out += '.';
    model::append_padded(out, rest % model::kSecondMs, 3);
    while (out.ends_with('0')) out.pop_back();
  }
  return out += 'S';
}

}  // namespace varve::protocol::ceres
