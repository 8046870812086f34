// SPDX-License-Identifier: Apache-2.0
#include "protocol/messages/time.h"

#include <algorithm>
#include <string>

#include "protocol/messages/whole_number.h"
#include "protocol/messages/words.h"

namespace varve::protocol::messages {
namespace {

__extension__ using Wide = unsigned __int128;
__extension__ using SignedWide = __int128;

constexpr int kDigitsMax = 30;       // of 38 that a Wide holds: enough for nanoseconds of 64 bits of microseconds
constexpr int kExponentMax = 1'000;  // beyond it a number is 0 or outside, whatever else it says

// A number as digits × 10^exponent.
struct Decimal {
  bool negative = false;
  Wide digits = 0;
  int exponent = 0;
};

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Of a JSON number. Digits beyond kDigitsMax are cut off.
Decimal decimal_of(std::string_view number) {
  Decimal out;
  int kept = 0;
  bool behind_point = false;
  std::size_t i = 0;
  if (number[0] == '-') out.negative = true, ++i;
  for (; i < number.size() && (is_digit(number[i]) || number[i] == '.'); ++i) {
    if (number[i] == '.') {
      behind_point = true;
      continue;
    }
    const bool keep = kept < kDigitsMax;
    if (keep) out.digits = out.digits * 10 + static_cast<unsigned>(number[i] - '0');
    if (keep && out.digits != 0) ++kept;
    out.exponent = std::clamp(out.exponent + (keep ? 0 : 1) - (behind_point ? 1 : 0), -kExponentMax, kExponentMax);
  }
  if (i == number.size()) return out;
  ++i;  // e
  const bool down = number[i] == '-';
  if (!is_digit(number[i])) ++i;
  int exponent = 0;
  for (; i < number.size(); ++i) exponent = std::min(exponent * 10 + (number[i] - '0'), 2 * kExponentMax);
  out.exponent += down ? -exponent : exponent;
  return out;
}

Result<PreciseTime> time_of_nanos(SignedWide nanos, std::string_view shown) {
  SignedWide us = nanos / 1000;
  auto rest = static_cast<int>(nanos % 1000);
  if (rest < 0) rest += 1000, --us;
  const auto kept = static_cast<std::int64_t>(us);
  if (kept != us) return fail(Code::invalid, "time " + shorten(shown) + " is out of range");
  return PreciseTime{kept, static_cast<unsigned>(rest)};
}

// Digits of a nanosecond in the unit.
int nano_digits(Precision precision) { return 9 - 3 * static_cast<int>(precision); }

// Is all of it a number as JSON has it?
bool is_number(std::string_view text) {
  std::size_t i = text.starts_with('-') ? 1 : 0;
  const auto digits = [&] {
    const std::size_t from = i;
    while (i < text.size() && is_digit(text[i])) ++i;
    return i > from;
  };
  if (!digits()) return false;
  if (i < text.size() && text[i] == '.') {
    ++i;
    if (!digits()) return false;
  }
  if (i < text.size() && (text[i] | 0x20) == 'e') {
    ++i;
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
    if (!digits()) return false;
  }
  return i == text.size();
}

// What Elasticsearch calls strict_date_optional_time: parts may be missing from the end, but for the month; a fraction
// may have a comma, a zone no colon or no minutes. No zone: UTC.
std::optional<PreciseTime> read_optional_time(std::string_view text) {
  constexpr std::size_t kBytesMax = 64;
  constexpr std::size_t kMonthBytes = 7;
  constexpr std::size_t kClockBytes = 8;
  if (text.size() > kBytesMax) return std::nullopt;
  const std::size_t day_end = std::min(text.find('T'), text.size());
  std::string full(text.substr(0, day_end));
  if (full.size() == kMonthBytes) full += "-01";
  const std::string_view behind = text.substr(std::min(day_end + 1, text.size()));
  const std::size_t zone_at = std::min(behind.find_first_of("Z+-"), behind.size());
  std::string clock(behind.substr(0, zone_at));
  const std::string_view zone = behind.substr(zone_at);
  if (day_end == text.size()) clock = "00";
  if (clock.size() < kClockBytes) clock += std::string_view(":00:00").substr(clock.size() == 2 ? 0 : 3);
  if (clock.size() > kClockBytes && clock[kClockBytes] == ',') clock[kClockBytes] = '.';
  full.append("T").append(clock);
  if (zone.empty()) return read_rfc3339(full + "Z");
  full.append(zone.substr(0, 3));
  if (zone.size() == 3) full += ":00";
  if (zone.size() > 3) full.append(zone[3] == ':' ? "" : ":").append(zone.substr(3));
  return read_rfc3339(full);
}

}  // namespace

std::optional<Precision> precision_of(std::string_view name) {
  if (name == "s") return Precision::s;
  if (name == "ms") return Precision::ms;
  if (name == "us") return Precision::us;
  if (name == "ns") return Precision::ns;
  return std::nullopt;
}

Result<PreciseTime> time_of_number(std::string_view number, Precision precision) {
  if (precision == Precision::us) {
    if (const auto us = whole_number(number)) return PreciseTime{*us, 0};
  }
  Decimal decimal = decimal_of(number);
  const auto sign = decimal.negative ? -1 : 1;
  int shift = decimal.exponent + nano_digits(precision);
  for (; shift < 0 && decimal.digits != 0; ++shift) decimal.digits /= 10;
  constexpr Wide kBeyond = Wide{1} << 80;  // 64 bits of microseconds in nanoseconds are below 2^74
  for (; shift > 0 && decimal.digits != 0 && decimal.digits < kBeyond; --shift) decimal.digits *= 10;
  if (decimal.digits > kBeyond) decimal.digits = kBeyond;
  return time_of_nanos(sign * static_cast<SignedWide>(decimal.digits), number);
}

Result<PreciseTime> time_of_text(std::string_view text, Precision precision, bool optional_time) {
  if (const auto time = read_rfc3339(text)) return *time;
  if (is_number(text)) return time_of_number(text, precision);
  if (optional_time) {
    if (const auto time = read_optional_time(text)) return *time;
    return fail(Code::invalid, "time '" + shorten(text) + "' is neither a date as Elasticsearch takes it nor a number");
  }
  return fail(Code::invalid, "time '" + shorten(text) + "' is neither RFC 3339 with a zone nor a number");
}

}  // namespace varve::protocol::messages
