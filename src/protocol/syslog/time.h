// SPDX-License-Identifier: Apache-2.0
// The dates that messages begin with. Each function takes the date off the front of the text; false: there is none, and
// the text is as it was. A blank or the text's end follows a date.
#pragma once

#include <cstdint>
#include <string_view>

#include "model/time_zone.h"
#include "protocol/rfc3339.h"
#include "protocol/syslog/context.h"

namespace varve::protocol::syslog {

// 2003-10-11T22:14:15.003Z; offsets as +02:00, +0200 and +02, or none: then it is the zone's local time. Digits beyond
// nanoseconds are cut off.
bool take_rfc3339(std::string_view& text, model::TimeZone zone, PreciseTime& out);

struct Date {
  PreciseTime time;
  bool closed = false;  // a colon stands behind it: what follows is no host
  bool loose = false;   // programs begin texts with such dates, too: a host only where a tag is behind it
};
// Also Oct 11 22:14:15, of the year that brings it nearest to now and not too far ahead, in the zone's local time; as
// devices write it: `*` or `.` in front, the year before the month, behind the day or behind the clock, a fraction, a
// zone's name, a colon behind; and 2003-10-11 22:14:15.
bool take_date(std::string_view& text, const Context& context, Date& out);

}  // namespace varve::protocol::syslog
