// SPDX-License-Identifier: Apache-2.0
// Times of OpenTSDB's queries, and those that Ceres took in the same place.
#include <algorithm>
#include <charconv>

#include "model/instant.h"
#include "model/time_scanner.h"
#include "protocol/opentsdb/query.h"
#include "protocol/opentsdb/query_duration.h"

namespace varve::protocol::opentsdb {

namespace {

using model::Timestamp;

std::unexpected<Error> invalid_time(std::string_view text, std::string_view why) {
  return fail(Code::invalid, "Invalid time: '" + std::string(text) + "'. " + std::string(why));
}

// 2013/01/01, 2013/01/01-12:30, 2013/01/01 12:30:15; of UTC.
Result<Timestamp> slashed(std::string_view text) {
  model::TimeScanner in(text);
  const auto day = in.date('/');
  if (day && in.at_end()) return *day;
  const auto clock = day && (in.take('-') || in.take(' ')) ? in.clock() : std::nullopt;
  if (clock && in.at_end()) return *day + *clock;
  return invalid_time(text, "Dates are yyyy/MM/dd, yyyy/MM/dd-HH:mm or yyyy/MM/dd-HH:mm:ss");
}

// 2020-11-10T14:24:35Z, with a fraction, with an offset as +05:30.
Result<Timestamp> iso(std::string_view text) {
  if (const auto instant = model::parse_instant(text, {.any_fraction = true})) return *instant;
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
    return std::max(now - ms_of(*ago), model::kTimestampMin);
  }
  if (text.find('/') != std::string_view::npos) return slashed(text);
  if (text.find(':') != std::string_view::npos) return iso(text);
  return numeric(text);
}

}  // namespace varve::protocol::opentsdb
