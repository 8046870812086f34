// SPDX-License-Identifier: Apache-2.0
// Loader: reads into the directory what a question needs and what is not there yet. It asks which numbers have moved
// (tracker/redis/versions.h), and reads what was announced since it looked (parts.h).
//
// All methods block on the store. Errors: those of the store; then nothing is known, and nobody may be told otherwise.
// Thread-safe.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "engine/cassandra/series/directory.h"
#include "engine/cassandra/series/parts.h"
#include "engine/cassandra/tables/row_store.h"
#include "tracker/redis/versions.h"

namespace varve::engine::cassandra {

class Loader {
 public:
  using Limits = RowStore::ReadLimits;

  // `clock`: the one that all replicas share.
  Loader(Directory& directory, const Tables& tables, RowStore& rows, tracker::redis::Versions& versions,
         const Clock& clock)
      : directory_(directory), tables_(tables), rows_(rows), versions_(versions), clock_(clock), parts_(clock) {}

  Result<std::optional<model::TenantId>> find_tenant(std::string_view name, const Limits& limits = {});
  Result<std::vector<std::string>> tenants(const Limits& limits = {});  // sorted

  // Who says whether numbers may be missing that another replica could not raise: then what was read does not count.
  // Before anything else.
  using Missing = std::function<Result<bool>()>;
  void when_numbers_are_missing(Missing missing) { missing_ = std::move(missing); }

  // Names that were announced, sorted.
  Result<std::vector<std::string>> metric_names(model::TenantId tenant, const Limits& limits = {});

  // The series of the metric that have samples in the range, and maybe others. Returns the index buckets that overlap
  // the range and may have samples of it, ascending: all of a short range.
  Result<std::vector<model::Timestamp>> series(model::TenantId tenant, const std::string& metric,
                                               model::TimeRange range, const Limits& limits = {});

  // The latest index bucket that has announcements of the metric, by whatever replica; kTimestampMin: there is none.
  Result<model::Timestamp> latest_bucket(model::TenantId tenant, const std::string& metric, const Limits& limits = {});

  // What was forgotten of these metrics.
  Status forgotten(model::TenantId tenant, std::span<const std::string> metrics, const Limits& limits = {});

  // The same, if it is this process that forgot them.
  void forgot(model::TenantId tenant, const std::string& metric, std::span<const std::pair<Hash, std::int64_t>> series);

  // The groups of these hashes; nullopt: there is none (any more).
  using Named = std::pair<model::TenantId, Hash>;
  Result<std::vector<std::optional<model::GroupId>>> groups(std::span<const Named> names, const Limits& limits = {});

  // Series of samples from before that index bucket have left the directory.
  void read_again_before(model::Timestamp bucket) { parts_.read_again_before(bucket); }

  // What others have forgotten of metrics that this process has announced. Now and then, by itself.
  Status listen();

 private:
  struct Tenant {
    std::uint64_t since = 0;                         // the greatest number of them
    std::map<std::string, std::uint64_t> forgotten;  // by metric
    std::uint64_t heard_epoch = 0;                   // by listen()
    bool heard = false;
    std::vector<std::string> names;  // as they stood when they were read
  };
  struct Asked {
    Parts::Trust trust;
    tracker::redis::TenantVersions versions;
  };
  struct Row {  // of series_sets or line_groups
    Hash hash, list;
    std::string tags;
    std::int64_t seen_us = 0;
  };
  using MetricList = std::shared_ptr<const std::vector<std::string>>;

  Result<Asked> ask(model::TenantId tenant);
  Result<std::vector<model::Timestamp>> buckets(const Asked& asked, model::TenantId tenant, const std::string& metric,
                                                model::TimeRange range, const Limits& limits);
  void note(model::TenantId tenant, const tracker::redis::TenantVersions& versions);
  PartWanted forgotten_part(model::TenantId tenant, const std::string& metric);
  Status ensure(const std::vector<PartWanted>& wanted, const Parts::Trust& trust, const Limits& limits);
  Status listen_to(model::TenantId tenant, const Parts::Trust& trust, bool all);

  // load.cc
  class Collected;
  Status read(const std::vector<PartRead>& parts, const Limits& limits);
  // `bucket`: of the announcements.
  Status add(model::TenantId tenant, const std::string& metric, model::Timestamp bucket, std::span<const Row> rows,
             const Limits& limits);
  void add_forgotten(model::TenantId tenant, const std::string& metric,
                     std::span<const std::pair<Hash, std::int64_t>> series, std::int64_t slack_us);
  Status load_lists(model::TenantId tenant, std::span<const Row> rows, const Limits& limits);

  Directory& directory_;
  const Tables& tables_;
  RowStore& rows_;
  tracker::redis::Versions& versions_;
  const Clock& clock_;
  Missing missing_ = [] { return false; };
  Parts parts_;
  Mutex mutex_;
  std::map<model::TenantId, Tenant> tenants_ VARVE_GUARDED_BY(mutex_);
  std::map<std::pair<model::TenantId, std::string>, std::vector<model::Timestamp>> windows_
      VARVE_GUARDED_BY(mutex_);  // by metric: index buckets
  std::map<std::pair<model::TenantId, std::string>, MetricList> lists_ VARVE_GUARDED_BY(mutex_);  // by hash; few
};

}  // namespace varve::engine::cassandra
