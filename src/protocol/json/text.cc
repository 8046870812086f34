// SPDX-License-Identifier: Apache-2.0
#include "protocol/json/text.h"

#include <algorithm>
#include <cstdint>

#include "base/hex.h"

namespace varve::protocol::json {
namespace {

std::uint8_t byte_at(std::string_view text, std::size_t i) { return static_cast<std::uint8_t>(text[i]); }

// Of the lead byte and the one behind it, which together say what is too long, half of a surrogate pair or behind the
// last character of Unicode.
bool may_follow(std::uint8_t lead, std::uint8_t second) {
  switch (lead) {
    case 0xe0: return second >= 0xa0 && second < 0xc0;
    case 0xed: return second >= 0x80 && second < 0xa0;
    case 0xf0: return second >= 0x90 && second < 0xc0;
    case 0xf4: return second >= 0x80 && second < 0x90;
    default: return second >= 0x80 && second < 0xc0;
  }
}

// Bytes of the character above ASCII at `i`, 0 if there is none.
std::size_t character_bytes(std::string_view text, std::size_t i) {
  const std::uint8_t lead = byte_at(text, i);
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const std::size_t size = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (size > text.size() - i || !may_follow(lead, byte_at(text, i + 1))) return 0;
  for (std::size_t k = 2; k < size; ++k) {
    if ((byte_at(text, i + k) & 0xc0) != 0x80) return 0;
  }
  return size;
}

// The first byte from `i` on that is not ASCII, or the end.
std::size_t skip_ascii(std::string_view text, std::size_t i) {
  for (; i + 32 <= text.size(); i += 32) {
    const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text.data() + i));
    const auto high = static_cast<unsigned>(_mm256_movemask_epi8(bytes));
    if (high != 0) return i + static_cast<std::size_t>(std::countr_zero(high));
  }
  for (; i + 8 <= text.size(); i += 8) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text.data() + i, sizeof bytes);
    const std::uint64_t high = bytes & 0x8080'8080'8080'8080;
    if (high != 0) return i + static_cast<std::size_t>(std::countr_zero(high)) / 8;
  }
  while (i < text.size() && byte_at(text, i) < 0x80) ++i;
  return i;
}

constexpr std::uint64_t of_each(std::uint8_t byte) { return byte * std::uint64_t{0x0101'0101'0101'0101}; }

// 0x80 in each byte that cannot stand in a JSON string as it is: controls, quote, backslash, DEL, all beyond ASCII. Of
// those above the lowest one some may be set that should not be.
constexpr std::uint64_t special_bytes(std::uint64_t bytes) {
  const auto zeros = [](std::uint64_t x) { return (x - of_each(1)) & ~x; };
  const std::uint64_t controls = (bytes - of_each(0x20)) & ~bytes;
  return (controls | zeros(bytes ^ of_each('"')) | zeros(bytes ^ of_each('\\')) | zeros(bytes ^ of_each(0x7f)) |
          bytes) &
         of_each(0x80);
}

// The first byte from `i` on that cannot stand as it is, or the end.
std::size_t skip_plain(std::string_view text, std::size_t i) {
  for (; i + 8 <= text.size(); i += 8) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text.data() + i, sizeof bytes);
    if (const auto special = special_bytes(bytes)) return i + static_cast<std::size_t>(std::countr_zero(special)) / 8;
  }
  if (i == text.size()) return i;
  std::uint64_t rest = 0;  // fewer than eight bytes, and blanks above them
  const std::size_t known = 64 - 8 * (text.size() - i);
  if (text.size() >= 8) {
    std::memcpy(&rest, text.data() + text.size() - 8, sizeof rest);
    rest = rest >> known | of_each(' ') << (64 - known);
  } else {
    rest = of_each(' ') << (64 - known);
    for (std::size_t k = i; k < text.size(); ++k) rest |= std::uint64_t{byte_at(text, k)} << (8 * (k - i));
  }
  const std::uint64_t special = special_bytes(rest);
  return special == 0 ? text.size() : i + static_cast<std::size_t>(std::countr_zero(special)) / 8;
}

// Most strings: nothing to escape, and in one step.
void append_plain(std::string& out, std::string_view text) {
  const std::size_t before = out.size();
  const std::size_t after = before + text.size() + 2;
  // GCC 12 tells the function the capacity, not the size that was asked for.
  out.resize_and_overwrite(after, [&](char* at, std::size_t) {
    at[before] = '"';
    std::ranges::copy(text, at + before + 1);
    at[after - 1] = '"';
    return after;
  });
}

void append_escaped(std::string& out, std::uint8_t byte) {
  if (byte >= 0x80) {
    out += "\xef\xbf\xbd";
  } else if (byte == '"' || byte == '\\') {
    out += '\\';
    out += static_cast<char>(byte);
  } else {
    const char c = static_cast<char>(byte);
    append_hex(out += "\\u00", {&c, 1});
  }
}

}  // namespace

bool is_utf8(std::string_view text) {
  for (std::size_t i = skip_ascii(text, 0); i < text.size();) {
    const std::size_t size = character_bytes(text, i);
    if (size == 0) return false;
    i += size;
    // Behind a letter of another script there is probably one more.
    if (i < text.size() && byte_at(text, i) < 0x80) i = skip_ascii(text, i);
  }
  return true;
}

void append_string(std::string& out, std::string_view text) {
  std::size_t i = skip_plain(text, 0);
  if (i == text.size()) return append_plain(out, text);
  out += '"';
  std::size_t copied = 0;
  for (; i < text.size(); i = skip_plain(text, i)) {
    const std::uint8_t byte = byte_at(text, i);
    if (const auto size = byte < 0x80 ? 0 : character_bytes(text, i); size > 0) {
      i += size;
      continue;
    }
    out.append(text, copied, i - copied);
    append_escaped(out, byte);
    copied = ++i;
  }
  out.append(text, copied);
  out += '"';
}

}  // namespace varve::protocol::json
