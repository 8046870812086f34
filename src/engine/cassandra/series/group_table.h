// SPDX-License-Identifier: Apache-2.0
// GroupTable: what stands beside the index for each line group: its hash, its partition, the groups that share its
// tags, and what this process has announced of it. 44 bytes a group and 12 for each set of tags, and in the tables by
// hash about 12 for each of both. Announcements of other index buckets than a group's latest lie in a map of bounded
// size: what is dropped there is announced again, no more.
//
// Not thread-safe, except that look() may run in parallel with itself.
#pragma once

#include <algorithm>
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
    std::uint32_t tags = 0;       // number of its tags; kNone: a gap, of a group that has left
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
    last_bucket_.push_back(INT32_MIN);
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
    std::atomic_ref(entries_[model::to_int(wanted.group)].written_us).store(now_us, std::memory_order_relaxed);
    return is_announced(wanted);
  }
  // Notes that it is about to be written to. Not of a gap.
  void touch(model::GroupId group, std::int64_t now_us) {
    const std::atomic_ref written_us(entries_[model::to_int(group)].written_us);
    if (written_us.load(std::memory_order_relaxed) < now_us) written_us.store(now_us, std::memory_order_relaxed);
  }
  // It is announced for this bucket, whoever did it. May run in parallel with itself and look().
  void found(model::GroupId group, model::Timestamp bucket) {
    const std::atomic_ref last(last_bucket_[model::to_int(group)]);
    const std::int32_t number = number_of(bucket);
    for (std::int32_t known = last; known < number && !last.compare_exchange_weak(known, number);) {
    }
  }
  // Has it been written to by this process since then, or announced for that bucket, or a later one, as far as known?
  [[nodiscard]] bool is_in_use(model::GroupId group, std::int64_t since_us, model::Timestamp bucket) const {
    const std::uint32_t id = model::to_int(group);
    const std::int64_t written_us = std::atomic_ref(const_cast<std::int64_t&>(entries_[id].written_us)).load();
    const std::int32_t last = std::atomic_ref(const_cast<std::int32_t&>(last_bucket_[id])).load();
    return written_us >= since_us || last >= number_of(bucket);
  }
  [[nodiscard]] bool is_gap(model::GroupId group) const { return (*this)[group].tags == index::kNone; }
  // The groups of `from`, a table that this one is to replace, up to `end`, with gaps for those that are not kept.
  // `tenant_of`: of a group; `is_of`: what add() is given, by tenant.
  template <class Kept, class TenantOf, class IsOf>
  void take(const GroupTable& from, std::uint32_t end, Kept&& kept, TenantOf&& tenant_of, IsOf&& is_of) {
    while (size() < end) {
      std::uint32_t gaps = 0;
      while (size() + gaps < end && !kept(model::GroupId{size() + gaps})) ++gaps;
      entries_.push_gap({{}, 0, 0, 0, index::kNone}, gaps);
      last_bucket_.push_gap(INT32_MIN, gaps);
      if (size() == end) return;
      const model::GroupId group{size()};
      const std::uint32_t tenant = tenant_of(group);
      add(tenant, from[group].hash, is_of(tenant), [&] { return from.partition(group); });
    }
  }
  // What is said of the groups by now. Of all that take() took.
  void catch_up(const GroupTable& from) {
    for (std::uint32_t id = 0; id < size(); ++id) {
      if (is_gap(model::GroupId{id})) continue;
      const std::uint32_t tags = entries_[id].tags;
      entries_[id] = from.entries_[id];
      entries_[id].tags = tags;
      last_bucket_[id] = from.last_bucket_[id];
    }
    others_.clear();
    for (const auto& [key, seen_us] : from.others_) {
      if (!is_gap(model::GroupId{key.first})) others_.emplace_hint(others_.end(), key, seen_us);
    }
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
    found(what.group, what.bucket);
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
    return entries_.memory_bytes() + last_bucket_.memory_bytes() + by_hash_.memory_bytes() + tags_.memory_bytes() +
           by_tags_.memory_bytes() + others_.size() * kNodeBytes;
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
  index::Column<std::int32_t> last_bucket_;  // in which it is known to be announced, by number
  index::IdTable by_hash_;
  index::Column<Tags> tags_;
  index::IdTable by_tags_;
  std::vector<std::uint32_t> tenants_;  // groups of each
  std::map<std::pair<std::uint32_t, std::int32_t>, std::int64_t> others_;
};

}  // namespace varve::engine::cassandra
