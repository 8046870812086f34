// SPDX-License-Identifier: Apache-2.0
// TimeZone: determines where days, weeks, months and years begin. UTC by default. Rules are read from the system's
// tzdata when a zone is first used.
//
// Local time is represented as a Timestamp, too: the time that a local clock shows, read as if it were UTC.
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
  // All names known to the system, sorted; without tzdata only UTC.
  static std::vector<std::string> names();

  [[nodiscard]] bool is_utc() const { return rules_ == nullptr; }
  [[nodiscard]] Timestamp to_local(Timestamp t) const { return is_utc() ? t : t + offset_ms(t); }
  // Local times skipped in spring are converted with the offset before the change; ambiguous ones in autumn are taken
  // as the earlier time.
  [[nodiscard]] Timestamp to_utc(Timestamp local) const { return is_utc() ? local : unshifted(local); }

  bool operator==(const TimeZone&) const = default;

 private:
  struct Rules;
  [[nodiscard]] std::int64_t offset_ms(Timestamp t) const;
  [[nodiscard]] Timestamp unshifted(Timestamp local) const;

  const Rules* rules_ = nullptr;
};

enum class UtcNames : std::uint8_t { all, common };
// Is it a name of UTC? all: any in tzdata, "Z" and ""; common: "", UTC, Etc/UTC, GMT, Etc/GMT and Z.
bool is_utc_name(std::string_view name, UtcNames names);

// Like the functions in model/time_unit.h, by the calendar of a zone. Hours and less are exact durations; days have as
// many hours as they have in the zone.
Timestamp add_units(Timestamp t, std::int64_t n, TimeUnit unit, TimeZone zone);
std::int64_t units_between(Timestamp from, Timestamp to, TimeUnit unit, TimeZone zone);
Timestamp calendar_start(Timestamp t, TimeUnit unit, TimeZone zone);

}  // namespace varve::model
