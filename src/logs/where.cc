// SPDX-License-Identifier: Apache-2.0
#include "logs/where.h"

#include <array>
#include <utility>

namespace varve::logs {
namespace {

constexpr int kEqual = 1, kNotEqual = 2, kRange = 3, kNotInRange = 4, kPrefix = 7;

struct Operator {
  std::string_view text;
  int op;
};
// The longer ones first.
constexpr std::array<Operator, 6> kOperators{
    {{"=~", 8}, {"!=", kNotEqual}, {"<=", 5}, {">=", 6}, {"=", kEqual}, {"~", 9}}};

struct Word {
  std::string text;
  bool quoted = false;
};

class WhereParser {
 public:
  explicit WhereParser(std::string_view text) : text_(text) {}

  Result<WhereAny> parse() {
    WhereAny out(1);
    for (;;) {
      VARVE_ASSIGN_OR_RETURN(auto term, parse_term());
      out.back().push_back(std::move(term));
      skip_blanks();
      if (at_ == text_.size()) return out;
      VARVE_ASSIGN_OR_RETURN(const bool is_or, parse_joint());
      if (is_or) out.emplace_back();
    }
  }

 private:
  [[nodiscard]] std::unexpected<Error> wrong(const std::string& what) const {
    return fail(Code::invalid, what + " at character " + std::to_string(at_ + 1));
  }
  [[nodiscard]] bool at_end() const { return at_ == text_.size(); }
  [[nodiscard]] std::string_view rest() const { return text_.substr(at_); }
  void skip_blanks() {
    while (!at_end() && is_blank(text_[at_])) ++at_;
  }
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

  // True: it is OR.
  Result<bool> parse_joint() {
    std::size_t end = at_;
    while (end < text_.size() && !is_blank(text_[end])) ++end;
    const std::string_view word = text_.substr(at_, end - at_);
    for (const bool is_or : {false, true}) {
      if (word == (is_or ? "OR" : "AND") || word == (is_or ? "or" : "and")) {
        at_ = end;
        return is_or;
      }
    }
    return wrong("AND or OR is expected, not \"" + std::string(word.substr(0, 50)) +
                 "\" (a value with blanks needs quotes),");
  }

  Result<WhereTerm> parse_term() {
    skip_blanks();
    if (at_end()) return wrong("a condition such as Source=a is missing");
    if (text_[at_] == '(') return wrong("there are no parentheses; AND binds tighter than OR:");
    VARVE_ASSIGN_OR_RETURN(Word name, parse_word(true));
    if (name.text.empty()) return wrong("a name is missing");
    skip_blanks();
    WhereTerm term{.name = std::move(name.text), .op = 0, .value = {}, .value2 = {}};
    VARVE_ASSIGN_OR_RETURN(term.op, parse_operator());
    skip_blanks();
    if (at_end()) return wrong("a value is missing (\"\" is the empty one)");
    VARVE_ASSIGN_OR_RETURN(Word value, parse_word(false));
    return with_value(std::move(term), std::move(value));
  }

  Result<int> parse_operator() {
    for (const Operator& known : kOperators) {
      if (!rest().starts_with(known.text)) continue;
      at_ += known.text.size();
      return known.op;
    }
    if (!at_end() && (text_[at_] == '<' || text_[at_] == '>')) {
      return wrong(std::string("there is no ") + text_[at_] + "; write " + text_[at_] + "= :");
    }
    return wrong("one of = != <= >= ~ =~ is expected");
  }

  // Of a name ends at an operator, too.
  Result<Word> parse_word(bool is_name) {
    if (!at_end() && (text_[at_] == '"' || text_[at_] == '\'')) return parse_quoted();
    Word out;
    for (; !at_end() && !is_blank(text_[at_]); ++at_) {
      if (is_name && std::string_view("=!<>~").find(text_[at_]) != std::string_view::npos) break;
      out.text += text_[at_];
    }
    return out;
  }

  Result<Word> parse_quoted() {
    const char quote = text_[at_++];
    Word out{.text = {}, .quoted = true};
    for (; !at_end(); ++at_) {
      char c = text_[at_];
      if (c == quote) {
        ++at_;
        return out;
      }
      if (c == '\\' && at_ + 1 < text_.size() && (text_[at_ + 1] == quote || text_[at_ + 1] == '\\')) {
        c = text_[++at_];
      }
      out.text += c;
    }
    return wrong("a quote is not closed");
  }

  Result<WhereTerm> with_value(WhereTerm term, Word value) {
    term.value = std::move(value.text);
    if (term.op != kEqual && term.op != kNotEqual) return term;
    if (value.quoted) {
      if (!rest().starts_with('*')) return term;
      ++at_;
      return as_prefix(std::move(term));
    }
    if (term.value.ends_with('*')) {
      term.value.pop_back();
      return as_prefix(std::move(term));
    }
    const std::size_t less = term.value.find('<');
    if (less == std::string::npos || less == 0 || less + 1 == term.value.size()) return term;
    term.value2 = term.value.substr(less + 1);
    term.value.resize(less);
    term.op = term.op == kEqual ? kRange : kNotInRange;
    return term;
  }

  Result<WhereTerm> as_prefix(WhereTerm term) {
    if (term.op != kEqual) return wrong("a prefix can be asked for with = only");
    term.op = kPrefix;
    return term;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Result<WhereAny> parse_where(std::string_view text) { return WhereParser(text).parse(); }

WhereTerm term_of_flag(std::string name, std::string_view value) {
  const bool is_prefix = value.ends_with('*');
  if (is_prefix) value.remove_suffix(1);
  return {.name = std::move(name), .op = is_prefix ? kPrefix : kEqual, .value = std::string(value), .value2 = {}};
}

}  // namespace varve::logs
