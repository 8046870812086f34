// SPDX-License-Identifier: Apache-2.0
// Instants: points in time as people read them, in UTC.
#pragma once

#include <string>

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

// At least `width` digits. number ≥ 0.
void append_padded(std::string& out, std::int64_t number, std::size_t width);

}  // namespace varve::model
