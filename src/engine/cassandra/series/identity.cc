// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/series/identity.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "codec/varint.h"

namespace varve::engine::cassandra {
namespace {

void append_part(std::string& key, std::string_view part) {
  codec::append_varint(key, part.size());
  key += part;
}

std::string list_key(std::span<const std::string_view> metrics, std::uint32_t ttl_s) {
  std::string key;
  codec::append_varint(key, metrics.size() + (ttl_s == 0 ? 0 : 2));
  for (const std::string_view metric : metrics) append_part(key, metric);
  if (ttl_s != 0) {
    append_part(key, {});
    append_part(key, std::to_string(ttl_s));
  }
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

std::vector<std::string> list_texts(std::span<const std::string_view> metrics, std::uint32_t ttl_s) {
  std::vector<std::string> texts(metrics.begin(), metrics.end());
  if (ttl_s != 0) texts.insert(texts.end(), {"", std::to_string(ttl_s)});
  return texts;
}

Result<GroupList> group_list(std::span<const std::string> texts) {
  GroupList list;
  if (texts.size() > 2 && texts[texts.size() - 2].empty()) {
    const std::string& ttl = texts.back();
    const auto read = std::from_chars(ttl.data(), ttl.data() + ttl.size(), list.ttl_s);
    if (read.ec != std::errc() || read.ptr != ttl.data() + ttl.size() || list.ttl_s == 0) {
      return fail(Code::corrupt, "'" + ttl + "' is not a time to live of a line group");
    }
    texts = texts.first(texts.size() - 2);
  }
  list.metrics.assign(texts.begin(), texts.end());
  return list;
}

Hash list_hash(std::span<const std::string_view> metrics, std::uint32_t ttl_s) {
  return model::series_set_hash(list_key(metrics, ttl_s));
}

Hash tags_hash(const model::TagViews& tags) { return model::series_set_hash(tags_key(tags)); }

Hash group_hash(std::span<const std::string_view> metrics, const model::TagViews& tags, std::uint32_t ttl_s) {
  const std::string key = tags_key(tags);
  Hash hash = model::series_set_hash(key);
  const Hash whole = model::series_set_hash(list_key(metrics, ttl_s) + key);
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
