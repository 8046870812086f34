// SPDX-License-Identifier: Apache-2.0
// Strings with escapes, as they were meant; RFC 8259 to the letter. Bytes that are not UTF-8 stay as they are.
#pragma once

namespace varve::protocol::json {

// How many bytes behind the end of what it reads, and of what it writes, unescape() may touch.
inline constexpr unsigned kUnescapeSlack = 48;

// `at` stands behind an opening quote. Writes the string to `out`, which needs room for as many bytes as it has in
// JSON, and moves `out` behind it. Returns the place behind the closing quote, or nullptr if there is none before
// `end`, or an escape or a control character that JSON does not have, or half of a surrogate pair.
const char* unescape(const char* at, const char* end, char*& out);

// Appends the character's UTF-8 at `out`; returns the end.
char* put_utf8(char* out, unsigned character);

}  // namespace varve::protocol::json
