// SPDX-License-Identifier: Apache-2.0
#include "api/esmond/names.h"

namespace varve::api::esmond {
namespace {

bool stands_for_itself(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z' && c != 'Y') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '-';
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::string at_encode(std::string_view name) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : name) {
    if (stands_for_itself(c)) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '@';
    out += kDigits[byte >> 4];
    out += kDigits[byte & 0xf];
  }
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

}  // namespace varve::api::esmond
