// SPDX-License-Identifier: Apache-2.0
#include "language/promql/lexer.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "language/promql/literal.h"

namespace varve::language::promql {
namespace {

using Kind = Token::Kind;
using Word = Token::Word;

constexpr CharSet kNameStart("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_");
constexpr CharSet kNamePart("_", true);
constexpr CharSet kMetricPart("_:", true);
constexpr std::string_view kDecimals = "0123456789", kHexDigits = "0123456789abcdefABCDEF", kBlanks = " \t\n\r";

constexpr std::array<std::pair<std::string_view, Word>, 32> kWords{{
    {"and", Word::operation},        {"or", Word::operation},        {"unless", Word::operation},
    {"atan2", Word::operation},      {"sum", Word::aggregation},     {"avg", Word::aggregation},
    {"count", Word::aggregation},    {"min", Word::aggregation},     {"max", Word::aggregation},
    {"group", Word::aggregation},    {"stddev", Word::aggregation},  {"stdvar", Word::aggregation},
    {"topk", Word::aggregation},     {"bottomk", Word::aggregation}, {"count_values", Word::aggregation},
    {"quantile", Word::aggregation}, {"limitk", Word::aggregation},  {"limit_ratio", Word::aggregation},
    {"offset", Word::keyword},       {"by", Word::keyword},          {"without", Word::keyword},
    {"on", Word::keyword},           {"ignoring", Word::keyword},    {"group_left", Word::keyword},
    {"group_right", Word::keyword},  {"bool", Word::keyword},        {"anchored", Word::keyword},
    {"smoothed", Word::keyword},     {"start", Word::keyword},       {"end", Word::keyword},
    {"step", Word::keyword},         {"range", Word::keyword},
}};

// Longer signs before those that they begin with.
constexpr std::array<std::string_view, 22> kQuerySigns{"==", "!=", "<=", "</", ">=", ">/", "(", ")", "{", "}", "[",
                                                       ",",  "+",  "-",  "*",  "/",  "%",  "^", "<", ">", "=", "@"};
constexpr std::array<std::string_view, 6> kBraceSigns{"=~", "!~", "!=", "=", ",", "}"};
constexpr std::array<std::string_view, 11> kBracketSigns{"+", "-", "*", "/", "%", "^", "(", ")", ",", ":", "]"};

template <class Signs>
std::string_view sign_at(const Signs& signs, std::string_view text) {
  for (const std::string_view one : signs) {
    if (text.starts_with(one)) return one;
  }
  return {};
}

class PromqlLexer {
 public:
  explicit PromqlLexer(std::string_view query) : query_(query) {}

  std::vector<Token> all() {
    do next();
    while (out_.back().kind != Kind::end && out_.back().kind != Kind::error);
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::string_view rest() const { return query_.substr(at_); }
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < query_.size() ? query_[at_ + ahead] : '\0';
  }

  void emit(Kind kind, std::size_t from, Word word = {}, std::string value = {}) {
    out_.push_back({kind, word, query_.substr(from, at_ - from), std::move(value), {from, at_}});
  }
  void error(std::size_t from, std::string what) {
    out_.push_back({Kind::error, {}, {}, std::move(what), {from, at_}});
  }
  // The character `ahead` of here, as an error shows it.
  [[nodiscard]] std::string shown(std::size_t ahead = 0) const {
    if (at_ + ahead >= query_.size()) return "'\\ufffd'";
    const Character one = first_character(rest().substr(ahead));
    std::string text = quoted(rest().substr(ahead, one.bytes));
    text = one.code == '"' ? "\"" : one.code == '\'' ? "\\'" : text.substr(1, text.size() - 2);
    return "'" + text + "'";
  }

  void skip_blanks_and_comments() {
    while (at_ < query_.size()) {
      if (query_[at_] == '#' && !brackets_) {
        at_ = std::min(query_.find('\n', at_), query_.size());
      } else if (kBlanks.contains(query_[at_])) {
        ++at_;
      } else {
        return;
      }
    }
  }

  void next() {
    skip_blanks_and_comments();
    if (at_ == query_.size()) return at_end();
    if (braces_) return in_braces();
    if (brackets_) return in_brackets();
    in_query();
  }

  void at_end() {
    if (braces_) return error(at_, "unexpected end of input inside braces");
    if (parentheses_ > 0) return error(at_, "unclosed left parenthesis");
    if (brackets_) return error(at_, "unclosed left bracket");
    emit(Kind::end, at_);
  }

  void in_query() {
    const char c = peek();
    if (kDecimals.contains(c) || (c == '.' && kDecimals.contains(peek(1)))) return number();
    if (kNameStart.contains(c) || c == ':') return word();
    if (c == '"' || c == '\'') return string(c);
    if (c == '`') return raw_string();
    const std::string_view sign = sign_at(kQuerySigns, rest());
    if (sign == "=" && peek(1) == '~') return error(at_, "unexpected character after '=': " + shown(1));
    if (sign.empty() && c == '!') return error(at_, "unexpected character after '!': " + shown(1));
    if (c == ']') return error(at_, "unexpected right bracket ']'");
    if (sign.empty()) return error(at_, "unexpected character: " + shown());
    if (sign == "}") return error(at_, "unexpected right brace '}'");
    take_sign(sign);
  }

  void in_braces() {
    const char c = peek();
    if (kNameStart.contains(c)) {
      const std::size_t from = at_;
      while (kNamePart.contains(peek())) ++at_;
      return emit(Kind::word, from, Word::name, std::string(query_.substr(from, at_ - from)));
    }
    if (c == '"' || c == '\'') return string(c);
    if (c == '`') return raw_string();
    const std::string_view sign = sign_at(kBraceSigns, rest());
    if (!sign.empty()) return take_sign(sign);
    if (c == '!') return error(at_, "unexpected character after '!' inside braces: " + shown(1));
    if (c == '{') return error(at_, "unexpected left brace '{'");
    error(at_, "unexpected character inside braces: " + shown());
  }

  void in_brackets() {
    const char c = peek();
    if (kDecimals.contains(c) || c == '.') return number();
    if (kNameStart.contains(c)) {
      constexpr std::array<std::string_view, 6> kNames{"step", "range", "min", "max", "min_of", "max_of"};
      const std::string what = "unexpected character in duration expression: " + shown();
      const std::size_t from = at_;
      while (kNamePart.contains(peek())) ++at_;
      std::string name = lower(query_.substr(from, at_ - from));
      if (std::ranges::find(kNames, name) == kNames.end()) return error(from, what);
      return emit(Kind::word, from, Word::keyword, std::move(name));
    }
    const std::string_view sign = sign_at(kBracketSigns, rest());
    if (sign.empty()) return error(at_, "unexpected character in duration expression: " + shown());
    if (sign == ":" && std::exchange(colon_, true)) return error(at_, "unexpected colon ':'");
    take_sign(sign);
  }

  void take_sign(std::string_view sign) {
    const std::size_t from = at_;
    at_ += sign.size();
    if (sign == "(") ++parentheses_;
    if (sign == ")" && parentheses_-- == 0) return error(at_, "unexpected right parenthesis ')'");
    if (sign == "{") braces_ = true;
    if (sign == "}") braces_ = false;
    if (sign == "[") brackets_ = true, colon_ = false;
    if (sign == "]") brackets_ = false;
    emit(Kind::sign, from);
  }

  void word() {
    const std::size_t from = at_;
    while (kMetricPart.contains(peek())) ++at_;
    std::string name = lower(query_.substr(from, at_ - from));
    if (name == "inf" || name == "nan") return emit(Kind::number, from);
    const auto* const known =
        std::ranges::find(kWords, std::string_view(name), &std::pair<std::string_view, Word>::first);
    emit(Kind::word, from, known == kWords.end() ? Word::name : known->second, std::move(name));
  }

  void string(char quote) {
    const std::size_t from = at_;
    for (++at_; at_ < query_.size() && query_[at_] != '\n'; ++at_) {
      if (query_[at_] == quote) {
        ++at_;
        auto value = unescaped(query_.substr(from + 1, at_ - from - 2), quote);
        if (!value) return error(from, value.error().message);
        return emit(Kind::string, from, {}, std::move(*value));
      }
      if (query_[at_] == '\\' && at_ + 1 < query_.size()) ++at_;
    }
    error(from, "unterminated quoted string");
  }

  void raw_string() {
    const std::size_t from = at_;
    const std::size_t end = query_.find('`', at_ + 1);
    at_ = std::min(end, query_.size());
    if (end == std::string_view::npos) return error(from, "unterminated raw string");
    ++at_;
    emit(Kind::string, from, {}, std::string(query_.substr(from + 1, at_ - from - 2)));
  }

  // Digits with single underscores between them.
  void skip_digits(std::string_view digits) {
    while (digits.contains(peek()) || (peek() == '_' && digits.contains(peek(1)))) ++at_;
  }

  void number() {
    const std::size_t from = at_;
    if (peek() == '0' && lower(peek(1)) == 'x') {
      at_ += 2;
      skip_digits(kHexDigits);
    } else {
      skip_digits(kDecimals);
      if (peek() == '.') {
        ++at_;
        skip_digits(kDecimals);
      }
      const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
      if (lower(peek()) == 'e' && kDecimals.contains(peek(1 + sign))) {
        at_ += 1 + sign;
        skip_digits(kDecimals);
      }
    }
    if (!kNamePart.contains(peek())) return emit(Kind::number, from);
    if (skip_units()) return emit(Kind::duration, from);
    error(from, "bad number or duration syntax: " + quoted(query_.substr(from, at_ - from)));
  }

  // 5m, 1h30m: behind the first digits. Which units there are, and in which order, is looked at later.
  bool skip_units() {
    constexpr std::string_view kUnits = "smhdwy";
    do {
      while (kDecimals.contains(peek())) ++at_;
      if (!kUnits.contains(peek())) return false;
      ++at_;
      if (peek() == 's') ++at_;
    } while (kDecimals.contains(peek()));
    if (!kNamePart.contains(peek())) return true;
    ++at_;
    return false;
  }

  std::string_view query_;
  std::size_t at_ = 0;
  std::size_t parentheses_ = 0;
  bool braces_ = false;
  bool brackets_ = false;
  bool colon_ = false;  // was within these brackets
  std::vector<Token> out_;
};

}  // namespace

std::vector<Token> tokens_of(std::string_view query) { return PromqlLexer(query).all(); }

std::unexpected<Error> error_at(std::string_view query, std::size_t at, std::string_view what) {
  if (query.empty()) return fail(Code::invalid, "unknown position: parse error: " + std::string(what));
  const std::string_view before = query.substr(0, at);
  const auto line = 1 + std::ranges::count(before, '\n');
  const std::size_t start = before.rfind('\n');
  const std::size_t column = start == std::string_view::npos ? at + 1 : at - start;
  return fail(Code::invalid,
              std::to_string(line) + ":" + std::to_string(column) + ": parse error: " + std::string(what));
}

std::string description_of(const Token& token) {
  constexpr std::size_t kShown = 10;
  constexpr std::string_view kOperatorSigns = " == != <= </ >= >/ + - * / % ^ < > @ =~ !~ ";
  const std::string text(token.text);
  const std::string short_text = text.size() > kShown ? quoted(text.substr(0, kShown)) + "..." : quoted(text);
  switch (token.kind) {
    case Kind::end: return "end of input";
    case Kind::error: return token.value;
    case Kind::string: return "string " + short_text;
    case Kind::number: return "number " + short_text;
    case Kind::duration: return "duration " + short_text;
    case Kind::sign: return kOperatorSigns.contains(" " + text + " ") ? "<op:" + text + ">" : quoted(text);
    case Kind::word: break;
  }
  switch (token.word) {
    case Word::operation: return "<op:" + text + ">";
    case Word::aggregation: return "<aggr:" + text + ">";
    case Word::keyword: return "<" + text + ">";
    case Word::name: return (text.contains(':') ? "metric identifier " : "identifier ") + quoted(text);
  }
  return text;
}

}  // namespace varve::language::promql
