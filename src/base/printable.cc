// SPDX-License-Identifier: Apache-2.0
#include "base/printable.h"

#include "base/hex.h"

namespace varve {

std::string printable(std::string_view text, Newlines newlines) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const unsigned char next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0;
    if (newlines == Newlines::kept && (c == '\n' || (c == '\r' && next == '\n'))) {
      out += "\n    ";
      if (c == '\r') ++i;
    } else if (c == '\n' || c == '\r') {
      out += c == '\n' ? "\\n" : "\\r";
    } else if ((c < 0x20 && c != '\t') || c == 0x7f) {
      append_hex(out += "\\x", text.substr(i, 1));
    } else if (c == 0xc2 && next >= 0x80 && next < 0xa0) {
      append_hex(out += "\\u00", text.substr(++i, 1));
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace varve
