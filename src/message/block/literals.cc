// SPDX-License-Identifier: Apache-2.0
#include "message/block/literals.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <iterator>

#include "message/block/template.h"
#include "message/words.h"

namespace varve::message::block {
namespace {

// Reads an expression of RE2's syntax from left to right, and keeps what stands outside of classes, and of groups that
// may be absent or have alternatives.
class ExpressionReader {
 public:
  explicit ExpressionReader(std::string_view expression) : left_(expression) {}

  // False: nothing can be said.
  bool read(std::vector<std::string>& out) {
    while (!left_.empty()) {
      if (!step()) return false;
    }
    end_piece();
    if (open_.size() != 1 || open_[0].alternates) return false;
    out = std::move(open_[0].pieces);
    return true;
  }

 private:
  bool step() {
    const char c = left_[0];
    left_.remove_prefix(1);
    switch (c) {
      case '|':
        end_piece();
        open_.back().alternates = true;
        return true;
      case '\\': return escape();
      case '(': end_piece(); return open_group();
      case ')': end_piece(); return close_group();
      case '[': end_piece(); return skip_class();
      case '*':
      case '?': drop_last(); return true;
      case '{': return repeat();
      case '.':
      case '^':
      case '$':
      case '+': end_piece(); return true;
      default: piece_ += c; return true;
    }
  }

  // Behind a backslash. Some escapes have arguments, or begin a quotation: they end all that can be said. In a class no
  // character is kept.
  bool escape(bool keep = true) {
    if (left_.empty()) return false;
    const char c = left_[0];
    left_.remove_prefix(1);
    if (std::string_view("dDwWsSbBAzafnrtv").contains(c)) {
      if (keep) end_piece();
      return true;
    }
    if (kWordChars.contains(c)) return false;
    if (keep) piece_ += c;
    return true;
  }

  // Of the expression, or of a group.
  struct Open {
    std::vector<std::string> pieces = {};
    bool alternates = false;
  };

  // Behind '('. Flags alone, as in (?s), open no group. Where they say that case does not count, nothing can be said.
  bool open_group() {
    if (left_.starts_with('?')) {
      const std::size_t end = left_.find_first_not_of("smU-", 1);
      if (end == std::string_view::npos || (left_[end] != ')' && left_[end] != ':')) return false;
      const bool alone = left_[end] == ')';
      left_.remove_prefix(end + 1);
      if (alone) return true;
    }
    open_.emplace_back();
    return true;
  }

  // Behind ')'.
  bool close_group() {
    if (open_.size() == 1) return false;
    Open group = std::move(open_.back());
    open_.pop_back();
    const bool optional = !left_.empty() && std::string_view("*?{").contains(left_[0]);
    if (optional || group.alternates) return true;
    auto& to = open_.back().pieces;
    to.insert(to.end(), std::move_iterator(group.pieces.begin()), std::move_iterator(group.pieces.end()));
    return true;
  }

  // Behind '['.
  bool skip_class() {
    if (left_.starts_with('^')) left_.remove_prefix(1);
    for (bool first = true;; first = false) {
      if (left_.empty()) return false;
      const char c = left_[0];
      left_.remove_prefix(1);
      if (c == ']' && !first) return true;
      if (c == '[' && left_.starts_with(':')) {
        const std::size_t end = left_.find(":]");
        if (end == std::string_view::npos) return false;
        left_.remove_prefix(end + 2);
      }
      if (c == '\\' && !escape(false)) return false;
    }
  }

  // Behind '{': a count, or a brace like any other character.
  bool repeat() {
    const std::size_t end = left_.find_first_not_of("0123456789,");
    if (end == std::string_view::npos || end == 0 || left_[end] != '}') return false;
    left_.remove_prefix(end + 1);
    drop_last();
    return true;
  }

  // What a '*' stands behind may be absent: one character, which may be several bytes.
  void drop_last() {
    while (!piece_.empty() && (static_cast<unsigned char>(piece_.back()) & 0xc0) == 0x80) piece_.pop_back();
    if (!piece_.empty()) piece_.pop_back();
    end_piece();
  }

  void end_piece() {
    if (!piece_.empty()) open_.back().pieces.push_back(std::move(piece_));
    piece_.clear();
  }

  std::string_view left_;
  std::string piece_;
  std::vector<Open> open_ = std::vector<Open>(1);
};

bool has_digit(std::string_view word) {
  return std::ranges::any_of(word, [](char c) { return c >= '0' && c <= '9'; });
}

// Adds a piece, and its whole words. A word at its begin or end may be part of a longer one, unless the text `begins`
// or `ends` there. A part with a digit is part of a variable; one without may be that, or stand in the template.
void add_piece(std::string_view piece, bool begins, bool ends, Literals& out) {
  std::vector<PieceForm> forms(1);
  const char* at = piece.data();  // what is not yet in the forms
  const char* const end = at + piece.size();
  const auto append = [&forms](std::string_view literal) {
    for (PieceForm& form : forms) form.pattern += literal;
  };
  any_word(piece, [&](std::string_view word) {
    append({at, static_cast<std::size_t>(word.data() - at)});
    at = word.data() + word.size();
    const bool first = word.data() != piece.data() || begins, last = at != end || ends;  // of the text's word
    const bool whole = first && last;
    if (whole) out.words.emplace_back(word);
    const bool varies = whole ? is_variable(word) : has_digit(word);
    const std::size_t before = forms.size();
    if (!varies && !whole)
      forms.insert(forms.end(), forms.begin(), forms.begin() + static_cast<std::ptrdiff_t>(before));
    for (std::size_t f = 0; f < forms.size(); ++f) {
      if (varies || f >= before) {
        forms[f].pattern += kVariable;
        forms[f].variables.push_back({std::string(word), first, last});
        forms[f].letters |= letters_of(word);
      } else {
        forms[f].pattern += word;
      }
    }
    return false;
  });
  append({at, static_cast<std::size_t>(end - at)});
  if (piece.contains(kVariable)) forms.clear();  // no template has it
  out.pieces.push_back(std::move(forms));
  out.texts.emplace_back(piece);
}

}  // namespace

std::vector<std::string> literals_of(std::string_view expression) {
  std::vector<std::string> pieces;
  ExpressionReader(expression).read(pieces);
  return pieces;
}

bool has_piece(std::string_view text, std::string_view piece) {
  if (piece.empty() || piece.size() > text.size()) return piece.empty();
  return memmem(text.data(), text.size(), piece.data(), piece.size()) != nullptr;
}

Literals literals_of(const Term& term) {
  Literals out;
  switch (term.op) {
    case Op::equal:
    case Op::not_equal: add_piece(term.text, true, true, out); break;
    case Op::prefix: add_piece(term.text, true, false, out); break;
    case Op::contains: add_piece(term.text, false, false, out); break;
    case Op::regex: {
      auto pieces = literals_of(term.text);
      std::ranges::stable_sort(pieces, std::greater(), &std::string::size);
      for (const std::string& piece : pieces) add_piece(piece, false, false, out);
      break;
    }
    default: break;
  }
  return out;
}

}  // namespace varve::message::block
