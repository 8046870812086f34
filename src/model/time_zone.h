// SPDX-License-Identifier: Apache-2.0
// TimeZone: where days, weeks, months and years begin for people somewhere. UTC unless found by name; the rules are
// those of the system's package tzdata, read when a zone is first asked for.
//
// Local time is written as a Timestamp as well: the milliseconds that a clock there shows, as if it stood in UTC.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/time_unit.h"

namespace varve::model {

// A small value; zones live as long as the program. Thread-safe.
class TimeZone {
 public:
  TimeZone() = default;  // UTC

  // "Europe/Paris", "UTC" and its other names, "" (UTC), "+01:00", "-0330". Errors: not_found; unavailable (the
  // system has no tzdata, and the zone is not one of those that need none).
  static Result<TimeZone> find(std::string_view name);
  // All names that the system knows, sorted; without tzdata only UTC.
  static std::vector<std::string> names();

  [[nodiscard]] bool is_utc() const { return rules_ == nullptr; }
  [[nodiscard]] Timestamp to_local(Timestamp t) const { return is_utc() ? t : t + offset_ms(t); }
  // What clocks skip in spring is read with the offset before; what they show twice in autumn is the first time.
  [[nodiscard]] Timestamp to_utc(Timestamp local) const { return is_utc() ? local : unshifted(local); }

  bool operator==(const TimeZone&) const = default;

 private:
  struct Rules;
  [[nodiscard]] std::int64_t offset_ms(Timestamp t) const;
  [[nodiscard]] Timestamp unshifted(Timestamp local) const;

  const Rules* rules_ = nullptr;
};

enum class UtcNames : std::uint8_t { all, common };
// Whether it is a name of UTC: any that tzdata has and "Z" and "", or one of "", UTC, Etc/UTC, GMT, Etc/GMT, Z.
bool is_utc_name(std::string_view name, UtcNames names);

// As their namesakes in model/time_unit.h, by the calendar of a zone. Hours and less are exact durations; a day has as
// many hours as it has there.
Timestamp add_units(Timestamp t, std::int64_t n, TimeUnit unit, TimeZone zone);
std::int64_t units_between(Timestamp from, Timestamp to, TimeUnit unit, TimeZone zone);
Timestamp calendar_start(Timestamp t, TimeUnit unit, TimeZone zone);

}  // namespace varve::model
