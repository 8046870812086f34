// SPDX-License-Identifier: Apache-2.0
#include "logs/xml_line.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "protocol/messages/xml_entities.h"

namespace varve::logs {
namespace {

constexpr std::string_view kWhite = " \t\r\n";
constexpr int kDepthMax = 64;

bool is_white(std::string_view text) { return text.find_first_not_of(kWhite) == std::string_view::npos; }

std::string_view trimmed_white(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kWhite);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kWhite) - first + 1);
}

// Reads elements one inside the other, and writes what they are worth.
class XmlLine {
 public:
  XmlLine(std::string_view text, XmlForm form) : rest_(text), form_(form) {}

  std::optional<std::string> read() {
    if (!skip_others()) return std::nullopt;
    std::string root;
    const auto inside = element(root, 0);
    if (!inside || !skip_others() || !rest_.empty()) return std::nullopt;
    return inside->text;
  }

 private:
  struct Inside {
    std::string text;
    bool has_elements = false;
  };

  bool skip_past(std::string_view mark) {
    const std::size_t at = rest_.find(mark);
    if (at == std::string_view::npos) return false;
    rest_.remove_prefix(at + mark.size());
    return true;
  }
  // White space, comments and declarations between elements.
  bool skip_others() {
    for (;;) {
      const std::size_t size = std::min(rest_.find_first_not_of(kWhite), rest_.size());
      rest_.remove_prefix(size);
      if (rest_.starts_with("<!--")) {
        if (!skip_past("-->")) return false;
      } else if (rest_.starts_with("<?")) {
        if (!skip_past("?>")) return false;
      } else {
        return true;
      }
    }
  }

  // At '<'. Leaves the element's name in `name`.
  std::optional<Inside> element(std::string& name, int depth) {
    if (depth > kDepthMax || !rest_.starts_with('<')) return std::nullopt;
    rest_.remove_prefix(1);
    const std::size_t name_size = rest_.find_first_of(" \t\r\n/>");
    if (name_size == 0 || name_size == std::string_view::npos || rest_[0] == '!') return std::nullopt;
    name = rest_.substr(0, name_size);
    rest_.remove_prefix(name_size);
    bool is_empty = false;
    if (!skip_attributes(is_empty)) return std::nullopt;
    if (is_empty) return Inside{};
    auto inside = content(depth);
    if (!inside || !rest_.starts_with(name)) return std::nullopt;
    rest_.remove_prefix(name.size());
    rest_.remove_prefix(std::min(rest_.find_first_not_of(kWhite), rest_.size()));
    if (!rest_.starts_with('>')) return std::nullopt;
    rest_.remove_prefix(1);
    return inside;
  }

  bool skip_attributes(bool& is_empty) {
    char quote = 0;
    for (std::size_t i = 0; i < rest_.size(); ++i) {
      const char c = rest_[i];
      if (quote != 0) {
        if (c == quote) quote = 0;
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (c == '<') {
        return false;
      } else if (c == '>') {
        is_empty = i > 0 && rest_[i - 1] == '/';
        rest_.remove_prefix(i + 1);
        return true;
      }
    }
    return false;
  }

  // To behind the `</` that ends the element.
  std::optional<Inside> content(int depth) {
    constexpr std::string_view kData = "<![CDATA[";
    Inside out;
    std::string plain;
    for (;;) {
      const std::string_view piece = rest_.substr(0, rest_.find('<'));
      rest_.remove_prefix(piece.size());
      if (rest_.empty()) return std::nullopt;
      if (!is_white(piece)) protocol::messages::append_unescaped(plain, piece);
      if (rest_.starts_with(kData)) {
        const std::string_view data = rest_.substr(kData.size(), rest_.find("]]>") - kData.size());
        plain += data;
        if (!skip_past("]]>")) return std::nullopt;
      } else if (rest_.starts_with("<!--")) {
        if (!skip_past("-->")) return std::nullopt;
      } else if (rest_.starts_with("</")) {
        rest_.remove_prefix(2);
        if (!out.has_elements) out.text = trimmed_white(plain);
        return out;
      } else {
        std::string name;
        const auto inner = element(name, depth + 1);
        if (!inner) return std::nullopt;
        add(out, name, *inner);
      }
    }
  }

  void add(Inside& out, const std::string& name, const Inside& inner) const {
    out.has_elements = true;
    if (name == "file" || name == "line") return;
    const bool named = form_ == XmlForm::named;
    if (!out.text.empty()) out.text += named ? ", " : " ";
    if (named) out.text += name + " = ";
    out.text += inner.has_elements && named ? "[" + inner.text + "]" : inner.text;
  }

  std::string_view rest_;
  const XmlForm form_;
};

}  // namespace

std::string xml_line(std::string_view text, XmlForm form) {
  if (!trimmed_white(text).starts_with('<')) return std::string(text);
  auto line = XmlLine(text, form).read();
  return line ? std::move(*line) : std::string(text);
}

}  // namespace varve::logs
