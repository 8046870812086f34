// SPDX-License-Identifier: Apache-2.0
// For tests: replicas' SeriesTables on one store in memory, and what appends and deletes do with them.
#pragma once

#include <gtest/gtest.h>

#include <future>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/testing/jumping_clock.h"
#include "engine/cassandra/series/series_tables.h"
#include "engine/cassandra/tables/testing/memory_rows.h"
#include "tracker/redis/testing/local_versions.h"

namespace varve::engine::cassandra::testing {

// A series as everybody knows it: tenant, metric, host.
using SeriesName = std::string;

// What all replicas share.
struct Shared {
  varve::testing::JumpingClock clock;
  Tables tables{SchemaOptions{}};
  MemoryRows rows{clock};
  tracker::redis::testing::LocalVersions versions;
  std::mutex mutex;
  std::map<SeriesName, int> samples;  // visible to those who seal and scan

  [[nodiscard]] model::Timestamp bucket() const { return index_bucket_of(clock.now_ms()); }
};

class Replica final : public SeriesTables {
 public:
  explicit Replica(Shared& shared, const SeriesOptions& options = {})
      : SeriesTables(options, shared.tables, shared.rows, shared.versions, shared.clock), shared_(shared) {}

  [[nodiscard]] Result<std::vector<storage::SeriesStats>> series_stats(
      model::TenantId tenant, std::span<const model::SeriesId> series) const override {
    std::vector<storage::SeriesStats> out(series.size());
    const auto names = names_of(tenant, series);
    const std::lock_guard lock(shared_.mutex);
    for (std::size_t i = 0; i < series.size(); ++i) {
      out[i].points = static_cast<std::uint64_t>(shared_.samples[names[i]]);
    }
    return out;
  }

  model::GroupId group(const std::vector<std::string>& metrics, const std::string& host,
                       const std::string& tenant_name = "t") {
    const std::vector<std::string_view> views(metrics.begin(), metrics.end());
    auto group = define_group(*tenant(tenant_name), {{"host", host}}, views);
    EXPECT_TRUE(group);
    return group.value_or(model::kNoGroup);
  }

  Status announce_now(std::span<const GroupBucket> groups) {
    std::promise<Status> told;
    announce(groups, [&](Status status) { told.set_value(std::move(status)); });
    return told.get_future().get();
  }

  // As an append does it; `between` the announcement and the last look.
  Status append(model::GroupId group, model::Timestamp bucket, const std::function<void()>& between = [] {}) {
    const GroupBucket wanted{group, bucket};
    VARVE_RETURN_IF_ERROR(announce_now(missing({&wanted, 1})));
    between();
    const auto tenant = directory().name(group).tenant;
    std::vector<model::SeriesId> series = directory().read([&](const index::SeriesIndex& index) {
      const auto of = index.group_series(group);
      return std::vector<model::SeriesId>(of.begin(), of.end());
    });
    {
      const auto names = names_of(tenant, series);
      const std::lock_guard lock(shared_.mutex);
      for (const auto& name : names) ++shared_.samples[name];
    }
    for (int tries = 0; tries < 10; ++tries) {
      const auto missed = missing({&wanted, 1});
      if (missed.empty()) return {};
      VARVE_RETURN_IF_ERROR(announce_now(missed));
    }
    return fail(Code::unavailable, "it is forgotten again and again");
  }
  Status append(model::GroupId group) { return append(group, shared_.bucket()); }

  // Hosts of the metric's series.
  Result<std::vector<std::string>> hosts(const std::string& metric, model::TimeRange range = {},
                                         const std::string& tenant_name = "t") {
    VARVE_ASSIGN_OR_RETURN(const auto tenant, find_tenant(tenant_name));
    if (!tenant) return std::vector<std::string>{};
    VARVE_RETURN_IF_ERROR(load(*tenant, metric, range, {}));
    std::vector<std::string> out = directory().read(
        [&](const index::SeriesIndex& index) { return index.tag_values(*tenant, metric, "host", {}); });
    return out;
  }

  // A delete of the metric's whole series of this host.
  void erase(const std::string& metric, const std::string& host, const std::string& tenant_name = "t") {
    const auto tenant = find_tenant(tenant_name);
    ASSERT_TRUE(tenant);
    if (!*tenant) return;
    const auto series = select(**tenant, metric, {{"host", index::Matcher::Kind::any_of, {host}}});
    ASSERT_TRUE(series);
    {
      const std::lock_guard lock(shared_.mutex);
      shared_.samples[tenant_name + "|" + metric + "|" + host] = 0;
    }
    forget_empty(**tenant, *series);
  }

 private:
  [[nodiscard]] std::vector<SeriesName> names_of(model::TenantId tenant,
                                                 std::span<const model::SeriesId> series) const {
    return directory().read([&](const index::SeriesIndex& index) {
      std::vector<SeriesName> out;
      for (const auto one : series) {
        out.push_back(std::string(index.tenant_name(tenant)) + "|" + std::string(index.metric(one)) + "|" +
                      index.tags(one).at(0).second);
      }
      return out;
    });
  }

  Shared& shared_;
};

}  // namespace varve::engine::cassandra::testing
