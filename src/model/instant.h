// SPDX-License-Identifier: Apache-2.0
// Instants: points in time as people write them; ours are of UTC.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/time.h"

namespace varve::model {

// Appends 2020-11-10T14:24:35Z or, where there are milliseconds, 2020-11-10T14:24:35.250Z. Years outside of 0..9999 get
// a sign, as in +12345-01-01T00:00:00Z.
void append_instant(std::string& out, Timestamp t);

inline std::string instant(Timestamp t) {
  std::string out;
  append_instant(out, t);
  return out;
}

// What a product takes beside 2020-11-10T14:24Z, 2020-11-10T14:24:35Z, 2020-11-10T14:24:35.250Z and offsets as +01:00.
struct InstantForm {
  bool any_year = false;  // a sign before the year (or a blank, which a URL made of '+'), then up to six digits of it
  bool short_offset = false;  // +0100 and +01, and a blank for '+'
  bool any_fraction = false;  // more than nine digits, and also behind minutes
};
// Letters may be small. Nothing: not one. It may lie beyond Timestamp's range.
std::optional<Timestamp> parse_instant(std::string_view text, InstantForm form);

// At least `width` digits. number ≥ 0.
void append_padded(std::string& out, std::int64_t number, std::size_t width);

}  // namespace varve::model
