// SPDX-License-Identifier: Apache-2.0
// Store: the embedded engine. Series in memory, samples in a write-ahead log and a head, chunks in RocksDB.
//
//   append ─▶ log (one record a batch) ─▶ head ─▶ immutable head ─▶ run of blocks per tenant and slot ─▶ merged run
//   scan   ◀─ head ∪ immutable head ∪ runs, the later writer wins
//
// Directory: LOCK (one process), FORMAT (slot width), wal/ (docs/formats/log.md), db/ (docs/formats/keys.md).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "engine/rocksdb/options.h"
#include "storage/sample_store.h"
#include "storage/series_store.h"
#include "storage/slot_store.h"
#include "storage/text_store.h"

namespace varve::engine::rocksdb {

// What a start found.
struct RecoveryReport {
  std::uint64_t series = 0;
  std::uint64_t log_rows = 0;
  std::uint64_t log_bytes = 0;
  std::uint64_t torn_bytes = 0;     // an unfinished record at the end of the log, cut
  std::uint64_t damaged_bytes = 0;  // with options.repair: skipped
  std::uint64_t lost_records = 0;   // with options.repair: not found
  std::uint64_t aside_bytes = 0;    // behind a hole that a power cut left; kept in a file for options.repair
  std::uint64_t taken_rows = 0;     // with options.repair: out of such files
  [[nodiscard]] bool is_repaired() const { return damaged_bytes > 0 || lost_records > 0; }
};

class Store final : public storage::SeriesStore,
                    public storage::SampleStore,
                    public storage::SlotStore,
                    public storage::TextStore {
 public:
  // Blocking: replays the log. Errors: conflict (another process has the directory), corrupt (a damaged log, with file
  // and offset; see Options::repair), invalid (the directory was made with another slot width), io.
  static Result<std::unique_ptr<Store>> open(const Options& options, const Clock& clock);
  // Waits for the running maintenance step; what is in the head stays in the log.
  ~Store() override;

  Result<model::TenantId> tenant(std::string_view name) override;
  [[nodiscard]] Result<std::optional<model::TenantId>> find_tenant(std::string_view name) const override;
  [[nodiscard]] Result<std::vector<std::string>> tenants() const override;
  Result<model::GroupId> define_group(model::TenantId tenant, const model::TagViews& tags,
                                      std::span<const std::string_view> metrics, std::uint32_t ttl_s = 0) override;
  [[nodiscard]] index::GroupNames group_names(model::GroupId group) const override;
  [[nodiscard]] Result<std::vector<model::SeriesId>> select(model::TenantId tenant, std::string_view metric,
                                                            const index::Matchers& matchers) const override;
  [[nodiscard]] std::vector<model::Tags> tags(model::TenantId tenant,
                                              std::span<const model::SeriesId> series) const override;
  [[nodiscard]] Result<std::vector<std::string>> metric_names(model::TenantId tenant, std::string_view prefix,
                                                              std::size_t limit) const override;
  [[nodiscard]] Result<std::vector<std::string>> tag_keys(model::TenantId tenant,
                                                          std::string_view metric) const override;
  [[nodiscard]] Result<std::vector<std::string>> tag_values(model::TenantId tenant, std::string_view metric,
                                                            std::string_view key) const override;
  [[nodiscard]] Result<std::vector<index::TagCount>> tag_counts(model::TenantId tenant,
                                                                std::string_view metric) const override;
  [[nodiscard]] Result<std::vector<storage::SeriesStats>> series_stats(
      model::TenantId tenant, std::span<const model::SeriesId> series) const override;
  void forget_empty(model::TenantId tenant, std::span<const model::SeriesId> series) override;
  [[nodiscard]] std::size_t series_count() const override;
  [[nodiscard]] std::size_t series_count(model::TenantId tenant) const override;

  void append(const model::RowBatch& batch, AppendDone done) override;
  Status scan(model::TenantId tenant, std::span<const model::SeriesId> series, const storage::ScanOptions& options,
              storage::PieceSink& sink) override;
  Result<storage::EraseReport> erase(model::TenantId tenant, std::span<const model::SeriesId> series,
                                     model::TimeRange range, const std::atomic<bool>* cancelled) override;
  Result<storage::SettleReport> settle() override;
  [[nodiscard]] storage::StorageBytes storage_bytes() const override;

  [[nodiscard]] const RecoveryReport& recovery() const;
  [[nodiscard]] std::uint64_t series_defined() const;  // ever, forgotten ones too

  [[nodiscard]] storage::SlotCounts slot_counts() const override;
  [[nodiscard]] std::vector<storage::SlotState> slots(model::TenantId tenant, std::size_t limit) const override;
  [[nodiscard]] std::vector<storage::SetAsideWork> set_aside() const override;

  Status put_text(const storage::TextName& name, std::string_view text) override;
  Status erase_text(const storage::TextName& name) override;
  [[nodiscard]] Result<std::optional<std::string>> text(const storage::TextName& name) const override;
  [[nodiscard]] Result<std::vector<storage::TextName>> text_names(std::string_view tenant,
                                                                  std::string_view service) const override;
  [[nodiscard]] Result<std::vector<std::string>> text_keys(std::string_view tenant, std::string_view service,
                                                           std::string_view service_key,
                                                           std::string_view prefix) const override;

 private:
  struct State;
  explicit Store(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace varve::engine::rocksdb
