// SPDX-License-Identifier: Apache-2.0
// Announcer: what has to stand in the index before the first sample of a group in an index bucket is acknowledged, and
// whether it stands (docs/decisions/0015).
//
//   missing = directory.missing(groups)       nothing: acknowledge
//   announcement = prepare(missing)           its rows are written by the caller
//   confirm(announcement)                     only when all of them stand
//   then numbers are raised (tracker/redis/versions.h), and directory.missing() is asked again.
//
// Two who announce the same at once both write it: the rows are the same but for their time. Thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

#include "base/mutex.h"
#include "codec/hash.h"
#include "engine/cassandra/series/directory.h"
#include "engine/cassandra/tables/row_store.h"
#include "tracker/redis/versions.h"

namespace varve::engine::cassandra {

struct Announcement {
  std::vector<RowWrite> rows;
  std::vector<GroupBucket> groups;
  std::int64_t seen_us = 0;
  std::vector<codec::Hash128> names;  // rows of names among them
};

class Announcer {
 public:
  // Rows that were not there that soon after `seen` are written again, with a new one: who reads what is new reads what
  // was announced within the last minute (loader.h).
  static constexpr std::int64_t kWrittenWithinUs = 30'000'000;

  // retention_ms: the longest that samples and windows have.
  Announcer(Directory& directory, const Tables& tables, std::int64_t retention_ms);

  [[nodiscard]] Announcement prepare(std::span<const GroupBucket> groups, std::int64_t now_us);
  // The metrics' names alone, even if they stand.
  [[nodiscard]] std::vector<RowWrite> names(std::span<const std::pair<model::TenantId, std::string>> metrics,
                                            std::int64_t now_us);
  // False: too late; nothing of it is taken for announced.
  bool confirm(const Announcement& announcement, std::int64_t now_us);

  // What to raise when it stands.
  [[nodiscard]] std::vector<tracker::redis::VersionsRaised> raised(const Announcement& announcement) const;

  // s, for a row that is written now and is to stand as long as all announcements up to this index bucket; 0: none.
  [[nodiscard]] std::uint32_t ttl_s(std::int64_t now_us, model::Timestamp bucket = model::kTimestampMin) const;

 private:
  // `kept_ms`: the samples that the row is about.
  [[nodiscard]] std::uint32_t ttl_s(model::Timestamp bucket, std::int64_t now_us, std::int64_t kept_ms) const;
  [[nodiscard]] std::int64_t kept_ms(const index::SeriesIndex& index, model::GroupId group) const;
  class Rows;
  struct HashOfName {
    std::size_t operator()(const codec::Hash128& hash) const { return hash.low; }
  };

  Directory& directory_;
  const Tables& tables_;
  const std::int64_t retention_ms_;
  Mutex mutex_;
  // What this process has written since this index bucket (of the clock) began: rows live as long as the samples, so
  // they are written again in each.
  std::unordered_set<codec::Hash128, HashOfName> names_ VARVE_GUARDED_BY(mutex_);
  model::Timestamp names_bucket_ VARVE_GUARDED_BY(mutex_) = 0;
};

// Of samples and windows.
std::int64_t longest_retention_ms(const SchemaOptions& schema);

}  // namespace varve::engine::cassandra
