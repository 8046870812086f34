// SPDX-License-Identifier: Apache-2.0
#include "migrate/utf8.h"

#include <cstdint>

namespace varve::migrate {
namespace {

constexpr std::uint32_t kBad = 0xffffffff;

// One character of one to three bytes at `at`, which is moved on; kBad and no move if there is none. Whether it could
// be shorter is for the caller.
std::uint32_t decode(std::string_view bytes, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])); };
  const std::uint32_t head = byte(at);
  const std::size_t size = head < 0x80 ? 1 : (head & 0xe0) == 0xc0 ? 2 : (head & 0xf0) == 0xe0 ? 3 : 4;
  if (size > 3 || at + size > bytes.size()) return kBad;
  if (size == 1) return ++at, head;
  std::uint32_t code = head & (0x7fU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(at + i) & 0xc0) != 0x80) return kBad;
    code = code << 6 | (byte(at + i) & 0x3f);
  }
  at += size;
  return code;
}

void append(std::string& out, std::uint32_t code) {
  const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  const auto rest = [&](unsigned shift) { put(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x80) return put(code);
  if (code < 0x800) return put(0xc0 | code >> 6), rest(0);
  if (code < 0x10000) return put(0xe0 | code >> 12), rest(6), rest(0);
  put(0xf0 | code >> 18), rest(12), rest(6), rest(0);
}

bool is_high(std::uint32_t code) { return code >= 0xd800 && code < 0xdc00; }
bool is_low(std::uint32_t code) { return code >= 0xdc00 && code < 0xe000; }

}  // namespace

bool from_modified_utf8(std::string_view bytes, std::string& out) {
  constexpr std::uint32_t kLeast[] = {0, 1, 0x80, 0x800};
  out.clear();
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t begin = at;
    std::uint32_t code = decode(bytes, at);
    if (code == kBad || (code < kLeast[at - begin] && !(code == 0 && at - begin == 2)) || is_low(code)) return false;
    if (is_high(code)) {
      const std::uint32_t low = at < bytes.size() ? decode(bytes, at) : kBad;
      if (low == kBad || !is_low(low)) return false;
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    append(out, code);
  }
  return true;
}

}  // namespace varve::migrate
