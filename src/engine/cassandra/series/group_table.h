// SPDX-License-Identifier: Apache-2.0
// GroupTable: what stands beside the index for each line group: its hash, its partition, the groups that share its
// tags, and what this process has announced of it. 40 bytes a group and 12 for each set of tags, and in the tables by
// hash about 12 for each of both. Announcements of other index buckets than a group's latest lie in a map of bounded
// size: what is dropped there is announced again, no more.
//
// Not thread-safe, except that look() may run in parallel with itself.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "engine/cassandra/series/identity.h"
#include "engine/cassandra/tables/spans.h"
#include "index/arena.h"
#include "index/id_table.h"
#include "model/ids.h"

namespace varve::engine::cassandra {

// A group has samples in an index bucket (that begins there).
struct GroupBucket {
  model::GroupId group{};
  model::Timestamp bucket = 0;
  auto operator<=>(const GroupBucket&) const = default;
};

class GroupTable {
 public:
  static constexpr std::size_t kOtherBucketsMax = 1 << 18;

  struct Entry {
    Hash hash;
    std::int64_t seen_us = 0;     // when this process announced it for `bucket`; 0: not
    std::int64_t written_us = 0;  // when this process last wrote to it, or meant to
    std::int32_t bucket = 0;      // by number
    std::uint32_t tags = 0;       // number of its tags
  };
  static_assert(sizeof(Entry) == 40);

  // The group, or kNone. `is_of` says whether a group is of the tenant that is meant.
  template <class IsOf>
  [[nodiscard]] std::uint32_t find(std::uint32_t tenant, const Hash& hash, IsOf&& is_of) const {
    return by_hash_.find(short_hash(tenant, hash),
                         [&](std::uint32_t group) { return entries_[group].hash == hash && is_of(group); });
  }
  // The next group. `is_of` as in find(); `partition()` is asked for new tags: all their groups have one partition.
  template <class IsOf, class Partition>
  void add(std::uint32_t tenant, const Hash& hash, IsOf&& is_of, Partition&& partition) {
    const std::uint32_t group = entries_.size();
    by_hash_.insert(short_hash(tenant, hash), group);
    std::uint32_t tags = by_tags_.find(tags_hash(tenant, hash), [&](std::uint32_t number) {
      const std::uint32_t first = tags_[number].first_group;
      return same_tags(entries_[first].hash, hash) && is_of(first);
    });
    if (tags == index::kNone) {
      tags = tags_.size();
      by_tags_.insert(tags_hash(tenant, hash), tags);
      tags_.push_back({group, partition(), 0});
    }
    ++tags_[tags].groups;
    entries_.push_back({hash, 0, 0, 0, tags});
    if (tenant >= tenants_.size()) tenants_.resize(tenant + 1);
    ++tenants_[tenant];
  }
  [[nodiscard]] std::uint32_t partition(model::GroupId group) const { return tags_[(*this)[group].tags].partition; }
  // How many groups have the tags of this one, and how many the tenant has, as far as this process knows.
  [[nodiscard]] std::uint32_t sharing_tags(model::GroupId group) const { return tags_[(*this)[group].tags].groups; }
  [[nodiscard]] std::uint32_t of_tenant(std::uint32_t tenant) const { return tenants_[tenant]; }
  [[nodiscard]] std::uint32_t size() const { return entries_.size(); }
  [[nodiscard]] const Entry& operator[](model::GroupId group) const { return entries_[model::to_int(group)]; }

  void prefetch(model::GroupId group) const { __builtin_prefetch(&entries_[model::to_int(group)], 1); }

  // Notes that it is written to, and says whether it is announced.
  bool look(const GroupBucket& wanted, std::int64_t now_us) {
    Entry& entry = entries_[model::to_int(wanted.group)];
    std::atomic_ref(entry.written_us).store(now_us, std::memory_order_relaxed);
    return is_announced(wanted);
  }
  [[nodiscard]] bool is_announced(const GroupBucket& wanted) const {
    const Entry& entry = entries_[model::to_int(wanted.group)];
    const std::int32_t bucket = number_of(wanted.bucket);
    if (entry.seen_us != 0 && entry.bucket == bucket) return true;
    return !others_.empty() && others_.contains({model::to_int(wanted.group), bucket});
  }

  void announced(const GroupBucket& what, std::int64_t seen_us) {
    Entry& entry = entries_[model::to_int(what.group)];
    const std::int32_t bucket = number_of(what.bucket);
    if (entry.seen_us != 0 && entry.bucket > bucket) return add_other(model::to_int(what.group), bucket, seen_us);
    if (entry.seen_us != 0 && entry.bucket < bucket) {
      add_other(model::to_int(what.group), entry.bucket, entry.seen_us);
    }
    entry.bucket = bucket;
    entry.seen_us = seen_us;
  }

  // Announcements up to then count no more. Those that were dropped go to `out`; true: there are later ones.
  bool drop(model::GroupId group, std::int64_t until_us, std::vector<GroupBucket>& out) {
    Entry& entry = entries_[model::to_int(group)];
    bool left = entry.seen_us > until_us;
    if (!left && entry.seen_us != 0) {
      out.push_back({group, start_of(entry.bucket)});
      entry.seen_us = 0;
    }
    const std::uint32_t id = model::to_int(group);
    for (auto at = others_.lower_bound({id, INT32_MIN}); at != others_.end() && at->first.first == id;) {
      if (at->second > until_us) {
        left = true;
        ++at;
      } else {
        out.push_back({group, start_of(at->first.second)});
        at = others_.erase(at);
      }
    }
    return left;
  }

  [[nodiscard]] bool is_announced(model::GroupId group) const {
    const auto at = others_.lower_bound({model::to_int(group), INT32_MIN});
    return entries_[model::to_int(group)].seen_us != 0 ||
           (at != others_.end() && at->first.first == model::to_int(group));
  }

  [[nodiscard]] std::size_t memory_bytes() const {
    constexpr std::size_t kNodeBytes = 64;
    return entries_.memory_bytes() + by_hash_.memory_bytes() + tags_.memory_bytes() + by_tags_.memory_bytes() +
           others_.size() * kNodeBytes;
  }

 private:
  static std::int32_t number_of(model::Timestamp bucket) { return static_cast<std::int32_t>(bucket / kIndexBucketMs); }
  static model::Timestamp start_of(std::int32_t number) { return number * kIndexBucketMs; }
  static std::uint32_t short_hash(std::uint32_t tenant, const Hash& hash) {
    return load_le<std::uint32_t>(hash.bytes.data() + kTagsBytes) ^ tenant * 0x9e3779b9U;
  }
  static std::uint32_t tags_hash(std::uint32_t tenant, const Hash& hash) {
    return load_le<std::uint32_t>(hash.bytes.data()) ^ tenant * 0x9e3779b9U;
  }
  static bool same_tags(const Hash& a, const Hash& b) {
    return load_le<std::uint64_t>(a.bytes.data()) == load_le<std::uint64_t>(b.bytes.data());
  }
  void add_other(std::uint32_t group, std::int32_t bucket, std::int64_t seen_us) {
    if (others_.size() >= kOtherBucketsMax) others_.clear();
    others_[{group, bucket}] = seen_us;
  }

  struct Tags {
    std::uint32_t first_group = 0;
    std::uint32_t partition = 0;
    std::uint32_t groups = 0;
  };
  index::Column<Entry> entries_;
  index::IdTable by_hash_;
  index::Column<Tags> tags_;
  index::IdTable by_tags_;
  std::vector<std::uint32_t> tenants_;  // groups of each
  std::map<std::pair<std::uint32_t, std::int32_t>, std::int64_t> others_;
};

}  // namespace varve::engine::cassandra
