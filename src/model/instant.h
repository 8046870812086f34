// SPDX-License-Identifier: Apache-2.0
// Instants: points in time as text; output is in UTC.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/time.h"

namespace varve::model {

// Appends 2020-11-10T14:24:35Z or, with milliseconds, 2020-11-10T14:24:35.250Z. Years outside 0..9999 have a sign, as
// in +12345-01-01T00:00:00Z.
void append_instant(std::string& out, Timestamp t);

inline std::string instant(Timestamp t) {
  std::string out;
  append_instant(out, t);
  return out;
}

// What a product accepts in addition to 2020-11-10T14:24Z, 2020-11-10T14:24:35Z, 2020-11-10T14:24:35.250Z and offsets
// like +01:00.
struct InstantForm {
  bool any_year = false;      // a sign (or a blank, which '+' becomes in a URL), then a year of up to six digits
  bool short_offset = false;  // +0100 and +01, and a blank instead of '+'
  bool any_fraction = false;  // more than nine digits, and also after minutes
};
// Letters may be lower case. nullopt: not an instant. The result may be outside kTimestampMin..kTimestampMax.
std::optional<Timestamp> parse_instant(std::string_view text, InstantForm form);

// At least `width` digits. number ≥ 0.
void append_padded(std::string& out, std::int64_t number, std::size_t width);

}  // namespace varve::model
