// SPDX-License-Identifier: Apache-2.0
// Reads dates and clock times from the front of a text. Each step says whether it was there; what a failed one has
// taken is lost.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/time.h"

namespace varve::model {

class TimeScanner {
 public:
  explicit TimeScanner(std::string_view text) : text_(text) {}

  [[nodiscard]] bool at_end() const { return text_.empty(); }
  [[nodiscard]] char peek() const { return text_.empty() ? '\0' : text_.front(); }
  [[nodiscard]] bool at_digit() const { return peek() >= '0' && peek() <= '9'; }

  // A letter (given in upper case) in any case.
  bool take(char c);
  // From `least` to `most` digits; at most 18.
  bool number(std::size_t least, std::size_t most, std::int64_t& out);
  // Digits behind a dot, at most `most`, added to `ms`; what is finer is cut off.
  bool fraction(std::size_t most, std::int64_t& ms);

  // yyyy-MM-dd with `between` for '-': the milliseconds of its beginning. With `any_year` a year may have a sign (or a
  // blank, which a URL made of '+') and then up to six digits. Nothing: no date of the calendar.
  std::optional<Timestamp> date(char between, bool any_year = false);
  // HH:mm or HH:mm:ss, in milliseconds.
  std::optional<std::int64_t> clock(bool* has_seconds = nullptr);

 private:
  std::string_view text_;
};

}  // namespace varve::model
