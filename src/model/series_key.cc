// SPDX-License-Identifier: Apache-2.0
#include "model/series_key.h"

#include "base/base64.h"
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
  return varve::to_base64({reinterpret_cast<const char*>(hash.bytes.data()), hash.bytes.size()});
}

}  // namespace varve::model
