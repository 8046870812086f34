// SPDX-License-Identifier: Apache-2.0
#include "language/logql/lexer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "base/ascii.h"
#include "language/logql/units.h"
#include "protocol/json/unescape.h"

namespace varve::language::logql {
namespace {

constexpr CharSet kWord("_", true);
constexpr std::string_view kDigits = "0123456789";

// Longer signs before those that they begin with.
constexpr std::array<std::string_view, 30> kSigns{
    "|=", "|~", "|>", "!=", "!~", "!>", "=~", "==", ">=", "<=", "--", "|", "=", ">", "<",
    "{",  "}",  "(",  ")",  "[",  "]",  ",",  "+",  "-",  "*",  "/",  "%", "^", ".", ":"};

class Lexer {
 public:
  explicit Lexer(std::string_view query) : query_(query) {}

  Result<std::vector<Token>> all() {
    while (true) {
      skip_blanks();
      Token token;
      token.at = at_;
      if (at_ == query_.size()) {
        out_.push_back(std::move(token));
        return std::move(out_);
      }
      VARVE_RETURN_IF_ERROR(next(token));
      out_.push_back(std::move(token));
    }
  }

 private:
  [[nodiscard]] std::string_view rest() const { return query_.substr(at_); }
  [[nodiscard]] std::unexpected<Error> error(std::size_t at, std::string_view what) const {
    return error_at(query_, at, what);
  }

  void skip_blanks() {
    while (at_ < query_.size()) {
      if (query_[at_] == '#') {
        at_ = std::min(query_.find('\n', at_), query_.size());
      } else if (std::string_view(" \t\r\n").contains(query_[at_])) {
        ++at_;
      } else {
        return;
      }
    }
  }

  Status next(Token& token) {
    const char c = query_[at_];
    if (c == '"') return quoted(token);
    if (c == '`') return raw(token);
    if (kDigits.contains(c)) return number(token);
    if (kWord.contains(c)) {
      token.kind = Token::Kind::identifier;
      const std::size_t from = at_;
      while (at_ < query_.size() && kWord.contains(query_[at_])) ++at_;
      token.text = query_.substr(from, at_ - from);
      return {};
    }
    const auto* const sign =
        std::ranges::find_if(kSigns, [&](std::string_view one) { return rest().starts_with(one); });
    if (sign == kSigns.end()) return error(at_, "syntax error: unexpected character");
    token.kind = Token::Kind::sign;
    token.text = *sign;
    at_ += sign->size();
    return {};
  }

  Status raw(Token& token) {
    const std::size_t end = query_.find('`', at_ + 1);
    if (end == std::string_view::npos) return error(at_, "literal not terminated");
    token.kind = Token::Kind::string;
    token.text = query_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return {};
  }

  Status quoted(Token& token) {
    token.kind = Token::Kind::string;
    for (++at_; at_ < query_.size() && query_[at_] != '\n'; ++at_) {
      if (query_[at_] == '"') {
        ++at_;
        return {};
      }
      if (query_[at_] != '\\') {
        token.text += query_[at_];
      } else if (!escape(token.text)) {
        return error(token.at, "invalid char escape");
      }
    }
    return error(token.at, "literal not terminated");
  }

  // As Go has them. Stands at the backslash, and then at the last character of what belongs to it.
  bool escape(std::string& out) {
    if (++at_ == query_.size()) return false;
    const char c = query_[at_];
    constexpr std::string_view kNames = "abfnrtv\\\"'", kMean = "\a\b\f\n\r\t\v\\\"'";
    if (const auto place = kNames.find(c); place != std::string_view::npos) {
      out += kMean[place];
      return true;
    }
    if (c == 'x') return number_escape(out, 1, 2, 16);
    if (c == 'u') return number_escape(out, 1, 4, 16);
    if (c == 'U') return number_escape(out, 1, 8, 16);
    return number_escape(out, 0, 3, 8);
  }

  bool number_escape(std::string& out, std::size_t skip, std::size_t digits, int base) {
    const std::string_view text = rest().substr(skip, digits);
    std::uint32_t code = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), code, base);
    if (text.size() != digits || read.ec != std::errc() || read.ptr != text.data() + digits) return false;
    at_ += skip + digits - 1;
    if (digits <= 3) {
      if (code > 0xff) return false;
      out += static_cast<char>(code);
      return true;
    }
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return false;
    protocol::json::append_utf8(out, code);
    return true;
  }

  // 5, 1.5e3, 5m, 1h30m, 10KiB.
  Status number(Token& token) {
    const std::size_t from = at_;
    const char* const begin = query_.data() + at_;
    const char* const end = query_.data() + query_.size();
    const auto read = std::from_chars(begin, end, token.value);
    if (read.ec != std::errc()) return error(from, "syntax error: a number is out of range");
    at_ += static_cast<std::size_t>(read.ptr - begin);
    token.kind = Token::Kind::number;
    const auto belongs = [](char c) { return kWord.contains(c) || c == '.' || static_cast<unsigned char>(c) >= 0x80; };
    if (at_ == query_.size() || !belongs(query_[at_])) return {};
    while (at_ < query_.size() && belongs(query_[at_])) ++at_;
    const std::string_view text = query_.substr(from, at_ - from);
    if (const auto duration = duration_ns(text)) {
      token.kind = Token::Kind::duration;
      token.value = static_cast<double>(*duration) / static_cast<double>(kSecondNs);
      token.text = text;
      return {};
    }
    if (const auto bytes = bytes_of(text)) {
      token.kind = Token::Kind::bytes;
      token.value = *bytes;
      return {};
    }
    return error(from, "not a valid number, duration or size: \"" + std::string(text.substr(0, 100)) + "\"");
  }

  std::string_view query_;
  std::size_t at_ = 0;
  std::vector<Token> out_;
};

}  // namespace

std::unexpected<Error> error_at(std::string_view query, std::size_t at, std::string_view what, Code code) {
  const std::string_view before = query.substr(0, at);
  const auto line = 1 + std::ranges::count(before, '\n');
  const std::size_t start = before.rfind('\n');
  const std::size_t column = start == std::string_view::npos ? at + 1 : at - start;
  return fail(code, "parse error at line " + std::to_string(line) + ", col " + std::to_string(column) + ": " +
                        std::string(what));
}

std::string name_of(const Token& token) {
  switch (token.kind) {
    case Token::Kind::end: return "$end";
    case Token::Kind::identifier: return "IDENTIFIER";
    case Token::Kind::string: return "STRING";
    case Token::Kind::number: return "NUMBER";
    case Token::Kind::duration: return "DURATION";
    case Token::Kind::bytes: return "BYTES";
    case Token::Kind::sign: return token.text;
  }
  return "?";
}

Result<std::vector<Token>> tokens_of(std::string_view query) {
  if (query.size() > kQueryBytesMax) {
    return fail(Code::invalid, "parse error : input size too long (" + std::to_string(query.size()) + " > " +
                                   std::to_string(kQueryBytesMax) + ")");
  }
  return Lexer(query).all();
}

}  // namespace varve::language::logql
