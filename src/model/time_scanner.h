// SPDX-License-Identifier: Apache-2.0
// TimeScanner: reads dates and clock times from the front of a text. Each call returns whether it succeeded; a failed
// one may have consumed text.
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

  // Reads a character; a letter, given in upper case, in either case.
  bool take(char c);
  // Reads from `least` to `most` digits; most ≤ 18.
  bool number(std::size_t least, std::size_t most, std::int64_t& out);
  // Reads a dot and at most `most` digits, and adds them to `ms`; truncates to milliseconds.
  bool fraction(std::size_t most, std::int64_t& ms);

  // Reads yyyy-MM-dd with `between` instead of '-', and returns the start of that day. With `any_year` the year may
  // have a sign (or a blank, which '+' becomes in a URL) and then up to six digits. nullopt: not a date of the
  // calendar.
  std::optional<Timestamp> date(char between, bool any_year = false);
  // Reads HH:mm or HH:mm:ss; returns milliseconds.
  std::optional<std::int64_t> clock(bool* has_seconds = nullptr);

 private:
  std::string_view text_;
};

}  // namespace varve::model
