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
#include "engine/rocksdb/env/options.h"
#include "storage/message_store.h"
#include "storage/sample_store.h"
#include "storage/series_store.h"
#include "storage/slot_store.h"
#include "storage/text_store.h"

namespace varve::engine::rocksdb {

// What the start found.
struct RecoveryReport {
  std::uint64_t series = 0;
  std::uint64_t log_rows = 0;
  std::uint64_t log_bytes = 0;
  std::uint64_t torn_bytes = 0;        // of an unfinished record at the end of the log, which was cut off
  std::uint64_t damaged_bytes = 0;     // skipped, with Options::repair
  std::uint64_t lost_records = 0;      // missing, with Options::repair
  bool has_lost_segment = false;       // of the log, with Options::repair; of what was in it only a part is counted
  bool has_misplaced = false;          // segments of the log were exchanged or left out, with Options::repair
  std::uint64_t aside_bytes = 0;       // after a hole left by a power cut; moved to a file for Options::repair
  std::uint64_t taken_rows = 0;        // restored from such files, with Options::repair
  std::uint64_t rejected_records = 0;  // of which something made no sense and was left out
  // Is not all in the store that was in the log, or is the log not as it should be?
  [[nodiscard]] bool is_partial() const {
    return damaged_bytes > 0 || lost_records > 0 || has_lost_segment || has_misplaced || rejected_records > 0;
  }
};

class Store final : public storage::SeriesStore,
                    public storage::SampleStore,
                    public storage::SlotStore,
                    public storage::TextStore,
                    public storage::MessageStore {
 public:
  // Blocks while it replays the log. Errors: conflict (another process has locked the directory), corrupt (the log is
  // damaged, with file and offset; see Options::repair), invalid (created with another slot width; a clock before
  // 1970), io.
  static Result<std::unique_ptr<Store>> open(const Options& options, const Clock& clock);
  // Waits for the running maintenance step. Rows in the head stay in the log.
  ~Store() override;

  Result<model::TenantId> tenant(std::string_view name) override;
  [[nodiscard]] Result<std::optional<model::TenantId>> find_tenant(std::string_view name) const override;
  [[nodiscard]] Result<std::vector<std::string>> tenants() const override;
  Result<model::GroupId> define_group(model::TenantId tenant, const model::TagViews& tags,
                                      std::span<const std::string_view> metrics, std::uint32_t ttl_s = 0) override;
  [[nodiscard]] index::GroupNames group_names(model::GroupId group) const override;
  [[nodiscard]] std::uint64_t group_generation() const override;
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
  [[nodiscard]] Result<std::vector<storage::SeriesStats>> series_stats(
      model::TenantId tenant, std::span<const model::SeriesId> series) const override;
  [[nodiscard]] std::optional<std::vector<storage::MetricStats>> metric_stats(
      model::TenantId tenant, std::span<const std::string> metrics) const override;
  [[nodiscard]] std::optional<std::vector<storage::SeriesStats>> tag_times(model::TenantId tenant,
                                                                           std::string_view metric,
                                                                           const model::TagViews& tags) const override;
  void forget_empty(model::TenantId tenant, std::span<const model::SeriesId> series) override;
  [[nodiscard]] std::size_t series_count() const override;
  [[nodiscard]] std::size_t series_count(model::TenantId tenant) const override;

  void append(const model::RowBatch& batch, storage::SampleStore::AppendDone done) override;
  Status scan(model::TenantId tenant, std::span<const model::SeriesId> series, const storage::ScanOptions& options,
              storage::PieceSink& sink) override;
  Result<storage::EraseReport> erase(model::TenantId tenant, std::span<const model::SeriesId> series,
                                     model::TimeRange range, const std::atomic<bool>* cancelled) override;
  Result<storage::SettleReport> settle() override;
  [[nodiscard]] storage::StorageBytes storage_bytes() const override;

  void append_messages(std::string_view tenant, const message::Batch& batch,
                       storage::MessageStore::AppendDone done) override;
  [[nodiscard]] Result<std::vector<storage::MessagePart>> message_parts(std::string_view tenant, std::int64_t first_us,
                                                                        std::int64_t last_us) const override;

  [[nodiscard]] Result<storage::MessageNames> message_names(std::string_view tenant) const override;
  Result<std::uint64_t> delete_messages(std::string_view tenant, std::int64_t first_us, std::int64_t last_us,
                                        const message::Condition& condition, const storage::GoOn& go_on = {}) override;

  [[nodiscard]] const RecoveryReport& recovery() const;
  [[nodiscard]] std::uint64_t series_defined() const;  // since the store was created, with forgotten ones

  // How near refusals are (Ingest::percent()).
  [[nodiscard]] double backlog_percent() const;
  // Is the database compacted? Not after a compaction that failed (runs/compaction_switch.h).
  [[nodiscard]] bool compacts() const;
  // Tables that a compaction found damaged since the start.
  [[nodiscard]] std::uint64_t damaged_tables() const;
  // How often something of a database could not be read and was read from its copy, since the process began.
  [[nodiscard]] static std::uint64_t copies_read();
  // How long what has waited longest to be synced has waited.
  [[nodiscard]] std::int64_t unsynced_ms() const;

  [[nodiscard]] storage::SlotCounts slot_counts() const override;
  [[nodiscard]] std::vector<storage::SlotState> slots(model::TenantId tenant, std::size_t limit) const override;
  [[nodiscard]] std::vector<storage::SlotState> message_slots(model::TenantId tenant, std::size_t limit) const override;
  [[nodiscard]] std::vector<storage::SetAsideWork> set_aside() const override;
  void trust_clock() override;

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
