// SPDX-License-Identifier: Apache-2.0
// A JSON pull reader with the manners of the one in KairosDB (Gson): in lenient mode it takes unquoted and
// single-quoted names and strings, comments, ';' for ',', '=' and '=>' for ':', and an empty place in an array as null.
// For protocols that are not KairosDB's it is strict (set_strict). It is the general way; the parsers have a faster one
// for JSON as machines write it.
//
// After a failure every call says "no more", and error() has words with line and column: Gson's, or plain ones if it is
// strict.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace varve::protocol::json {

enum class Kind : std::uint8_t { none, null, boolean, number, string, array, object };

// A value. Of an array or object only the opening bracket has been read: walk it or skip() it.
// `text` (number as written, "true", string without quotes and escapes) is valid until clear_texts().
struct Element {
  Kind kind = Kind::none;
  bool quoted = false;  // a string in double quotes: its bytes say where it ends
  std::string_view text;
  const char* begin = nullptr;  // first byte of the value
};

class Reader {
 public:
  explicit Reader(std::string_view body) : begin_(body.data()), at_(begin_), end_(begin_ + body.size()) {}

  [[nodiscard]] const char* at() const { return at_; }
  void seek(const char* at) { at_ = at; }

  // Lenient, and errors named as Gson names them when it reads an object for somebody.
  void set_lenient(bool lenient) { lenient_ = lenient; }

  // RFC 8259 to the letter: keywords in lower case, no escapes and white space but its own, no control characters in
  // strings, no byte order mark. Whether all is UTF-8 is looked at by read_tree() only.
  void set_strict() { strict_ = true; }
  // Half of a surrogate pair is an error: all of them would become one name. With this it is U+FFFD in values, so that
  // a message is not lost for a character that a program cut; in names it stays an error.
  void keep_cut_texts() { keep_cut_texts_ = true; }
  [[nodiscard]] bool is_strict() const { return strict_; }
  [[nodiscard]] std::string_view document() const { return {begin_, static_cast<std::size_t>(end_ - begin_)}; }

  // The next value of the document, of a field, … Never Kind::none unless failed.
  Element value();
  // Inside an object: the next name with its colon. Start with first = true. False: '}' was read, or failure.
  bool next_name(bool& first, std::string_view& name);
  // Inside an array: the next value. Start with first = true. False: ']' was read, or failure.
  bool next_item(bool& first, Element& item);
  // Reads to the end of an array or object just opened; nothing for other kinds.
  void skip(const Element& opened);

  // The rest is white space.
  bool at_end();

  [[nodiscard]] bool failed() const { return !error_.empty(); }
  [[nodiscard]] const std::string& error() const { return error_; }
  void fail_state(std::string_view expected, const Element& got);  // "Expected a string but was BEGIN_OBJECT at …"
  void fail(std::string message);                                  // as it is
  [[nodiscard]] std::string place() const;                         // " at line 1 column 7": of the next character

  void clear_texts() { texts_.clear(); }

 private:
  void fail_syntax(std::string_view what);
  void fail_end();
  bool need_lenient();
  int next_char();  // behind white space and comments; -1: end of input, with failure
  bool skip_comment();
  void skip_plain(char quote);
  std::string_view quoted(char quote);
  [[nodiscard]] bool ends_text(char c, char quote) const;
  std::string_view unquoted();
  Element literal();
  void escape(std::string& out);

  const char* begin_;
  const char* at_;
  const char* end_;
  bool lenient_ = false;
  bool strict_ = false;
  bool keep_cut_texts_ = false;
  bool in_name_ = false;
  bool decode_ = true;
  std::string error_;
  std::deque<std::string> texts_;  // strings that had escapes
};

}  // namespace varve::protocol::json
