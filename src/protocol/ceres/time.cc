// SPDX-License-Identifier: Apache-2.0
#include "protocol/ceres/time.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "model/time.h"
#include "model/time_unit.h"
#include "protocol/ceres/parameters.h"

namespace varve::protocol::ceres {

namespace {

using model::Timestamp;
using model::TimeUnit;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

Result<Timestamp> in_range(std::optional<std::int64_t> t, std::string_view text) {
  if (t && *t >= model::kTimestampMin && *t <= model::kTimestampMax) return *t;
  return fail(Code::invalid, "the time " + in_quotes(text) + " is out of range");
}

// --- the calendar

// Days from 1970-01-01 to the first of the month; any year.
std::int64_t days_before_month(std::int64_t year, unsigned month) {
  // A year that begins in March has its leap day at the end, and its months a length that a line fits.
  const std::int64_t y = month <= 2 ? year - 1 : year;
  const std::int64_t m = month <= 2 ? month + 9 : month - 3;
  const std::int64_t cycle = (y >= 0 ? y : y - 399) / 400;
  const std::int64_t in_cycle = y - cycle * 400;
  return cycle * 146'097 + in_cycle * 365 + in_cycle / 4 - in_cycle / 100 + (153 * m + 2) / 5 - 719'468;
}

// --- reading

// Reads from the front of a text; each step says whether it was there.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}
  [[nodiscard]] bool at_end() const { return text_.empty(); }
  [[nodiscard]] char peek() const { return text_.empty() ? '\0' : text_.front(); }
  bool take(char c) {
    if (upper(peek()) != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  // From `least` to `most` digits.
  bool number(std::size_t least, std::size_t most, std::int64_t& out) {
    std::size_t n = 0;
    out = 0;
    for (; n < most && n < text_.size() && is_digit(text_[n]); ++n) out = out * 10 + (text_[n] - '0');
    text_.remove_prefix(std::min(n, text_.size()));
    return n >= least;
  }
  // ".250…", cut to milliseconds.
  bool fraction(std::int64_t& ms) {
    std::int64_t digit_ms = 100;
    if (!is_digit(peek())) return false;
    for (std::size_t n = 0; n < 9 && is_digit(peek()); ++n, digit_ms /= 10) {
      ms += (peek() - '0') * digit_ms;
      text_.remove_prefix(1);
    }
    return !is_digit(peek());
  }

 private:
  std::string_view text_;
};

// Z, +01:00, +0100, +01. A plus sign that a URL made a blank of counts as one.
std::optional<std::int64_t> take_offset_ms(Scanner& in) {
  if (in.take('Z')) return 0;
  const bool east = in.take('+') || in.take(' ');
  if (!east && !in.take('-')) return std::nullopt;
  std::int64_t hours = 0;
  std::int64_t minutes = 0;
  if (!in.number(2, 2, hours)) return std::nullopt;
  if (in.take(':') || !in.at_end()) {
    if (!in.number(2, 2, minutes)) return std::nullopt;
  }
  if (hours > 18 || minutes > 59) return std::nullopt;
  const std::int64_t ms = hours * model::kHourMs + minutes * model::kMinuteMs;
  return east ? ms : -ms;
}

// Not an instant: nothing. A year of six digits at most, so nothing here overflows.
std::optional<std::int64_t> instant_of(std::string_view text) {
  Scanner in(text);
  const bool negative = in.take('-');
  const bool signed_year = negative || in.take('+') || in.take(' ');
  std::int64_t year = 0;
  std::int64_t month = 0;
  std::int64_t day = 0;
  std::int64_t hour = 0;
  std::int64_t minute = 0;
  std::int64_t second = 0;
  std::int64_t ms = 0;
  if (!in.number(4, signed_year ? 6 : 4, year) || !in.take('-') || !in.number(2, 2, month) || !in.take('-') ||
      !in.number(2, 2, day) || !in.take('T') || !in.number(2, 2, hour) || !in.take(':') || !in.number(2, 2, minute)) {
    return std::nullopt;
  }
  if (in.take(':')) {
    if (!in.number(2, 2, second)) return std::nullopt;
    if (in.take('.') && !in.fraction(ms)) return std::nullopt;
  }
  const auto offset_ms = take_offset_ms(in);
  if (!offset_ms || !in.at_end()) return std::nullopt;
  if (month < 1 || month > 12 || hour > 23 || minute > 59 || second > 59) return std::nullopt;
  if (negative) year = -year;
  const auto m = static_cast<unsigned>(month);
  const std::int64_t first = days_before_month(year, m);
  const std::int64_t next = m == 12 ? days_before_month(year + 1, 1) : days_before_month(year, m + 1);
  if (day < 1 || day > next - first) return std::nullopt;
  return (first + day - 1) * model::kDayMs + hour * model::kHourMs + minute * model::kMinuteMs +
         second * model::kSecondMs + ms - *offset_ms;
}

std::optional<TimeUnit> unit_of(std::string_view letter) {
  if (letter == "ms") return TimeUnit::milliseconds;
  if (letter == "s") return TimeUnit::seconds;
  if (letter == "m") return TimeUnit::minutes;
  if (letter == "h") return TimeUnit::hours;
  if (letter == "d") return TimeUnit::days;
  if (letter == "w") return TimeUnit::weeks;
  if (letter == "n") return TimeUnit::months;
  if (letter == "y") return TimeUnit::years;
  return std::nullopt;
}

struct Amount {
  std::int64_t number;
  TimeUnit unit;
};

// "15m". Nothing: not that, or a number beyond 64 bits.
std::optional<Amount> amount_of(std::string_view text) {
  if (text.empty() || !is_digit(text.front())) return std::nullopt;
  std::int64_t number = 0;
  const char* const begin = text.data();
  const auto [at, error] = std::from_chars(begin, begin + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  const auto unit = unit_of(text.substr(static_cast<std::size_t>(at - begin)));
  if (!unit) return std::nullopt;
  return Amount{number, *unit};
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

bool take_parts(Scanner& in, std::initializer_list<Part> parts, std::int64_t& sum_ms, bool& any) {
  auto at = parts.begin();
  while (is_digit(in.peek())) {
    std::int64_t number = 0;
    std::int64_t fraction_ms = 0;
    if (!in.number(1, 15, number)) return false;
    const bool broken = in.take('.');
    if (broken && !in.fraction(fraction_ms)) return false;
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
  Scanner in(text);
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

std::optional<Timestamp> parse_instant(std::string_view text) {
  const auto instant = instant_of(text);
  if (!instant || !in_range(instant, text)) return std::nullopt;
  return instant;
}

Result<Timestamp> parse_time(std::string_view text, Timestamp now) {
  if (const auto instant = instant_of(text)) return in_range(instant, text);
  if (const auto digits = digits_of(text)) return epoch_of(text, *digits);
  constexpr std::string_view kAgo = "-ago";
  if (text.ends_with(kAgo)) {
    const auto amount = amount_of(text.substr(0, text.size() - kAgo.size()));
    if (amount) return model::add_units(now, -amount->number, amount->unit);
  }
  return fail(Code::invalid, "Invalid relative time format: " + in_quotes(text) +
                                 "; a time is an instant such as 2020-11-10T14:24:35Z, seconds or milliseconds since "
                                 "1970, or 15m-ago (ms, s, m, h, d, w, n for months, y)");
}

Result<std::int64_t> parse_granularity(std::string_view text) {
  std::int64_t ms = 0;
  bool good = iso_duration(text, ms);
  if (const auto amount = amount_of(text); !good && amount) {
    good = !__builtin_mul_overflow(amount->number, model::fixed_ms(amount->unit), &ms);  // 0 for months and years
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
