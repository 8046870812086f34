// SPDX-License-Identifier: Apache-2.0
#include "language/esmond/names.h"

#include "base/hex.h"

namespace varve::language::esmond {
namespace {

constexpr CharSet kPlain("ABCDEFGHIJKLMNOPQRSTUVWXZabcdefghijklmnopqrstuvwxyz0123456789_.-");  // no Y

}  // namespace

std::string at_encode(std::string_view name) {
  std::string out;
  append_escaped(out, name, '@', kPlain);
  return out;
}

std::string at_decode(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool has_two = text[i] == '@' && i + 2 < text.size();
    const int high = has_two ? hex_digit(text[i + 1]) : -1;
    const int low = has_two ? hex_digit(text[i + 2]) : -1;
    if (high < 0 || low < 0) {
      out += text[i];
      continue;
    }
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

std::string at_encode(std::span<const std::string> names) {
  std::string out;
  for (const std::string& name : names) out.append(out.empty() ? "" : "/").append(at_encode(name));
  return out;
}

}  // namespace varve::language::esmond
