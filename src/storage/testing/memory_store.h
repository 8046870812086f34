// SPDX-License-Identifier: Apache-2.0
// A SeriesStore and SampleStore in memory, as plain as can be: the model that queries (and real stores) are tested
// against. Gives samples in pieces of `piece_max`, and statistics of whole pieces where the sink takes them.
#pragma once

#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "counter/declared.h"
#include "counter/summary.h"
#include "index/series_index.h"
#include "storage/row_check.h"
#include "storage/sample_store.h"
#include "storage/series_store.h"

namespace varve::storage::testing {

class MemoryStore final : public SeriesStore, public SampleStore {
 public:
  // Without a clock no deadline is looked at, and no time to live is ever over.
  explicit MemoryStore(std::size_t piece_max = 4, const Clock* clock = nullptr)
      : piece_max_(piece_max), clock_(clock) {}

  // The short way for tests: one sample of a series that is defined here if need be.
  void put(std::string_view tenant, std::string_view metric, model::TagViews tags, model::Timestamp time,
           const model::Value& value);

  // While set, every question of names fails (unavailable), as that of an engine whose index is on another server.
  void away(bool is_away) { away_ = is_away; }
  // After so many calls scan() fails (io).
  void fail_after(std::int64_t scans) { scans_left_ = scans; }
  // How often scan() was called.
  [[nodiscard]] std::size_t scans() const { return scans_; }

  // As an engine that has rolled up this range, in windows of this width, of counters: it gives summaries of them
  // first, then the rest, not in order of time.
  void roll_up_counters(model::TimeRange range, std::int64_t width_ms, counter::Declaration declared) {
    rolled_up_ = {range, width_ms, std::move(declared)};
  }
  // How many summaries scan() gave.
  [[nodiscard]] std::size_t windows_given() const { return windows_given_; }

  // How often scan() gave statistics instead of samples.
  [[nodiscard]] std::size_t stats_given() const { return stats_given_; }

  Result<model::TenantId> tenant(std::string_view name) override;
  [[nodiscard]] Result<std::optional<model::TenantId>> find_tenant(std::string_view name) const override;
  [[nodiscard]] Result<std::vector<std::string>> tenants() const override;
  Result<model::GroupId> define_group(model::TenantId tenant, const model::TagViews& tags,
                                      std::span<const std::string_view> metrics, std::uint32_t ttl_s = 0) override;
  [[nodiscard]] index::GroupNames group_names(model::GroupId group) const override;
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
  [[nodiscard]] Result<std::vector<SeriesStats>> series_stats(model::TenantId tenant,
                                                              std::span<const model::SeriesId> series) const override;
  void forget_empty(model::TenantId tenant, std::span<const model::SeriesId> series) override;
  [[nodiscard]] std::size_t series_count() const override;
  [[nodiscard]] std::size_t series_count(model::TenantId tenant) const override;

  void append(const model::RowBatch& batch, AppendDone done) override;
  Status scan(model::TenantId tenant, std::span<const model::SeriesId> series, const ScanOptions& options,
              PieceSink& sink) override;
  Result<EraseReport> erase(model::TenantId tenant, std::span<const model::SeriesId> series, model::TimeRange range,
                            const std::atomic<bool>* cancelled) override;
  Result<SettleReport> settle() override { return SettleReport{}; }
  [[nodiscard]] StorageBytes storage_bytes() const override { return {}; }

 private:
  struct Stored {
    model::ValueType type;
    std::uint64_t bits;
    std::string text;
    std::uint64_t written;  // the later, the higher
  };
  using Samples = std::map<model::Timestamp, Stored>;
  struct RolledUp {
    model::TimeRange range{0, 0};
    std::int64_t width_ms = 1;
    counter::Declaration declared;
  };
  void put(const model::RowBatch& batch, const AppendDone& done);
  void put(model::RowView row) VARVE_REQUIRES(mutex_);
  Status scan_counter(std::size_t position, const Samples& samples, const ScanOptions& options, PieceSink& sink);
  Status scan_series(std::size_t position, const Samples& samples, const ScanOptions& options, PieceSink& sink);
  Status give(std::size_t position, std::span<const Samples::value_type* const> run, PieceSink& sink);

  // Those that are still there: of one time the one that was written last. `room`: for the answer.
  const Samples& alive(model::SeriesId series, Samples& room) const VARVE_REQUIRES_SHARED(mutex_);

  const std::size_t piece_max_;
  const Clock* const clock_;
  mutable SharedMutex mutex_;
  std::string definitions_ VARVE_GUARDED_BY(mutex_);
  index::SeriesIndex index_ VARVE_GUARDED_BY(mutex_);
  RowCheck row_check_;  // learns under the lock, is asked without it
  // By series and time to live.
  std::map<model::SeriesId, std::map<std::uint32_t, Samples>> samples_ VARVE_GUARDED_BY(mutex_);
  std::uint64_t written_ VARVE_GUARDED_BY(mutex_) = 0;
  std::atomic<std::size_t> stats_given_{0}, windows_given_{0};
  RolledUp rolled_up_;
  [[nodiscard]] Status there() const;
  std::atomic<bool> away_ = false;
  std::atomic<std::size_t> scans_ = 0;
  std::atomic<std::int64_t> scans_left_ = std::numeric_limits<std::int64_t>::max();
};

}  // namespace varve::storage::testing
