// SPDX-License-Identifier: Apache-2.0
#include "protocol/loki/labels.h"

#include "base/hex.h"
#include "protocol/json/text.h"
#include "protocol/json/unescape.h"

namespace varve::protocol::loki {
namespace {

constexpr std::size_t kTextMax = 200;

// As Go quotes strings: what the clients written in Go make of a value.
class LabelText {
 public:
  LabelText(std::string_view text, std::deque<std::string>& undone) : text_(text), undone_(undone) {}

  Status read(Labels& labels) {
    if (!take('{')) return wrong("it does not begin with {");
    if (take('}')) return ended();
    do {
      Label label{read_name(), {}};
      if (label.name.empty()) return wrong("a label has no name");
      if (!take('=')) return wrong("there is no = behind a name");
      VARVE_RETURN_IF_ERROR(read_value(label.value));
      labels.push_back(label);
    } while (take(','));
    if (!take('}')) return wrong("there is neither , nor } behind a value");
    return ended();
  }

 private:
  std::unexpected<Error> wrong(std::string_view why) const {
    return fail(Code::invalid, "error parsing labels '" + std::string(text_.substr(0, kTextMax)) +
                                   "' with error: " + std::string(why));
  }

  Status ended() {
    skip_space();
    return at_ == text_.size() ? Status{} : Status(wrong("there is something behind the labels"));
  }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
  }

  bool take(char c) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  // Everything up to the =, so also names that Prometheus does not have.
  std::string_view read_name() {
    skip_space();
    const std::size_t from = at_;
    while (at_ < text_.size() && text_[at_] != '=' && text_[at_] != '"' && text_[at_] != '}' && text_[at_] != ',')
      ++at_;
    std::string_view name = text_.substr(from, at_ - from);
    while (name.ends_with(' ')) name.remove_suffix(1);
    return name;
  }

  Status read_value(std::string_view& value) {
    skip_space();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '"' && quote != '`') return wrong("a value is not in quotes");
    const std::size_t from = ++at_;
    while (at_ < text_.size() && text_[at_] != quote && (text_[at_] != '\\' || quote == '`')) ++at_;
    if (at_ < text_.size() && text_[at_] == quote) {
      value = text_.substr(from, at_++ - from);
      return {};
    }
    std::string undone(text_.substr(from, at_ - from));
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] != '\\') {
        undone += text_[at_++];
      } else if (!undo_escape(undone)) {
        return wrong("a value has an escape that there is not");
      }
    }
    if (at_++ >= text_.size()) return wrong("a value does not end");
    value = undone_.emplace_back(std::move(undone));
    return {};
  }

  // At the backslash.
  bool undo_escape(std::string& out) {
    constexpr std::string_view kNames = "abfnrtv\\\"'";
    constexpr std::string_view kMeant = "\a\b\f\n\r\t\v\\\"'";
    if (++at_ == text_.size()) return false;
    const char c = text_[at_];
    if (const auto plain = kNames.find(c); plain != std::string_view::npos) {
      out += kMeant[plain];
      ++at_;
      return true;
    }
    if (c == 'x' || c == 'u' || c == 'U') {
      ++at_;
      return undo_number(out, c == 'x' ? 2 : c == 'u' ? 4 : 8, 16, c != 'x');
    }
    return undo_number(out, 3, 8, false);
  }

  // A byte, or a character.
  bool undo_number(std::string& out, std::size_t digits, unsigned base, bool character) {
    if (text_.size() - at_ < digits) return false;
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      const auto digit = hex_digit(text_[at_ + i]);
      if (digit < 0 || digit >= static_cast<int>(base)) return false;
      number = number * base + static_cast<unsigned>(digit);
    }
    at_ += digits;
    if (!character) {
      if (number > 0xff) return false;
      out += static_cast<char>(number);
      return true;
    }
    if (number > 0x10ffff || (number >= 0xd800 && number < 0xe000)) return false;
    json::append_utf8(out, static_cast<unsigned>(number));
    return true;
  }

  std::string_view text_;
  std::deque<std::string>& undone_;
  std::size_t at_ = 0;
};

}  // namespace

Status read_labels(std::string_view text, Labels& labels, std::deque<std::string>& undone) {
  return LabelText(text, undone).read(labels);
}

std::string text_of(std::span<const Label> labels) {
  std::string out = "{";
  for (const Label& label : labels) {
    if (out.size() > 1) out += ", ";
    out.append(label.name.substr(0, kTextMax)).append("=");
    json::append_string(out, label.value.substr(0, kTextMax));
    if (out.size() > kTextMax) return out + "…}";
  }
  return out + "}";
}

}  // namespace varve::protocol::loki
