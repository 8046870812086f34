// SPDX-License-Identifier: Apache-2.0
// SeriesTables: the SeriesStore of the cluster engine, and what its appends and its tracker need of it: a directory in
// memory, in front of the index in the store. The engine's Store adds series_stats().
//
//   append:  missing = series.missing(groups) → series.announce(missing) beside the samples' rows → again
//            series.missing(groups), until there is nothing → acknowledge
//   once a second, by a thread of its own:  series.listen()
//
// Limits: series_per_tenant counts the series that this process knows, so several replicas may let a tenant have more.
// Thread-safe.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "engine/cassandra/series/announcer.h"
#include "engine/cassandra/series/directory.h"
#include "engine/cassandra/series/loader.h"
#include "storage/series_store.h"
#include "tracker/redis/member_names.h"

namespace varve::engine::cassandra {

struct SeriesOptions {
  Directory::Options directory;
  std::int64_t retention_ms = rollup::kForEver;  // longest_retention_ms()
  std::size_t gone_series_min = 65'536;          // so many leave the directory at once, where no fewer than stay
};

class SeriesTables : public storage::SeriesStore {
 public:
  using Done = RowStore::Done;

  // `clock`: the one that all replicas share.
  SeriesTables(const SeriesOptions& options, const Tables& tables, RowStore& rows, tracker::redis::Versions& versions,
               const Clock& clock);
  ~SeriesTables() override;

  Result<model::TenantId> tenant(std::string_view name) override;
  [[nodiscard]] Result<std::optional<model::TenantId>> find_tenant(std::string_view name) const override;
  [[nodiscard]] Result<std::vector<std::string>> tenants() const override;
  [[nodiscard]] bool in_memory() const override { return false; }
  Result<model::GroupId> define_group(model::TenantId tenant, const model::TagViews& tags,
                                      std::span<const std::string_view> metrics, std::uint32_t ttl_s = 0) override;
  [[nodiscard]] index::GroupNames group_names(model::GroupId group) const override;
  [[nodiscard]] std::uint64_t group_generation() const override {
    return group_generation_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] Result<std::vector<model::SeriesId>> select(model::TenantId tenant, std::string_view metric,
                                                            const index::Matchers& matchers, model::TimeRange seen = {},
                                                            const storage::GoOn& go_on = {}) const override;
  [[nodiscard]] std::vector<model::Tags> tags(model::TenantId tenant,
                                              std::span<const model::SeriesId> series) const override;
  [[nodiscard]] Result<std::vector<std::string>> metric_names(model::TenantId tenant,
                                                              const index::NamePage& page) const override;
  [[nodiscard]] Result<std::vector<std::string>> tag_keys(model::TenantId tenant, std::string_view metric,
                                                          const index::NamePage& page) const override;
  [[nodiscard]] Result<std::vector<std::string>> tag_values(model::TenantId tenant, std::string_view metric,
                                                            std::string_view key,
                                                            const index::NamePage& page) const override;
  [[nodiscard]] Result<std::vector<index::TagCount>> tag_counts(model::TenantId tenant, std::string_view metric,
                                                                const index::TagPage& page) const override;
  [[nodiscard]] Result<std::vector<index::TaggedSeries>> tagged_series(model::TenantId tenant, std::string_view metric,
                                                                       const index::TagPage& page) const override;
  // Those that series_stats() finds empty. Needs Redis: who has written to them meanwhile must hear of it.
  void forget_empty(model::TenantId tenant, std::span<const model::SeriesId> series) override;
  [[nodiscard]] std::size_t series_count() const override;  // known here
  [[nodiscard]] std::size_t series_count(model::TenantId tenant) const override;

  // --- appends
  // See Directory::missing().
  [[nodiscard]] std::vector<GroupBucket> missing(std::span<const GroupBucket> groups) {
    return directory_.missing(groups, now_us());
  }
  // Writes their rows and raises their numbers. An error: they are not announced, nothing may be acknowledged; then
  // those that missing() says are tried again. This object must stay until `done` was called.
  void announce(std::span<const GroupBucket> groups, Done done);
  // How often numbers could not be raised: other replicas do not look for what was announced then.
  [[nodiscard]] std::uint64_t raises_failed() const;

  // Hears what others have forgotten and announces again what has to be, and raises what could not be raised. Now and
  // then lets series leave the directory of which nothing is left. One thread.
  Status listen();

  // --- for the scan, the tracker, and who seals
  // See Loader::series().
  Result<std::vector<model::Timestamp>> load(model::TenantId tenant, std::string_view metric, model::TimeRange range,
                                             const RowStore::ReadLimits& limits) const;
  Directory& directory() { return directory_; }
  [[nodiscard]] const Directory& directory() const { return directory_; }
  Loader& loader() { return loader_; }

 private:
  struct Owed;
  struct Task;

  [[nodiscard]] std::int64_t now_us() const { return clock_.now_ms() * 1000; }
  Status load_metrics(model::TenantId tenant, std::string_view metric) const;
  Status forget(model::TenantId tenant, std::span<const model::SeriesId> series);
  Status write_forgotten(model::TenantId tenant, std::span<const model::SeriesId> series, std::int64_t at_us);
  Result<std::vector<RowDelete>> names_gone(model::TenantId tenant, const std::vector<std::string>& metrics,
                                            std::int64_t at_us);
  void raise(std::vector<tracker::redis::VersionsRaised> what, Done done);
  void announce_next(const std::shared_ptr<Task>& task);
  Status announce_again();
  void leave_if_due();
  Status announce_names(std::span<const std::pair<model::TenantId, std::string>> metrics);
  Status write_some_at_once(std::vector<RowWrite> rows);

  const Tables& tables_;
  RowStore& rows_;
  tracker::redis::Versions& versions_;
  const Clock& clock_;
  Directory directory_;
  Announcer announcer_;
  mutable Loader loader_;
  const std::int64_t retention_ms_;
  const std::size_t gone_series_min_;
  std::atomic<std::uint64_t> group_generation_{0};
  struct Leave {
    std::int64_t next_look_ns = 0;        // steady
    std::optional<std::int64_t> told_ns;  // steady; since when those who keep numbers of groups are told
    std::int64_t ahead_ms;                // of the wall clock before the steady one
  };
  Leave leave_;                       // of leave_if_due() alone
  const std::shared_ptr<Owed> owed_;  // numbers that are to be raised when Redis is there again
};

// The member of a tenant that is all its log messages; no line group has this number. Its hash is 16 bytes 0.
inline constexpr std::uint32_t kMessagesMember = 0xffffffff;

// How the replicas' trackers know line groups, and the messages of a tenant.
class GroupNames final : public tracker::redis::MemberNames {
 public:
  explicit GroupNames(SeriesTables& series) : series_(series) {}
  [[nodiscard]] std::string tenant(model::TenantId tenant) const override;
  [[nodiscard]] std::string name(const tracker::Member& member) const override;
  Result<std::vector<std::optional<tracker::Member>>> find(std::span<const std::string_view> names) override;

 private:
  SeriesTables& series_;
};

}  // namespace varve::engine::cassandra
