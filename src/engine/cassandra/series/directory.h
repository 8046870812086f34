// SPDX-License-Identifier: Apache-2.0
// Directory: the tenants, series and line groups that this process knows: those that it writes, and those that were
// loaded for a question (loader.h). Beside the index it knows the groups' hashes, what this process has announced, and
// which series were forgotten.
//
// Forgetting. A series that was forgotten at F is not there unless it was announced after F. Announcements of this
// process up to F count no more; of those groups that it has written to since, it has to announce them again, at once:
// take_again() says which. While that is under way the series stays visible here.
//
// Thread-safe. Times are in µs since 1970, of the clock that all replicas share.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "engine/cassandra/series/group_table.h"
#include "engine/cassandra/series/stamps.h"
#include "engine/cassandra/tables/group_retentions.h"
#include "engine/shared/series_retentions.h"
#include "index/series_index.h"
#include "storage/row_check.h"
#include "storage/series_store.h"

namespace varve::engine::cassandra {

struct HashOfHash {
  std::size_t operator()(const Hash& hash) const { return load_le<std::size_t>(hash.bytes.data()); }
};

// How others know a group.
struct GroupName {
  model::TenantId tenant{};
  Hash hash;
  std::uint32_t partition = 0;
  unsigned prefix_bits = 0;  // as its hot rows are written now (tables/hot_rows.h)
};

// A group as it was found in the store.
struct FoundGroup {
  Hash hash;
  model::TagViews tags;  // normalized
  std::span<const std::string_view> metrics;
  std::int64_t seen_us = 0;     // when it was announced for the metric that was looked for; 0: found by its hash
  model::Timestamp bucket = 0;  // for which; or now, if it was found by its hash
  std::uint32_t ttl_s = 0;      // of its samples
};

// What was forgotten under it, and must be announced again.
struct Again {
  std::vector<GroupBucket> groups;
  std::vector<std::pair<model::TenantId, std::string>> metrics;  // their names alone
};

class Directory {
 public:
  struct Options {
    std::uint32_t partitions = 64;
    std::size_t series_per_tenant_max = 10'000'000;  // as far as this process knows them
    rollup::RetentionClasses classes = rollup::RetentionClasses();
  };
  explicit Directory(const Options& options) : options_(options) {}

  // --- tenants
  model::TenantId tenant(std::string_view name);
  [[nodiscard]] std::optional<model::TenantId> find_tenant(std::string_view name) const;
  [[nodiscard]] std::string tenant_name(model::TenantId tenant) const;

  // --- groups
  // As SeriesIndex::define_group(): to be written to.
  // `now_us`: so that it does not leave before it is written to.
  Result<model::GroupId> define(model::TenantId tenant, const model::TagViews& tags,
                                std::span<const std::string_view> metrics, std::uint32_t ttl_s = 0,
                                std::int64_t now_us = 0);
  // A row of the store: of the series of `metric` that it announces, or of none.
  Status add(model::TenantId tenant, std::string_view metric, const FoundGroup& found);
  // Would add() change anything but the index bucket that the group is known to be announced for? Notes that.
  [[nodiscard]] bool is_news(model::TenantId tenant, std::string_view metric, const Hash& hash,
                             model::Timestamp bucket);
  // Somebody has work for it, and it stays as one that is announced for this index bucket.
  [[nodiscard]] std::optional<model::GroupId> find(model::TenantId tenant, const Hash& hash, model::Timestamp bucket);
  [[nodiscard]] GroupName name(model::GroupId group) const;
  [[nodiscard]] std::vector<GroupName> names(std::span<const model::GroupId> groups) const;
  // The same of groups that are written to now: so they do not leave. Of one that has left: tenant kNoTenant.
  [[nodiscard]] std::vector<GroupName> names_to_write(std::span<const model::GroupId> groups, std::int64_t now_us);

  // --- announcements
  // Those that this process has yet to announce. Notes that all of them are written to. Ask before the samples are
  // written, and again afterwards, before they are acknowledged: they may have been forgotten meanwhile.
  [[nodiscard]] std::vector<GroupBucket> missing(std::span<const GroupBucket> wanted, std::int64_t now_us);
  // The rows of these, with this `seen_us`, stand. Without effect for those with a series forgotten since.
  void announced(std::span<const GroupBucket> groups, std::int64_t seen_us);

  // --- forgetting
  // Series of the metric and when they were forgotten. Groups that were written to later than `slack_us` before that
  // are announced again: clocks of replicas differ. True: some are news.
  bool add_forgotten(model::TenantId tenant, const std::string& metric,
                     std::span<const std::pair<Hash, std::int64_t>> rows, std::int64_t slack_us);
  [[nodiscard]] Again take_again();
  void give_again(Again again);  // it could not be done
  // Changes whenever series of the metric were forgotten.
  [[nodiscard]] std::size_t generation(model::TenantId tenant, const std::string& metric) const;
  // Tenants of whose metrics this process has announced some.
  [[nodiscard]] std::vector<model::TenantId> announced_tenants() const;

  // --- leaving (leaving.cc)
  // Groups of which nothing can be left leave, with their series and names: those that were neither written to since
  // `since_us` nor announced for `bucket` or later; of forgotten series it is `since_us` for both. Ids stay. Returns
  // how many series left; 0: fewer than `least`, or than stay. Error: one of them is in use again at this moment;
  // nothing has changed. One caller.
  struct Leave {
    std::int64_t since_us = 0;
    model::Timestamp bucket = 0;
    std::size_t least = 65'536;
  };
  Result<std::size_t> leave(const Leave& what);
  // Would so many leave?
  [[nodiscard]] bool is_leave_due(const Leave& what);

  // --- questions
  template <class Use>
  auto read(Use&& use) const {
    const ReaderLock lock(mutex_);
    return use(index_);
  }
  // Of series that are known here.
  [[nodiscard]] Result<std::vector<model::SeriesId>> select(model::TenantId tenant, std::string_view metric,
                                                            const index::Matchers& matchers,
                                                            const storage::GoOn& go_on) const;
  // How long data are kept: of a series, of a group; `index` is what read() gives.
  [[nodiscard]] rollup::RetentionClasses::Number class_of(const index::SeriesIndex& index, model::SeriesId one) const {
    return retentions_.class_of(index, one);
  }
  [[nodiscard]] GroupRetentions::Number kept(const index::SeriesIndex& index, model::GroupId group) const;
  [[nodiscard]] const rollup::RetentionClasses& classes() const { return options_.classes; }
  [[nodiscard]] const GroupRetentions& group_retentions() const { return group_retentions_; }
  Stamps& stamps() { return stamps_; }
  [[nodiscard]] const storage::RowCheck& row_check() const { return row_check_; }
  [[nodiscard]] std::size_t memory_bytes() const;
  [[nodiscard]] std::size_t group_bytes() const;  // of that, what is kept beside the index

 private:
  struct Forgotten {
    std::int64_t at_us = 0;
    bool hidden = true;  // nothing was announced since
  };
  struct MetricForgotten {
    std::unordered_map<Hash, Forgotten, HashOfHash> series;
    std::size_t generation = 0;
  };
  using MetricKey = std::pair<model::TenantId, std::string>;

  // Says whether a group is of the tenant. For use under the lock: the analysis does not see where a lambda is called.
  [[nodiscard]] auto is_of(model::TenantId tenant) const {
    return [this, tenant](std::uint32_t group)
               VARVE_NO_THREAD_ANALYSIS { return index_.group_tenant(model::GroupId{group}) == tenant; };
  }
  [[nodiscard]] GroupName name_locked(model::GroupId group) const VARVE_REQUIRES_SHARED(mutex_);
  [[nodiscard]] std::optional<model::GroupId> find_locked(model::TenantId tenant, const Hash& hash) const
      VARVE_REQUIRES_SHARED(mutex_);
  Result<model::GroupId> define_locked(model::TenantId tenant, const Hash& hash, const model::TagViews& tags,
                                       std::span<const std::string_view> metrics, std::uint32_t ttl_s,
                                       std::size_t series_max) VARVE_REQUIRES(mutex_);
  Forgotten* forgotten(model::TenantId tenant, std::string_view metric, const model::TagViews& tags)
      VARVE_REQUIRES(mutex_);
  Forgotten* forgotten(model::SeriesId series) VARVE_REQUIRES(mutex_);
  // Definitions are over: nobody needs them but who makes another index.
  void drop_definitions() VARVE_REQUIRES(mutex_) {
    if (notes_) noted_ += definitions_;
    definitions_.clear();
  }
  class Leaving;
  [[nodiscard]] bool is_gone(model::GroupId group, const Leave& what) const VARVE_REQUIRES_SHARED(mutex_);
  void show(model::GroupId group, std::string_view metric, std::int64_t seen_us) VARVE_REQUIRES(mutex_);
  bool is_late(model::GroupId group, std::int64_t seen_us) VARVE_REQUIRES(mutex_);
  void hide(model::SeriesId series, Forgotten& gone, std::int64_t slack_us) VARVE_REQUIRES(mutex_);

  const Options options_;
  const shared::SeriesRetentions retentions_{options_.classes};
  const GroupRetentions group_retentions_{options_.classes};
  mutable SharedMutex mutex_;
  index::SeriesIndex index_ VARVE_GUARDED_BY(mutex_);
  storage::RowCheck row_check_;                       // learns under the lock, is asked without it
  std::string definitions_ VARVE_GUARDED_BY(mutex_);  // of one call
  bool notes_ VARVE_GUARDED_BY(mutex_) = false;       // while groups leave: what is defined meanwhile
  std::string noted_ VARVE_GUARDED_BY(mutex_);
  GroupTable groups_ VARVE_GUARDED_BY(mutex_);
  std::map<MetricKey, MetricForgotten> forgotten_ VARVE_GUARDED_BY(mutex_);
  std::vector<bool> announced_tenants_ VARVE_GUARDED_BY(mutex_);
  Again again_ VARVE_GUARDED_BY(mutex_);
  Stamps stamps_;
};

}  // namespace varve::engine::cassandra
