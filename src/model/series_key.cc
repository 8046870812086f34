// SPDX-License-Identifier: Apache-2.0
#include "model/series_key.h"

#include "base/bytes.h"
#include "codec/hash.h"
#include "codec/varint.h"

namespace varve::model {
namespace {

void append_part(std::string& key, std::string_view part) {
  codec::append_varint(key, part.size());
  key += part;
}

}  // namespace

std::string series_key(std::string_view metric, const TagViews& tags) {
  std::string key;
  append_part(key, metric);
  for (const auto& tag : tags) {
    append_part(key, tag.key);
    append_part(key, tag.value);
  }
  return key;
}

SeriesSetHash series_set_hash(std::string_view key) {
  const auto h = codec::murmur3_128(key);
  SeriesSetHash hash;
  store_le(hash.bytes.data(), h[0]);
  store_le(hash.bytes.data() + 8, h[1]);
  return hash;
}

std::string to_base64(const SeriesSetHash& hash) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < 15; i += 3) {
    const unsigned v =
        static_cast<unsigned>(hash.bytes[i]) << 16 | static_cast<unsigned>(hash.bytes[i + 1]) << 8 | hash.bytes[i + 2];
    for (int shift = 18; shift >= 0; shift -= 6) text += kDigits[v >> shift & 63];
  }
  const unsigned v = static_cast<unsigned>(hash.bytes[15]) << 4;
  text += kDigits[v >> 6 & 63];
  text += kDigits[v & 63];
  text += "==";
  return text;
}

}  // namespace varve::model
