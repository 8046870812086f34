// SPDX-License-Identifier: Apache-2.0
// Expressions: what users write as regular expressions, compiled once for each question, with a bound on their number
// and size. Compiling takes milliseconds: not on a thread that serves connections.
//
//   Expressions expressions;
//   VARVE_RETURN_IF_ERROR(expressions.check(own));
//   VARVE_ASSIGN_OR_RETURN(matcher.regex, expressions.compile(".*(?:" + own + ").*"));
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/regex.h"
#include "base/result.h"
#include "index/matcher.h"

namespace varve::query {

// Of one question. One thread.
class Expressions {
 public:
  static constexpr std::size_t kCountMax = 100;
  static constexpr std::size_t kBytesMax = 16'384;           // of all that users wrote
  static constexpr std::size_t kInstructionsMax = 65'536;    // of all programs
  static constexpr std::size_t kCompiledBytesMax = 262'144;  // of one, with the literals that were added to it

  // To be called for each one that a user wrote. Error: invalid (too many, too long).
  Status count(std::string_view own);
  // The same, and is it one by itself, also as a part of another one? "x)|(b" is not, but "(?:x)|(b)" would compile.
  Status check(std::string_view own);
  // One that was counted, or is made of those that were checked and of literals. Error: invalid (wrong, too large).
  Result<Regex> compile(std::string_view expression);
  // A matcher of this kind: regex or not_regex.
  Result<index::Matcher> matcher(std::string key, index::Matcher::Kind kind, std::string expression);

 private:
  std::size_t count_ = 0;
  std::size_t bytes_ = 0;
  std::size_t instructions_ = 0;
};

// Appends an RE2 expression that matches exactly these bytes.
inline void append_quoted(std::string& expression, std::string_view literal) {
  for (const char c : literal) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c < 0;
    if (c == '\0') {
      expression += "\\x00";
      continue;
    }
    if (!plain) expression += '\\';
    expression += c;
  }
}

}  // namespace varve::query
