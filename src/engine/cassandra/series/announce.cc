// SPDX-License-Identifier: Apache-2.0
// What SeriesTables writes: announcements, and what was forgotten.
#include <algorithm>
#include <future>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "base/log.h"
#include "base/mutex.h"
#include "base/sort_unique.h"
#include "engine/cassandra/series/series_tables.h"
#include "engine/cassandra/tables/cell.h"

namespace varve::engine::cassandra {

using model::SeriesId;
using model::TenantId;
using tracker::redis::VersionsRaised;

namespace {

constexpr std::size_t kRowsAtOnce = 4000;  // some tenths of a second

}  // namespace

// By tenant: what callbacks may still add to when the owner is gone.
struct SeriesTables::Owed {
  Mutex mutex;
  struct Raised {
    std::set<model::Timestamp> buckets;
    std::set<std::string> metrics;
    bool names = false;
  };
  std::map<std::string, Raised> tenants VARVE_GUARDED_BY(mutex);
  std::uint64_t failed VARVE_GUARDED_BY(mutex) = 0;

  void add(const std::vector<VersionsRaised>& what) {
    const MutexLock lock(mutex);
    ++failed;
    for (const VersionsRaised& raised : what) {
      auto& [buckets, metrics, names] = tenants[raised.tenant];
      buckets.insert(raised.periods.begin(), raised.periods.end());
      metrics.insert(raised.metrics.begin(), raised.metrics.end());
      names = names || raised.names;
    }
  }
  std::vector<VersionsRaised> take() {
    const MutexLock lock(mutex);
    std::vector<VersionsRaised> out;
    for (const auto& [tenant, what] : tenants) {
      out.push_back(
          {tenant, {what.buckets.begin(), what.buckets.end()}, {what.metrics.begin(), what.metrics.end()}, what.names});
    }
    tenants.clear();
    return out;
  }
};

SeriesTables::SeriesTables(const SeriesOptions& options, const Tables& tables, RowStore& rows,
                           tracker::redis::Versions& versions, const Clock& clock)
    : tables_(tables),
      rows_(rows),
      versions_(versions),
      clock_(clock),
      directory_(options.directory),
      announcer_(directory_, tables, options.retention_ms),
      loader_(directory_, tables, rows, versions, clock),
      retention_ms_(options.retention_ms),
      gone_series_min_(options.gone_series_min),
      leave_{.next_look_ns = 0, .told_ns = {}, .ahead_ms = clock.now_ms() - clock.steady_ns() / 1'000'000},
      owed_(std::make_shared<Owed>()) {}

SeriesTables::~SeriesTables() = default;

std::uint64_t SeriesTables::raises_failed() const {
  const MutexLock lock(owed_->mutex);
  return owed_->failed;
}

// Redis is not waited for: what it was not told it is told later. Others look for themselves meanwhile, where they have
// heard of it by a marker.
void SeriesTables::raise(std::vector<VersionsRaised> what, Done done) {
  const std::span<const VersionsRaised> span(what);
  versions_.raise(span, [owed = owed_, what = std::move(what), done = std::move(done)](const Status& status) {
    if (!status) owed->add(what);
    done({});
  });
}

// A piece after the other: of many none would come in time, and what is done once need not be done again.
struct SeriesTables::Task {
  std::vector<GroupBucket> groups;
  std::size_t next = 0;
  Done done;
};

void SeriesTables::announce(std::span<const GroupBucket> groups, Done done) {
  if (groups.empty()) return done({});
  announce_next(std::make_shared<Task>(Task{{groups.begin(), groups.end()}, 0, std::move(done)}));
}

void SeriesTables::announce_next(const std::shared_ptr<Task>& task) {
  const std::span<const GroupBucket> rest = std::span(task->groups).subspan(task->next);
  const std::size_t count = directory_.read([&](const index::SeriesIndex& index) {
    std::size_t groups = 0, rows = 0;
    while (groups < rest.size() && rows < kRowsAtOnce) rows += index.group_series(rest[groups++].group).size() + 2;
    return groups;
  });
  task->next += count;
  auto announcement = std::make_shared<Announcement>(announcer_.prepare(rest.first(count), now_us()));
  auto rows = std::exchange(announcement->rows, {});
  rows_.write(std::move(rows), [this, task, announcement](Status status) {
    if (status && !announcer_.confirm(*announcement, now_us())) {
      status = fail(Code::unavailable, "the index took too long to write");
    }
    if (!status) return task->done(std::move(status));
    raise(announcer_.raised(*announcement), [this, task](const Status&) {
      if (task->next < task->groups.size()) return announce_next(task);
      task->done({});
    });
  });
}

Status SeriesTables::listen() {
  const Status heard = loader_.listen();
  VARVE_RETURN_IF_ERROR(announce_again());
  if (auto owed = owed_->take(); !owed.empty()) raise(std::move(owed), [](const Status&) {});
  leave_if_due();
  return heard;
}

Status SeriesTables::announce_again() {
  Again again = directory_.take_again();
  if (again.groups.empty() && again.metrics.empty()) return {};
  sort_unique(again.groups);
  Status status = announce_names(again.metrics);
  if (status) {
    std::promise<Status> announced;
    announce(again.groups, [&](Status done) { announced.set_value(std::move(done)); });
    status = announced.get_future().get();
  }
  if (!status) directory_.give_again(std::move(again));
  return status;
}

Status SeriesTables::announce_names(std::span<const std::pair<TenantId, std::string>> metrics) {
  if (metrics.empty()) return {};
  VARVE_RETURN_IF_ERROR(rows_.write_now(announcer_.names(metrics, now_us())));
  std::set<std::string> tenants;
  for (const auto& [tenant, metric] : metrics) tenants.insert(directory_.tenant_name(tenant));
  std::vector<VersionsRaised> raised;
  for (const std::string& tenant : tenants) raised.push_back({tenant, {}, {}, true});
  raise(std::move(raised), [](const Status&) {});
  return {};
}

// --- forgetting

// When they were forgotten is before they were looked at: what was written since has been announced since.
void SeriesTables::forget_empty(TenantId tenant, std::span<const SeriesId> series) {
  if (auto status = forget(tenant, series); !status) {
    log::warn("series without data are not forgotten", {{"error", status.error().message}});
  }
}

Status SeriesTables::forget(TenantId tenant, std::span<const SeriesId> series) {
  const std::string name = directory_.tenant_name(tenant);
  const tracker::redis::VersionsAsked asked{name, 0};
  VARVE_RETURN_IF_ERROR(versions_.ask({&asked, 1}));
  const std::int64_t at_us = directory_.stamps().draw(now_us());
  VARVE_ASSIGN_OR_RETURN(const auto known, series_stats(tenant, series));
  std::vector<SeriesId> empty;
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (known[i].points == 0) empty.push_back(series[i]);
  }
  directory_.read([&](const index::SeriesIndex& index) {
    std::erase_if(empty, [&](SeriesId one) { return index.series_tenant(one) != tenant; });
    return 0;
  });
  return empty.empty() ? Status() : write_forgotten(tenant, empty, at_us);
}

Status SeriesTables::write_forgotten(TenantId tenant, std::span<const SeriesId> series, std::int64_t at_us) {
  std::map<std::string, std::vector<std::pair<Hash, std::int64_t>>> metrics;
  directory_.read([&](const index::SeriesIndex& index) {
    model::TagViews tags;
    for (const SeriesId one : series) {
      index.tags(one, tags);
      metrics[std::string(index.metric(one))].emplace_back(
          model::series_set_hash(model::series_key(index.metric(one), tags)), at_us);
    }
    return 0;
  });
  const std::string name = directory_.tenant_name(tenant);
  std::vector<RowWrite> rows;
  std::vector<std::string> names;
  for (const auto& [metric, gone] : metrics) {
    names.push_back(metric);
    // Announcements of samples ahead of the clock stand for longer.
    VARVE_ASSIGN_OR_RETURN(const auto latest, loader_.latest_bucket(tenant, metric));
    const std::uint32_t ttl = announcer_.ttl_s(at_us, latest);
    for (const auto& [hash, us] : gone) {
      rows.push_back({&tables_.forgotten,
                      {name, metric, smallint_cell(shard_of(hash))},
                      {bigint_cell(at_us), blob_of(hash)},
                      {},
                      at_us,
                      ttl});
    }
  }
  std::ranges::stable_sort(rows, {}, &RowWrite::partition);
  // Of some that could not be written others hear, too.
  const Status written = write_some_at_once(std::move(rows));
  raise({{name, {}, names, false}}, [](const Status&) {});
  VARVE_RETURN_IF_ERROR(written);
  for (const auto& [metric, gone] : metrics) loader_.forgot(tenant, metric, gone);
  VARVE_ASSIGN_OR_RETURN(auto deletes, names_gone(tenant, names, at_us));
  if (!deletes.empty()) {
    VARVE_RETURN_IF_ERROR(rows_.erase_now(std::move(deletes)));
    raise({{name, {}, names, true}}, [](const Status&) {});
  }
  return announce_again();
}

Status SeriesTables::write_some_at_once(std::vector<RowWrite> rows) {
  for (std::size_t at = 0; at < rows.size(); at += kRowsAtOnce) {
    const auto first = rows.begin() + static_cast<std::ptrdiff_t>(at);
    const auto last = rows.begin() + static_cast<std::ptrdiff_t>(std::min(at + kRowsAtOnce, rows.size()));
    VARVE_RETURN_IF_ERROR(rows_.write_now({std::move_iterator(first), std::move_iterator(last)}));
  }
  return {};
}

// Of a metric of which no series is left.
Result<std::vector<RowDelete>> SeriesTables::names_gone(TenantId tenant, const std::vector<std::string>& metrics,
                                                        std::int64_t at_us) {
  std::vector<RowDelete> out;
  const std::string name = directory_.tenant_name(tenant);
  for (const std::string& metric : metrics) {
    VARVE_ASSIGN_OR_RETURN(const auto left, select(tenant, metric, {}));
    if (!left.empty()) continue;
    out.push_back({&tables_.metric_names, {name, smallint_cell(shard_of(metric))}, {metric}, at_us});
  }
  return out;
}

}  // namespace varve::engine::cassandra
