// SPDX-License-Identifier: Apache-2.0
// Stores that only remember what was asked of them, for the tests of what writes to stores. Thread-safe as real ones.
#pragma once

#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/mutex.h"
#include "model/row.h"
#include "storage/sample_store.h"
#include "storage/series_store.h"

namespace varve::write::testing {

class FakeSeriesStore final : public storage::SeriesStore {
 public:
  Result<model::TenantId> tenant(std::string_view name) override {
    const MutexLock lock(mutex_);
    ++tenant_calls;
    if (refuse) return fail(Code::unavailable, "stopping");
    return tenants_.try_emplace(std::string(name), model::TenantId{static_cast<std::uint32_t>(tenants_.size())})
        .first->second;
  }
  [[nodiscard]] Result<std::optional<model::TenantId>> find_tenant(std::string_view) const override {
    return std::nullopt;
  }
  [[nodiscard]] Result<std::vector<std::string>> tenants() const override { return {}; }

  Result<model::GroupId> define_group(model::TenantId tenant, const model::TagViews& tags,
                                      std::span<const std::string_view> metrics, std::uint32_t ttl_s = 0) override {
    if (refuse) return fail(Code::limit, "too many series");
    last_tenant = tenant;
    series += metrics.size();
    const MutexLock lock(mutex_);
    last_tags = model::to_tags(tags);
    ttls_s.push_back(ttl_s);
    const model::GroupId group{groups.fetch_add(1)};
    widths_[group] = metrics.size();
    return group;
  }
  [[nodiscard]] std::uint64_t group_generation() const override { return generation; }
  std::uint64_t generation = 0;
  // How many series each group has.
  [[nodiscard]] std::map<model::GroupId, std::size_t> widths() const {
    const MutexLock lock(mutex_);
    return widths_;
  }

  // All are of the series that was defined last.
  [[nodiscard]] index::GroupNames group_names(model::GroupId group) const override {
    const MutexLock lock(mutex_);
    names_asked.push_back(group);
    return {last_tenant, last_tags, {"m"}};
  }
  mutable std::vector<model::GroupId> names_asked;

  [[nodiscard]] Result<std::vector<model::SeriesId>> select(model::TenantId, std::string_view, const index::Matchers&,
                                                            model::TimeRange, const storage::GoOn&) const override {
    return std::vector<model::SeriesId>{};
  }
  [[nodiscard]] std::vector<model::Tags> tags(model::TenantId, std::span<const model::SeriesId>) const override {
    return {};
  }
  [[nodiscard]] Result<std::vector<std::string>> metric_names(model::TenantId, const index::NamePage&) const override {
    return {};
  }
  [[nodiscard]] Result<std::vector<std::string>> tag_keys(model::TenantId, std::string_view,
                                                          const index::NamePage&) const override {
    return {};
  }
  [[nodiscard]] Result<std::vector<std::string>> tag_values(model::TenantId, std::string_view, std::string_view,
                                                            const index::NamePage&) const override {
    return {};
  }
  [[nodiscard]] Result<std::vector<index::TagCount>> tag_counts(model::TenantId, std::string_view,
                                                                const index::TagPage&) const override {
    return {};
  }
  [[nodiscard]] Result<std::vector<index::TaggedSeries>> tagged_series(model::TenantId, std::string_view,
                                                                       const index::TagPage&) const override {
    return {};
  }
  [[nodiscard]] Result<std::vector<storage::SeriesStats>> series_stats(
      model::TenantId, std::span<const model::SeriesId> of) const override {
    return std::vector<storage::SeriesStats>(of.size());
  }
  void forget_empty(model::TenantId, std::span<const model::SeriesId>) override {}
  [[nodiscard]] std::size_t series_count() const override { return series; }
  [[nodiscard]] std::size_t series_count(model::TenantId) const override { return series; }

  std::atomic<std::uint32_t> groups{0};
  std::atomic<std::size_t> series{0};
  std::atomic<model::TenantId> last_tenant{};
  std::atomic<bool> refuse{false};
  std::atomic<std::size_t> tenant_calls{0};
  model::Tags last_tags;
  std::vector<std::uint32_t> ttls_s;  // of each group that was defined

 private:
  mutable Mutex mutex_;
  std::map<std::string, model::TenantId, std::less<>> tenants_ VARVE_GUARDED_BY(mutex_);
  std::map<model::GroupId, std::size_t> widths_ VARVE_GUARDED_BY(mutex_);
};

class FakeSampleStore : public storage::SampleStore {
 public:
  void append(const model::RowBatch& batch, AppendDone done) override {
    appended += batch.samples();
    note(batch.bytes());
    if (refuse) return done(fail(refusal, "the disk is full"));
    done({});
  }
  Status scan(model::TenantId, std::span<const model::SeriesId>, const storage::ScanOptions&,
              storage::PieceSink&) override {
    return {};
  }
  Result<storage::EraseReport> erase(model::TenantId, std::span<const model::SeriesId>, model::TimeRange,
                                     const std::atomic<bool>*) override {
    return storage::EraseReport{};
  }
  Result<storage::SettleReport> settle() override { return storage::SettleReport{}; }
  [[nodiscard]] storage::StorageBytes storage_bytes() const override { return {}; }

  std::atomic<std::size_t> appended{0};
  std::atomic<bool> refuse{false};
  std::atomic<Code> refusal{Code::unavailable};

  // How many values the last row of each group had.
  [[nodiscard]] std::map<model::GroupId, std::size_t> widths() const {
    const MutexLock lock(mutex_);
    return widths_;
  }

 private:
  void note(std::span<const std::byte> rows) {
    const MutexLock lock(mutex_);
    const std::byte* const end = rows.data() + rows.size();
    for (const std::byte* at = rows.data(); at != end;) {
      const std::size_t bytes = model::check_row(at, end);
      check(bytes > 0, "a batch has whole rows");
      const model::RowView row{at};
      widths_[row.group()] = row.count();
      at += bytes;
    }
  }

  mutable Mutex mutex_;
  std::map<model::GroupId, std::size_t> widths_ VARVE_GUARDED_BY(mutex_);
};

}  // namespace varve::write::testing
