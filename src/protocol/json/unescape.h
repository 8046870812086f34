// SPDX-License-Identifier: Apache-2.0
// Strings with escapes, as they were meant; RFC 8259 to the letter. Bytes that are not UTF-8 stay as they are.
#pragma once

#include <string>

namespace varve::protocol::json {

// How many bytes behind the end of what it reads, and of what it writes, unescape() may touch.
inline constexpr unsigned kUnescapeSlack = 48;

// `at` stands behind an opening quote. Writes the string to `out`, which needs room for as many bytes as it has in
// JSON, and moves `out` behind it. Returns the place behind the closing quote, or nullptr if there is none before
// `end`, or an escape or a control character that JSON does not have, or half of a surrogate pair.
const char* unescape(const char* at, const char* end, char*& out);

// Writes the character's UTF-8 to `out`, at most four bytes; returns the end.
char* put_utf8(char* out, unsigned character);
inline void append_utf8(std::string& out, unsigned character) {
  char bytes[4];
  out.append(bytes, put_utf8(bytes, character));
}

}  // namespace varve::protocol::json
