// SPDX-License-Identifier: Apache-2.0
// Store: the cluster engine. Nothing is kept here: rows stand in Cassandra (RowStore), what is pending in Redis
// (SharedTrackers, Versions). Any number of them work on the same rows.
//
//   append ─▶ hot rows, journal, index ─▶ touch          worker ─▶ sealed rows ─▶ rollup blocks of windows
//   scan   ◀─ rollup blocks ∪ sealed rows ∪ hot rows of what is pending
//
// docs/decisions/0014 and 0015 say why, docs/internals/schema.md what stands where.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "engine/cassandra/options.h"
#include "engine/cassandra/shared_servers.h"
#include "storage/message_store.h"
#include "storage/sample_store.h"
#include "storage/series_store.h"
#include "storage/slot_store.h"
#include "tracker/ownership.h"

namespace varve::engine::cassandra {

class Store final : public storage::SampleStore, public storage::MessageStore, public storage::SlotStore {
 public:
  Store(const Options& options, const SharedServers& servers);
  // Waits for the appends under way.
  ~Store() override;

  [[nodiscard]] storage::SeriesStore& series();

  void append(const model::RowBatch& batch, storage::SampleStore::AppendDone done) override;
  void append_messages(std::string_view tenant, const message::Batch& batch,
                       storage::MessageStore::AppendDone done) override;
  [[nodiscard]] Result<std::vector<storage::MessagePart>> message_parts(std::string_view tenant, std::int64_t first_us,
                                                                        std::int64_t last_us) const override;
  [[nodiscard]] Result<storage::MessageNames> message_names(std::string_view tenant) const override;
  Result<std::uint64_t> delete_messages(std::string_view tenant, std::int64_t first_us, std::int64_t last_us,
                                        const message::Condition& condition, const storage::GoOn& go_on = {}) override;
  [[nodiscard]] storage::MessageArrivals* arrivals_elsewhere() override;
  Status scan(model::TenantId tenant, std::span<const model::SeriesId> series, const storage::ScanOptions& options,
              storage::PieceSink& sink) override;
  Result<storage::EraseReport> erase(model::TenantId tenant, std::span<const model::SeriesId> series,
                                     model::TimeRange range, const std::atomic<bool>* cancelled) override;
  Result<storage::SettleReport> settle() override;
  // Nothing: the servers know.
  [[nodiscard]] storage::StorageBytes storage_bytes() const override { return {}; }

  [[nodiscard]] std::uint64_t hot_slots_dropped() const;  // since the start
  [[nodiscard]] std::size_t series_met() const;  // that this process has met since its start, forgotten ones too

  // How old the watermark is, in seconds: what arrived before that is known to be whole.
  [[nodiscard]] double watermark_age_s() const;

  // As of the last listen(). Slots of line groups, not of tenants.
  [[nodiscard]] storage::SlotCounts slot_counts() const override;
  // Those that are pending, the latest first.
  [[nodiscard]] std::vector<storage::SlotState> slots(model::TenantId tenant, std::size_t limit) const override;
  [[nodiscard]] std::vector<storage::SlotState> message_slots(model::TenantId tenant, std::size_t limit) const override;
  [[nodiscard]] std::vector<storage::SetAsideWork> set_aside() const override;

  // For threads of their own, again and again; they block. What others have changed, what Redis has lost, and the
  // counts: once a second.
  Status listen();
  // The lease under which appends are taken and acknowledged, and the watermark (hot/watermark.h): once a second, for
  // the first time before anything is appended.
  Status renew();
  // Acknowledges what waited until other replicas are certain to see it: some times a second. Does not block.
  void tell_heard();
  // What is due of what is ours; `may_go_on` is asked between pieces of work. Who has the first partition drops the hot
  // rows of what is sealed.
  Status work(tracker::Ownership& ownership, const std::function<bool()>& may_go_on);

 private:
  struct State;
  // Counts it as under way until it is done.
  std::function<void(Status)> counted(std::function<void(Status)> done);
  Status try_erase(model::TenantId tenant, std::span<const model::SeriesId> series, model::TimeRange range,
                   const std::atomic<bool>* cancelled, storage::EraseReport& report);
  Status erase_group(model::TenantId tenant, model::GroupId group, std::vector<std::uint16_t> columns,
                     model::TimeRange range, const std::vector<model::TimeRange>& active,
                     std::span<const model::Timestamp> hot, const std::atomic<bool>* cancelled,
                     storage::EraseReport& report);
  std::unique_ptr<State> state_;
};

}  // namespace varve::engine::cassandra
