// SPDX-License-Identifier: Apache-2.0
// What the parts of the Store share: the index, the log with the heads, the runs, and who may touch them when.
//
// Locks, none taken while a later one is held:  maintenance → flush → commit → index → append → definitions.
#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/task_pool.h"
#include "engine/rocksdb/directory.h"
#include "engine/rocksdb/head/head.h"
#include "engine/rocksdb/log/log.h"
#include "engine/rocksdb/runs/block_cache.h"
#include "engine/rocksdb/runs/database.h"
#include "engine/rocksdb/runs/run_numbers.h"
#include "engine/rocksdb/runs/view.h"
#include "engine/rocksdb/series/forgotten_groups.h"
#include "engine/rocksdb/series/life.h"
#include "engine/rocksdb/settle/set_aside.h"
#include "engine/rocksdb/store.h"
#include "engine/rocksdb/troubles.h"
#include "engine/rocksdb/waiting_appends.h"
#include "engine/rocksdb/worker.h"
#include "engine/shared/chunk_width.h"
#include "engine/shared/shared_groups.h"
#include "index/series_index.h"

namespace varve::engine::rocksdb {

// What a piece of work commits, and what is to be done when that is durable.
struct Change {
  const char* what = "";         // of the steps: "merge"
  Database::Commit commit = {};  // without lives and, unless it spills, without checkpoint
  LifeChanges lives = {};
  bool spills = false;          // the frozen head, whose log goes
  bool empties_series = false;  // samples or windows are gone
  std::uint64_t slots_sealed = 0;
  std::uint64_t windows = 0;
};

inline constexpr std::size_t kWaitingBytesMax = std::size_t{64} << 20;  // of rows that wait for room in the head

class RollupWriter;
class Erasure;
struct EraseContext;

struct Store::State {
  State(const Options& o, const Clock& c)
      : options(o), clock(c), slabs(o.head_bytes_max / SlabPool::kSlabBytes / 2), cache(o.cache_bytes_max) {}

  const Options options;
  const Clock& clock;
  const std::int64_t chunk_width = shared::chunk_width_ms(options.slot_width_ms, options.rollups);
  Directory directory;
  RecoveryReport recovery;

  mutable std::shared_mutex index_mutex;  // index, shared_groups
  index::SeriesIndex index;
  shared::SharedGroups shared_groups;

  std::mutex definitions_mutex;
  std::string pending_definitions;  // made by the index, not yet in the log

  // The append lock: the order of the log is the order of the head. Held for memory and one write().
  mutable std::mutex append_mutex;
  std::unique_ptr<Log> log;
  SlabPool slabs;  // outlives the heads
  std::shared_ptr<Head> head;
  std::shared_ptr<const Head> frozen;  // being spilled; at most one
  Checkpoint frozen_checkpoint;        // true once the frozen head is in the database
  std::string spill_error;             // why it cannot be brought there for now; empty: it can
  std::string rotate_error;            // why the head cannot be frozen for now
  std::string logged_definitions;      // in the log, not yet handed to the database
  std::shared_ptr<const Runs> runs = std::make_shared<Runs>(plan());
  Lives lives;  // of what is in the runs
  ForgottenGroups forgotten_groups;
  TaskPool scan_pool{0};
  WaitingAppends waiting{kWaitingBytesMax};
  bool admits = true;            // until the store is closed
  std::condition_variable room;  // the frozen head is gone, something waits, or the store is closed

  // Flushing: one at a time, by its thread, or by settle() and erase(), which want the heads empty.
  std::mutex flush_mutex;
  Troubles flush_troubles;

  // Merging, sealing, deleting, dropping: one at a time, by the maintenance thread, settle() or erase(). Only flushes
  // change the runs meanwhile.
  std::mutex maintenance_mutex;
  ForgetScan forget_scan;
  std::unique_ptr<Database> database;
  RunNumbers numbers;
  Troubles troubles;
  SetAside set_aside;
  std::int64_t last_round_ms = 0;
  std::int64_t last_retention_ms = 0;  // the start counts as one
  struct Reclaiming {
    std::int64_t done_ms = model::kTimestampMin;  // what was over then is gone
    std::int64_t until_ms = 0;                    // this look
    std::vector<SlotKey> slots;                   // that it has yet to do
  } reclaiming;
  std::atomic<std::uint64_t> slots_sealed{0};
  std::atomic<std::uint64_t> windows_written{0};

  BlockCache cache;

  // Runs and lives are changed under this lock and the append lock, and may be read under either.
  std::mutex commit_mutex;
  Checkpoint checkpoint;             // as committed
  std::optional<Change> unfinished;  // written, but nobody knows whether it is durable

  Worker maintenance, flusher;
  std::thread admitter;

  // recovery.cc: under no lock, before anything else runs.
  Status recover();

  // aside.cc: of a start, before maintenance runs.
  Status take_in_aside(Store& store);
  Status take_in_rows(Store& store, model::GroupId group, std::span<const std::vector<std::byte>> rows,
                      std::uint64_t& taken);
  Status spill_aside();

  // append.cc
  // Never waits: where there is no room the rows are copied, and their turn comes, or they are refused.
  void append(std::span<const std::byte> rows, storage::SampleStore::AppendDone done);
  // Under the append lock, which it may let go of and take again. `left_out` says why some of the rows are not kept
  // (invalid), as append() of storage/sample_store.h does.
  Status append_now(std::unique_lock<std::mutex>& lock, std::span<const std::byte> rows, Status& left_out);
  void acknowledge(Status status, Status left_out, storage::SampleStore::AppendDone done);  // under no lock
  Status write_log(std::span<const std::byte> rows);  // these under the append lock: what was defined, then the rows
  bool has_room();
  [[nodiscard]] Error no_room() const;
  [[nodiscard]] bool head_over(std::size_t times) const;
  Status freeze();  // no frozen head
  void admit();     // the thread's: those that wait
  [[nodiscard]] View view() const;
  [[nodiscard]] std::vector<std::uint8_t> plain_series(std::span<const model::SeriesId> series,
                                                       const storage::PieceSink& sink);

  // flush.cc, spill.cc
  bool flush_once();   // false: nothing to do now
  Status spill_all();  // these under the flush lock
  Status spill_frozen();
  Status spill(const Head& spilling, std::uint64_t number, Change change);
  Status hand_over_definitions();
  Status spill_all_alone();  // under none that comes later

  // maintenance.cc
  bool maintain_once();               // false: nothing to do now
  Status merge(const SlotKey& slot);  // or sets it aside
  Status merge_runs(const SlotKey& slot);
  [[nodiscard]] std::vector<SlotKey> mergeable(bool all) const;

  // commit.cc: under no lock that comes later
  // Durable and published when it returns. Error: either nothing is committed, or the change is as good as committed
  // but not published; then nobody sees it before finish_commit() goes well, and nothing else is committed.
  Status commit(Change change, Database::Draft& draft);
  // Work that looks at the runs to change them begins with this.
  Status finish_commit();
  Result<bool> finish_commit_locked();  // false: it is undone
  void undo();
  [[nodiscard]] std::uint64_t flushed_below();  // segments of the log
  void publish(const Change& change);

  // seal.cc
  [[nodiscard]] Runs::Plan plan() const;
  [[nodiscard]] std::vector<SlotKey> sealable(std::int64_t ended_before_ms) const;
  Status seal(std::span<const SlotKey> slots);
  Status commit_rollups(RollupWriter& writer, Change change, Database::Draft& draft);
  void rest_if_open(const SlotKey& slot);

  // coarse.cc
  [[nodiscard]] std::vector<CoarseWindow> coarse_due(std::int64_t ended_before_ms) const;
  Status seal_coarse(std::span<const CoarseWindow> windows);
  Status build_coarse(const Runs& current, const CoarseWindow& window, RollupWriter& writer, Database::Commit& commit);
  void keep_coarse_fresh(const Runs& current, Database::Commit& commit) const;

  // round.cc
  [[nodiscard]] bool round_due();
  Status settle_round();
  Status seal_all(std::int64_t ended_before_ms);
  [[nodiscard]] std::vector<std::uint32_t> owned() const;  // partitions, ascending

  // slots.cc
  [[nodiscard]] std::set<model::Timestamp> hot_slots() const;
  [[nodiscard]] std::set<model::Timestamp> hot_slots(model::TenantId tenant) const;
  [[nodiscard]] std::shared_ptr<const Runs> runs_now() const {
    const std::lock_guard lock(append_mutex);
    return runs;
  }

  // erase.cc
  Result<storage::EraseReport> erase(model::TenantId tenant, std::span<const model::SeriesId> series,
                                     model::TimeRange range, const std::atomic<bool>* cancelled);
  // Under the maintenance and the flush lock.
  Status erase_tenant(const Erasure& erasure, storage::EraseReport& report, std::uint64_t& freed);
  Status erase_batch(const EraseContext& context, std::uint64_t raw_number, Change& change,
                     storage::EraseReport& report);
  Status commit_erase(Change change, Database::Draft& draft, std::uint64_t& freed);
  void give_back(model::TenantId tenant);  // under none

  // forget.cc
  Status revive(std::span<const std::byte> rows);  // under no lock; limit: not all, as the tenant is full
  void revive_heads();                             // of a start
  void look_for_empty_series();
  [[nodiscard]] bool forget_due() const;  // these under the maintenance lock
  void forget_some();                     // of the series that are left to be looked at
  // A series of which nothing was left when it was looked at, and how many points it had.
  struct Empty {
    model::SeriesId series;
    std::uint64_t points;
  };
  Status forget_empty(std::span<const model::SeriesId> series);
  [[nodiscard]] std::map<model::TenantId, model::Timestamp> oldest_kept() const;
  Status drop_those_with_data(model::TenantId tenant, std::vector<model::SeriesId>& series);
  void forget(std::span<const Empty> empty);

  // reclaim.cc
  Status recover_reclaimed();              // of a start
  [[nodiscard]] bool reclaim_due() const;  // these under the maintenance lock
  Status reclaim_some();                   // one slot of those that are due, or looks for them
  Status reclaim_all();                    // of this moment
  void look_for_dead();
  Result<bool> holds_dead(const SlotKey& slot);
  // Under the index's lock, too.
  [[nodiscard]] bool is_dead(const SlotKey& slot, std::uint32_t group, std::int64_t now_ms) const;
  [[nodiscard]] static Mark mark_without(const Runs::OfSlot& slot, std::span<const std::uint32_t> gone);

  // retention.cc
  Status drop_expired();
  [[nodiscard]] bool retention_due() const;
  [[nodiscard]] std::vector<SlotKey> expired(const Runs& current) const;
  [[nodiscard]] std::int64_t longest_retention_ms() const;

  [[nodiscard]] Status step(std::string_view name) const { return options.at_step ? options.at_step(name) : Status{}; }
  [[nodiscard]] Status step(std::string_view what, std::string_view when) const {
    return options.at_step ? options.at_step(std::string(what).append(when)) : Status{};
  }
};

}  // namespace varve::engine::rocksdb
