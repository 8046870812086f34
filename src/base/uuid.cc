// SPDX-License-Identifier: Apache-2.0
#include "base/uuid.h"

#include "base/bytes.h"
#include "base/hex.h"
#include "base/random.h"

namespace varve {
namespace {

constexpr std::size_t kUuidChars = 36;

constexpr bool is_hyphen(std::size_t at) { return at == 8 || at == 13 || at == 18 || at == 23; }

}  // namespace

std::optional<Uuid> read_uuid(std::string_view text) {
  if (text.size() != kUuidChars) return std::nullopt;
  Uuid out{};
  std::size_t bytes = 0;
  for (std::size_t at = 0; at < kUuidChars;) {
    if (is_hyphen(at)) {
      if (text[at++] != '-') return std::nullopt;
      continue;
    }
    const int high = hex_digit(text[at]), low = hex_digit(text[at + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    out[bytes++] = static_cast<char>(high << 4 | low);
    at += 2;
  }
  return out;
}

std::string uuid_text(std::string_view bytes) {
  std::string out;
  out.reserve(kUuidChars);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (is_hyphen(out.size())) out += '-';
    append_hex(out, bytes.substr(i, 1));
  }
  return out;
}

std::string random_uuid() {
  Uuid uuid{};
  store_le(uuid.data(), random_number());
  store_le(uuid.data() + 8, random_number());
  uuid[6] = static_cast<char>(0x40 | (uuid[6] & 0x0f));
  uuid[8] = static_cast<char>(0x80 | (uuid[8] & 0x3f));
  return uuid_text({uuid.data(), uuid.size()});
}

}  // namespace varve
