// SPDX-License-Identifier: Apache-2.0
// SeriesStore: tenants, series and their tags; finds series by matchers; answers names and values without touching
// data. Both engines implement it and pass storage/store_contract.h. All methods are thread-safe. An engine that must
// ask another server may block in any of them, except for tenants and groups that it knows, and may answer
// `unavailable` or `timeout` where a Result is returned: never an empty list instead.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "index/group_names.h"
#include "index/matcher.h"
#include "index/name_page.h"
#include "index/tag_count.h"
#include "model/ids.h"
#include "model/tags.h"
#include "storage/go_on.h"
#include "storage/series_stats.h"

namespace varve::storage {

class SeriesStore {
 public:
  virtual ~SeriesStore() = default;

  // The tenant of this (valid) name; created on first sight. A tenant becomes durable with its first sample.
  virtual Result<model::TenantId> tenant(std::string_view name) = 0;
  // nullopt: there is no such tenant.
  [[nodiscard]] virtual Result<std::optional<model::TenantId>> find_tenant(std::string_view name) const = 0;
  [[nodiscard]] virtual Result<std::vector<std::string>> tenants() const = 0;

  // Is the whole index in memory, so that queries for names do not block?
  [[nodiscard]] virtual bool in_memory() const { return true; }

  // The line group of the series (metrics[i], tags), in this order; series and group are created if they are new, and
  // become durable in one commit with the first batch appended after this. `tags` must be normalized; 1 ≤ metrics ≤
  // 1024. Error: limit (limits.series_per_tenant would be exceeded: nothing is created).
  // `ttl_s`: the TTL of its samples, in seconds from their timestamps; 0: none. It is part of the group's identity:
  // samples of one series may be written to groups with different TTLs. Queries do not see expired samples. If several
  // groups hold a sample at the same time, the one written last among those that have not expired counts.
  virtual Result<model::GroupId> define_group(model::TenantId tenant, const model::TagViews& tags,
                                              std::span<const std::string_view> metrics, std::uint32_t ttl_s = 0) = 0;

  // The arguments of define_group() for a group that it returned, except its TTL.
  [[nodiscard]] virtual index::GroupNames group_names(model::GroupId group) const = 0;

  // Changes a minute before series leave the store for good of which nothing is left, and again when they leave.
  // Whoever keeps numbers of groups asks for them again then: those of series that have left are good no more.
  // Thread-safe, and quick.
  [[nodiscard]] virtual std::uint64_t group_generation() const { return 0; }

  // The group of the same series, in the same order, with this TTL. Errors: those of define_group().
  Result<model::GroupId> group_of_ttl(model::GroupId like, std::uint32_t ttl_s);

  // Series of the metric that match all matchers, ascending. Unknown metric: empty. Errors: invalid (a bad regex),
  // limit (a value is too long for the size of a regex), what `go_on` said. Some that have no sample in `seen` may be
  // left out. Whoever defines series does not wait until it is done.
  [[nodiscard]] virtual Result<std::vector<model::SeriesId>> select(model::TenantId tenant, std::string_view metric,
                                                                    const index::Matchers& matchers,
                                                                    model::TimeRange seen = {},
                                                                    const GoOn& go_on = {}) const = 0;

  // Is there a series of this metric with exactly these (normalized) tags, which is not forgotten? Errors: those of
  // select().
  [[nodiscard]] Result<bool> has_series(model::TenantId tenant, std::string_view metric,
                                        const model::TagViews& tags) const;

  // Tags of each series, in order of `series`.
  [[nodiscard]] virtual std::vector<model::Tags> tags(model::TenantId tenant,
                                                      std::span<const model::SeriesId> series) const = 0;

  // Sorted; a page costs as the names in it where the index is in memory.
  [[nodiscard]] virtual Result<std::vector<std::string>> metric_names(model::TenantId tenant,
                                                                      const index::NamePage& page) const = 0;
  // Sorted keys and values over all series of the metric; empty metric: of the tenant.
  [[nodiscard]] virtual Result<std::vector<std::string>> tag_keys(model::TenantId tenant, std::string_view metric,
                                                                  const index::NamePage& page) const = 0;
  [[nodiscard]] virtual Result<std::vector<std::string>> tag_values(model::TenantId tenant, std::string_view metric,
                                                                    std::string_view key,
                                                                    const index::NamePage& page) const = 0;

  // How many series of the metric have each of their tags, by key and value; empty metric: of the tenant. No data are
  // touched.
  [[nodiscard]] virtual Result<std::vector<index::TagCount>> tag_counts(model::TenantId tenant, std::string_view metric,
                                                                        const index::TagPage& page) const = 0;
  // The same tags of a metric, with the series that have them.
  [[nodiscard]] virtual Result<std::vector<index::TaggedSeries>> tagged_series(model::TenantId tenant,
                                                                               std::string_view metric,
                                                                               const index::TagPage& page) const = 0;

  // The stats of each series, in order of `series`, without reading stored samples; empty for series of another tenant.
  // Exact for everything that was visible at the time of the call.
  [[nodiscard]] virtual Result<std::vector<SeriesStats>> series_stats(
      model::TenantId tenant, std::span<const model::SeriesId> series) const = 0;

  // What is known of the series of each metric together, in order of `metrics`, if that is cheaper than to ask for the
  // stats of each series; else nullopt. Adds up what series_stats() says.
  [[nodiscard]] virtual std::optional<std::vector<MetricStats>> metric_stats(
      [[maybe_unused]] model::TenantId tenant, [[maybe_unused]] std::span<const std::string> metrics) const {
    return std::nullopt;
  }

  // When the series of the metric that have each of the tags were seen, in order of `tags`, if that is cheaper than to
  // ask for the stats of each series; else nullopt. The first and the last time are those that series_stats() says;
  // `points` says no more than whether there are any.
  [[nodiscard]] virtual std::optional<std::vector<SeriesStats>> tag_times(
      [[maybe_unused]] model::TenantId tenant, [[maybe_unused]] std::string_view metric,
      [[maybe_unused]] const model::TagViews& tags) const {
    return std::nullopt;
  }

  // Forgets the series among these that have no data, without waiting for the store to find them: they are no longer
  // selected, listed or counted. A forgotten series comes back when it is written (an acknowledged sample is visible,
  // also through a group that was defined before) or defined again. Blocking, like erase().
  virtual void forget_empty(model::TenantId tenant, std::span<const model::SeriesId> series) = 0;

  // Without forgotten series. If the index is not in memory: the series that this process has met.
  [[nodiscard]] virtual std::size_t series_count() const = 0;  // over all tenants
  [[nodiscard]] virtual std::size_t series_count(model::TenantId tenant) const = 0;
};

}  // namespace varve::storage
