// SPDX-License-Identifier: Apache-2.0
#include "protocol/json/reader.h"

#include <strings.h>

#include <algorithm>
#include <vector>

#include "base/hex.h"
#include "protocol/json/number.h"
#include "protocol/json/text.h"
#include "protocol/json/unescape.h"

namespace varve::protocol::json {
namespace {

constexpr std::size_t kDepthMax = 256;

// Ends an unquoted text, and cannot start one.
bool is_special(char c) { return std::string_view("/\\;#={}[]:, \t\f\r\n").find(c) != std::string_view::npos; }

// Length of the JSON number at the start of `text`, 0 if there is none.
std::size_t number_length(std::string_view text) {
  std::size_t at = text.starts_with('-') ? 1 : 0;
  const auto digits = [&] {
    const std::size_t from = at;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
    return at - from;
  };
  const bool zero = at < text.size() && text[at] == '0';
  const auto whole = digits();
  if (whole == 0 || (zero && whole > 1)) return 0;
  if (at < text.size() && text[at] == '.') {
    ++at;
    if (digits() == 0) return 0;
  }
  if (at < text.size() && (text[at] | 0x20) == 'e') {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    if (digits() == 0) return 0;
  }
  return at;
}

// Four hex digits, or -1.
int hex4(const char* at, const char* end) {
  if (end - at < 4) return -1;
  int value = 0;
  for (int i = 0; i < 4; ++i) {
    const int digit = hex_digit(at[i]);
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

std::string_view token_name(Kind kind) {
  switch (kind) {
    case Kind::null: return "NULL";
    case Kind::boolean: return "BOOLEAN";
    case Kind::number: return "NUMBER";
    case Kind::string: return "STRING";
    case Kind::array: return "BEGIN_ARRAY";
    case Kind::object: return "BEGIN_OBJECT";
    case Kind::none: break;
  }
  return "END_DOCUMENT";
}

}  // namespace

std::string Reader::place() const {
  std::size_t line = 1;
  std::size_t column = 1;  // counts UTF-16 units, as Java does
  for (const char* at = begin_; at < at_; ++at) {
    const auto byte = static_cast<unsigned char>(*at);
    if (byte == '\n') {
      ++line;
      column = 1;
    } else if ((byte & 0xc0) != 0x80) {
      column += byte >= 0xf0 ? 2 : 1;
    }
  }
  return " at line " + std::to_string(line) + " column " + std::to_string(column);
}

void Reader::fail(std::string message) {
  if (!failed()) error_ = std::move(message);
}

void Reader::fail_syntax(std::string_view what) {
  if (failed()) return;
  error_ = lenient_ ? "com.google.gson.stream.MalformedJsonException: " : "";
  error_.append(what).append(place());
}

void Reader::fail_end() {
  at_ = end_;
  fail((lenient_ ? "java.io.EOFException: End of input" : "End of input") + place());
}

// Gson looks at the token without reading it all: the place is behind what it had to read to know its kind.
void Reader::fail_state(std::string_view expected, const Element& got) {
  if (failed()) return;
  const bool keyword = got.kind == Kind::null || got.kind == Kind::boolean;
  const bool whole = got.kind == Kind::number && to_long(got.text);
  const bool opened = std::string_view("\"'[{").find(*got.begin) != std::string_view::npos;
  at_ = got.begin + (keyword || whole ? got.text.size() : opened ? 1 : 0);
  error_.append("java.lang.IllegalStateException: Expected ").append(expected).append(" but was ");
  error_.append(token_name(got.kind)).append(place());
}

bool Reader::need_lenient() {
  if (!lenient_) fail_syntax(strict_ ? "Malformed JSON" : "Use JsonReader.setLenient(true) to accept malformed JSON");
  return lenient_;
}

// At '/' or '#'. False: it is not a comment (or a failure).
bool Reader::skip_comment() {
  if (*at_ == '/' && (at_ + 1 == end_ || (at_[1] != '/' && at_[1] != '*'))) return false;
  if (!need_lenient()) return false;
  if (*at_ == '/' && at_[1] == '*') {
    const std::string_view rest(at_ + 2, static_cast<std::size_t>(end_ - at_ - 2));
    const auto close = rest.find("*/");
    if (close == std::string_view::npos) {
      at_ = end_;
      fail_syntax("Unterminated comment");
      return false;
    }
    at_ += 2 + close + 2;
    return true;
  }
  while (at_ < end_ && *at_ != '\n' && *at_ != '\r') ++at_;
  return true;
}

int Reader::next_char() {
  if (failed()) return -1;
  if (at_ == begin_ && !strict_ &&
      std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with("\xef\xbb\xbf"))
    at_ += 3;
  while (at_ < end_) {
    const char c = *at_;
    if (c == ' ' || c == '\n' || c == '\r' || c == '\t') {
      ++at_;
    } else if (c == '/' || c == '#') {
      if (skip_comment()) continue;
      if (failed()) return -1;
      ++at_;
      return c;
    } else {
      ++at_;
      return static_cast<unsigned char>(c);
    }
  }
  fail_end();
  return -1;
}

void Reader::escape(std::string& out) {
  const char c = *at_++;
  switch (c) {
    case 't': out += '\t'; return;
    case 'b': out += '\b'; return;
    case 'n': out += '\n'; return;
    case 'r': out += '\r'; return;
    case 'f': out += '\f'; return;
    case 'u': break;
    default:
      if (strict_ && c != '"' && c != '\\' && c != '/') return fail_syntax("Invalid escape sequence");
      out += c;
      return;
  }
  const int unit = hex4(at_, end_);
  if (unit < 0) {
    const auto shown = std::string(at_, std::min<std::size_t>(4, static_cast<std::size_t>(end_ - at_)));
    return fail((strict_ ? "Invalid escape sequence \\u" : "java.lang.NumberFormatException: \\u") + shown);
  }
  at_ += 4;
  auto point = static_cast<std::uint32_t>(unit);
  if (point >= 0xd800 && point < 0xe000) {
    const int low = point < 0xdc00 && end_ - at_ >= 6 && at_[0] == '\\' && at_[1] == 'u' ? hex4(at_ + 2, end_) : -1;
    if (low >= 0xdc00 && low < 0xe000) {
      at_ += 6;
      point = 0x10000 + ((point & 0x3ff) << 10) + (static_cast<std::uint32_t>(low) & 0x3ff);
    } else if (decode_ && (in_name_ || !keep_cut_texts_)) {
      return fail_syntax("Half of a surrogate pair");
    } else {
      point = 0xfffd;
    }
  }
  append_utf8(out, point);
}

// Is `c` something else than a character of the string?
bool Reader::ends_text(char c, char quote) const {
  return c == quote || c == '\\' || (strict_ && static_cast<unsigned char>(c) < 0x20);
}

// Goes over characters of a string, 32 a step, as far as that is possible with nothing readable behind the body.
void Reader::skip_plain(char quote) {
  constexpr std::ptrdiff_t kStep = 32;
  if (quote != '"' || end_ - at_ <= kStep) return;
  const char* const last = end_ - kStep;
  at_ = std::min(find_string_stop(at_, last), last);
}

// Behind the opening quote.
std::string_view Reader::quoted(char quote) {
  const char* from = at_;
  skip_plain(quote);
  while (at_ < end_ && !ends_text(*at_, quote)) ++at_;
  if (at_ < end_ && *at_ == quote) return {from, static_cast<std::size_t>(at_++ - from)};
  std::string decoded(from, at_);
  while (at_ < end_ && *at_ != quote && !failed()) {
    if (*at_ == '\\') {
      if (++at_ < end_) escape(decoded);
    } else if (ends_text(*at_, quote)) {
      fail_syntax("Control character in a string");
    } else {
      const char* const plain = at_++;
      skip_plain(quote);
      decoded.append(plain, at_);
    }
  }
  if (failed()) return {};
  if (at_ == end_) {
    fail_syntax("Unterminated string");
    return {};
  }
  ++at_;
  if (!decode_) return {};
  texts_.push_back(std::move(decoded));
  return texts_.back();
}

std::string_view Reader::unquoted() {
  const char* from = at_;
  while (at_ < end_ && !is_special(*at_)) ++at_;
  return {from, static_cast<std::size_t>(at_ - from)};
}

// A keyword in any case, a number, or else (lenient) an unquoted text.
Element Reader::literal() {
  Element e;
  e.begin = at_;
  const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
  const auto ends_at = [&](std::size_t length) { return length == rest.size() || is_special(rest[length]); };
  for (const std::string_view word : {"true", "false", "null"}) {
    const bool same = rest.starts_with(word) || (!strict_ && rest.size() >= word.size() &&
                                                 strncasecmp(rest.data(), word.data(), word.size()) == 0);
    if (same && ends_at(word.size())) {
      at_ += word.size();
      e.kind = word == "null" ? Kind::null : Kind::boolean;
      e.text = word;
      return e;
    }
  }
  if (const auto length = number_length(rest); length > 0 && ends_at(length)) {
    at_ += length;
    e.kind = Kind::number;
    e.text = rest.substr(0, length);
    return e;
  }
  if (is_special(*at_)) {
    fail_syntax("Expected value");
  } else if (need_lenient()) {
    e.kind = Kind::string;
    e.text = unquoted();
  }
  return e;
}

Element Reader::value() {
  Element e;
  const int c = next_char();
  if (c < 0) return e;
  e.begin = at_ - 1;
  switch (c) {
    case '[': e.kind = Kind::array; return e;
    case '{': e.kind = Kind::object; return e;
    case '\'':
      if (!need_lenient()) return e;
      [[fallthrough]];
    case '"':
      e.text = quoted(static_cast<char>(c));
      e.quoted = c == '"';
      if (!failed()) e.kind = Kind::string;
      return e;
    case ']':
    case ',':
    case ';': fail_syntax("Unexpected value"); return e;
    default: --at_; return literal();
  }
}

bool Reader::next_name(bool& first, std::string_view& name) {
  if (!first) {
    const int c = next_char();
    if (c < 0 || c == '}') return false;
    if (c != ',' && !(c == ';' && need_lenient())) {
      fail_syntax("Unterminated object");
      return false;
    }
  }
  const int c = next_char();
  if (c < 0 || (c == '}' && first)) return false;
  first = false;
  if (c == '"' || (c == '\'' && need_lenient())) {
    in_name_ = true;
    name = quoted(static_cast<char>(c));
    in_name_ = false;
  } else {
    if (c != '}' && !need_lenient()) return false;
    if (is_special(static_cast<char>(c))) {
      if (c != '}') --at_;
      fail_syntax("Expected name");
      return false;
    }
    --at_;
    name = unquoted();
  }
  const int colon = next_char();
  if (colon < 0) return false;
  if (colon == '=' && need_lenient()) {
    if (at_ < end_ && *at_ == '>') ++at_;
  } else if (colon != ':') {
    fail_syntax("Expected ':'");
  }
  return !failed();
}

bool Reader::next_item(bool& first, Element& item) {
  if (!first) {
    const int c = next_char();
    if (c < 0 || c == ']') return false;
    if (c != ',' && !(c == ';' && need_lenient())) {
      fail_syntax("Unterminated array");
      return false;
    }
  }
  const int c = next_char();
  if (c < 0 || (c == ']' && first)) return false;
  first = false;
  --at_;
  if (c == ']' || c == ',' || c == ';') {
    if (!need_lenient()) return false;
    item = {Kind::null, false, {}, at_};
    return true;
  }
  item = value();
  return !failed();
}

void Reader::skip(const Element& opened) {
  if (opened.kind != Kind::array && opened.kind != Kind::object) return;
  struct Level {
    bool object;
    bool first = true;
  };
  std::vector<Level> levels{{opened.kind == Kind::object}};
  decode_ = false;
  while (!levels.empty() && !failed()) {
    auto& level = levels.back();
    Element e;
    std::string_view name;
    if (level.object ? !next_name(level.first, name) : !next_item(level.first, e)) {
      levels.pop_back();
      continue;
    }
    if (level.object) e = value();
    if (e.kind != Kind::array && e.kind != Kind::object) continue;
    if (levels.size() == kDepthMax) fail_syntax("Nested too deeply");
    levels.push_back({e.kind == Kind::object});
  }
  decode_ = true;
}

bool Reader::at_end() {
  while (at_ < end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
  return at_ == end_;
}

}  // namespace varve::protocol::json
