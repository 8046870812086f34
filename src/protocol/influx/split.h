// SPDX-License-Identifier: Apache-2.0
// Takes one line apart, with all that the protocol allows: escapes, quoted strings (also with newlines in them),
// repeated spaces, CRLF. The way of lines that the fast way does not know; nothing is registered here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "protocol/influx/number.h"

namespace varve::protocol::influx {

struct Field {
  std::string_view name;  // raw, without '='
  bool is_text = false;
  Number number;
  std::string_view text;  // raw, between the quotes
};

struct Line {
  std::string_view name;  // raw: measurement and tags
  std::vector<Field> fields;
  std::string_view time;       // raw; empty if absent
  const char* next = nullptr;  // behind the line's newline
};

// Splits lines of one text that ends with a newline. Views point into the text.
class Splitter {
 public:
  explicit Splitter(const char* end) : end_(end) {}

  // The line at `at`, which is neither blank nor a comment. Error: invalid, with what is wrong.
  Status split(const char* at, Line& line);
  // The last error was a string that is not closed before the text ends.
  [[nodiscard]] bool cut() const { return cut_; }

 private:
  Status read_fields(const char* at, Line& line);
  Result<const char*> read_text(const char* at, Field& field);
  Status read_end(const char* at, Line& line);

  const char* end_;
  const char* no_quote_from_ = nullptr;  // there is no closing quote behind this: many open ones cost one search
  bool cut_ = false;
};

// Without the protocol's escapes. Of names: \, \= and "\ "; of texts: \" and \\.
void append_name(std::string& to, std::string_view raw);
void append_text(std::string& to, std::string_view raw);

}  // namespace varve::protocol::influx
