// SPDX-License-Identifier: Apache-2.0
// Identity: how everybody outside this process knows a line group (docs/formats/cluster.md), and where its index rows
// lie.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/series_key.h"
#include "model/tags.h"

namespace varve::engine::cassandra {

using Hash = model::SeriesSetHash;

inline constexpr std::int16_t kShards = 16;
inline constexpr std::size_t kTagsBytes = 8;  // of a group's hash, that are of its tags

// What a group is beside its tags, as texts: the metrics' names, in the order of the columns; then, if its samples have
// a time to live, an empty text, which is no name, and the seconds in decimal.
struct GroupList {
  std::vector<std::string_view> metrics;
  std::uint32_t ttl_s = 0;  // 0: none
};
std::vector<std::string> list_texts(std::span<const std::string_view> metrics, std::uint32_t ttl_s);
// Views of the texts. Error: corrupt.
Result<GroupList> group_list(std::span<const std::string> texts);

// Of those texts.
Hash list_hash(std::span<const std::string_view> metrics, std::uint32_t ttl_s = 0);
Hash tags_hash(const model::TagViews& tags);
// Its first half is of the tags alone: groups of the same tags stand together. `tags` must be normalized.
Hash group_hash(std::span<const std::string_view> metrics, const model::TagViews& tags, std::uint32_t ttl_s = 0);

inline std::int16_t shard_of(const Hash& hash) { return static_cast<std::int16_t>(hash.bytes[0] % kShards); }
std::int16_t shard_of(std::string_view name);

// Valid as long as the hash.
inline std::string_view view_of(const Hash& hash) {
  return {reinterpret_cast<const char*>(hash.bytes.data()), hash.bytes.size()};
}
inline std::string blob_of(const Hash& hash) { return std::string(view_of(hash)); }
// False: it has not 16 bytes.
bool hash_of(std::string_view blob, Hash& hash);

}  // namespace varve::engine::cassandra
