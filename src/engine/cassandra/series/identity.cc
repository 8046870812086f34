// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/series/identity.h"

#include <algorithm>
#include <cstring>

#include "codec/varint.h"

namespace varve::engine::cassandra {
namespace {

void append_part(std::string& key, std::string_view part) {
  codec::append_varint(key, part.size());
  key += part;
}

std::string list_key(std::span<const std::string_view> metrics) {
  std::string key;
  codec::append_varint(key, metrics.size());
  for (const std::string_view metric : metrics) append_part(key, metric);
  return key;
}

std::string tags_key(const model::TagViews& tags) {
  std::string key;
  for (const auto& tag : tags) {
    append_part(key, tag.key);
    append_part(key, tag.value);
  }
  return key;
}

}  // namespace

Hash list_hash(std::span<const std::string_view> metrics) { return model::series_set_hash(list_key(metrics)); }

Hash tags_hash(const model::TagViews& tags) { return model::series_set_hash(tags_key(tags)); }

Hash group_hash(std::span<const std::string_view> metrics, const model::TagViews& tags) {
  const std::string key = tags_key(tags);
  Hash hash = model::series_set_hash(key);
  const Hash whole = model::series_set_hash(list_key(metrics) + key);
  std::copy_n(whole.bytes.begin(), kTagsBytes, hash.bytes.begin() + kTagsBytes);
  return hash;
}

std::int16_t shard_of(std::string_view name) { return shard_of(model::series_set_hash(name)); }

bool hash_of(std::string_view blob, Hash& hash) {
  if (blob.size() != hash.bytes.size()) return false;
  std::memcpy(hash.bytes.data(), blob.data(), blob.size());
  return true;
}

}  // namespace varve::engine::cassandra
