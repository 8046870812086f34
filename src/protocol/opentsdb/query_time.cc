// SPDX-License-Identifier: Apache-2.0
// Times of OpenTSDB's queries, and those that Ceres took in the same place.
#include <algorithm>
#include <charconv>
#include <chrono>

#include "protocol/opentsdb/query.h"
#include "protocol/opentsdb/query_duration.h"

namespace varve::protocol::opentsdb {

namespace {

using model::Timestamp;

std::unexpected<Error> invalid_time(std::string_view text, std::string_view why) {
  return fail(Code::invalid, "Invalid time: '" + std::string(text) + "'. " + std::string(why));
}

// Takes what the format says from the front of the text: exactly `digits` digits between `low` and `high`.
bool take(std::string_view& text, std::size_t digits, int low, int high, int& out) {
  if (text.size() < digits) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + digits, out);
  if (error != std::errc{} || end != text.data() + digits || out < low || out > high) return false;
  text.remove_prefix(digits);
  return true;
}

bool take(std::string_view& text, std::string_view any_of) {
  if (text.empty() || any_of.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

bool take_date(std::string_view& text, std::string_view between, Timestamp& out) {
  int y = 0;
  int m = 0;
  int d = 0;
  if (!take(text, 4, 0, 9999, y) || !take(text, between) || !take(text, 2, 1, 12, m) || !take(text, between) ||
      !take(text, 2, 1, 31, d)) {
    return false;
  }
  const std::chrono::year_month_day date{std::chrono::year(y), std::chrono::month(static_cast<unsigned>(m)),
                                         std::chrono::day(static_cast<unsigned>(d))};
  if (!date.ok()) return false;
  out = std::chrono::milliseconds(std::chrono::sys_days(date).time_since_epoch()).count();
  return true;
}

bool take_clock(std::string_view& text, Timestamp& out) {
  int h = 0;
  int m = 0;
  int s = 0;
  if (!take(text, 2, 0, 23, h) || !take(text, ":") || !take(text, 2, 0, 59, m)) return false;
  if (take(text, ":") && !take(text, 2, 0, 59, s)) return false;
  out += Timestamp{h} * 3'600'000 + Timestamp{m} * 60'000 + Timestamp{s} * 1000;
  return true;
}

// 2013/01/01, 2013/01/01-12:30, 2013/01/01 12:30:15; of UTC.
Result<Timestamp> slashed(std::string_view text) {
  Timestamp out = 0;
  std::string_view rest = text;
  const bool good = take_date(rest, "/", out) && (rest.empty() || (take(rest, "- ") && take_clock(rest, out)));
  if (good && rest.empty()) return out;
  return invalid_time(text, "Dates are yyyy/MM/dd, yyyy/MM/dd-HH:mm or yyyy/MM/dd-HH:mm:ss");
}

// 2020-11-10T14:24:35Z, with a fraction, with an offset as +05:30.
Result<Timestamp> iso(std::string_view text) {
  Timestamp out = 0;
  std::string_view rest = text;
  bool good = take_date(rest, "-", out) && take(rest, "Tt") && take_clock(rest, out);
  if (good && take(rest, ".")) {
    Timestamp unit = 100;
    good = !rest.empty() && rest.front() >= '0' && rest.front() <= '9';
    for (; !rest.empty() && rest.front() >= '0' && rest.front() <= '9'; rest.remove_prefix(1), unit /= 10) {
      out += unit * (rest.front() - '0');
    }
  }
  if (good && !take(rest, "Zz")) {
    const bool west = rest.starts_with('-');
    Timestamp offset = 0;
    int h = 0;
    int m = 0;
    good = take(rest, "+-") && take(rest, 2, 0, 18, h) && take(rest, ":") && take(rest, 2, 0, 59, m);
    offset = Timestamp{h} * 3'600'000 + Timestamp{m} * 60'000;
    out += west ? offset : -offset;
  }
  if (good && rest.empty()) return out;
  return invalid_time(text, "Instants are yyyy-MM-ddTHH:mm:ssZ");
}

Result<Timestamp> numeric(std::string_view text) {
  std::string digits(text);
  if (const std::size_t dot = text.find('.'); dot != std::string_view::npos) {
    if (dot != 10 || text.size() < 12 || text.size() > 14) {
      return invalid_time(text, "Millisecond timestamps are <seconds>.<ms> with at most three digits behind the dot");
    }
    digits.erase(dot, 1);
    digits.append(14 - text.size(), '0');
  }
  Timestamp value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || end != digits.data() + digits.size() || error != std::errc{}) {
    return invalid_time(text, "It is not a date, a number, or a relative time as 1h-ago");
  }
  if (value < 0) return invalid_time(text, "Negative timestamps are not supported here");
  // Up to ten digits are seconds, more are milliseconds.
  return std::min(digits.size() <= 10 ? value * 1000 : value, model::kTimestampMax);
}

}  // namespace

Result<Timestamp> parse_time(std::string_view text, Timestamp now) {
  if (text == "now") return now;
  if (text.ends_with("-ago")) {
    const auto ago = parse_duration(text.substr(0, text.size() - 4));
    if (!ago)
      return fail(Code::invalid, "Invalid relative time format: '" + std::string(text) + "'. " + ago.error().message);
    return std::max(now - ago->ms(), model::kTimestampMin);
  }
  if (text.find('/') != std::string_view::npos) return slashed(text);
  if (text.find(':') != std::string_view::npos) return iso(text);
  return numeric(text);
}

}  // namespace varve::protocol::opentsdb
