// SPDX-License-Identifier: Apache-2.0
// Maintenance: merges the runs of quiet slots, seals slots that have ended, forgets series without data, which leave
// the index in the end, and drops what has expired: step by step on its thread, or all at once in settle(). Deletes are
// serialized with these jobs.
//
// A round is due when slots.quiet has passed since the end of a slot that holds samples which are not in its windows.
// Rounds are at least slots.quiet apart, and a round folds only the series written since the last one. So a series that
// keeps trickling into an old slot costs its own work once per quiet time, and does not delay others.
//
// What came long after its time, all at once, does not wait for a round: where nothing comes any more for the slots
// that share level slots, they are sealed. Where it still comes, a round leaves them to that, or to the next round. So
// the load of a long backfill is the same all the time.
#pragma once

#include <atomic>
#include <optional>

#include "base/mutex.h"
#include "engine/rocksdb/flush.h"
#include "engine/rocksdb/forget.h"
#include "engine/rocksdb/jobs.h"
#include "engine/rocksdb/leave_out.h"
#include "engine/rocksdb/living.h"
#include "engine/rocksdb/troubles.h"
#include "storage/slot_store.h"

namespace varve::engine::rocksdb {

// Thread-safe: one job at a time. A delete of samples is many: between its steps the others have their turns, on other
// tenants' slots (settle/set_aside.h).
class Maintenance {
 public:
  Maintenance(const Env& env, const Directory& directory, Catalog& catalog, Visible& visible, Ingest& ingest,
              Tables& tables, Flush& flush, TaskPool& helpers)
      : set_aside_(env.clock),
        job_{env, catalog, tables, set_aside_},
        visible_(visible),
        flush_(flush),
        forget_(env, catalog, visible, ingest, tables, helpers),
        living_(env, catalog, visible),
        leave_out_(env, directory, catalog, visible, ingest, tables, flush),
        last_round_ms_(env.steady_ms()) {}

  Status recover() VARVE_EXCLUDES(mutex_);  // at start
  // Keeps for the next start by what time data expire. If it cannot be written, the log says so.
  void store_time() VARVE_EXCLUDES(mutex_);
  // One step of the maintenance thread. False: there is nothing to do now.
  bool once() VARVE_EXCLUDES(mutex_);
  // Semantics: storage/sample_store.h and storage/series_store.h. Both wait for a delete that is under way.
  Result<storage::SettleReport> settle() VARVE_EXCLUDES(erasing_, mutex_);
  Result<storage::EraseReport> erase(model::TenantId tenant, std::span<const model::SeriesId> series,
                                     model::TimeRange range, const std::atomic<bool>* cancelled)
      VARVE_EXCLUDES(erasing_, mutex_);
  Result<std::uint64_t> erase_messages(const MessageErasure& what) VARVE_EXCLUDES(mutex_);
  void forget_empty(model::TenantId tenant, std::span<const model::SeriesId> series) VARVE_EXCLUDES(mutex_);

  [[nodiscard]] const SetAside& set_aside() const { return set_aside_; }

 private:
  // Of somebody who wants mutex_: a delete lets him in between two of its steps. From before it is locked to behind its
  // end.
  class Turn {
   public:
    explicit Turn(Maintenance& of) : of_(of) {
      ++of_.waiting_;
      static_cast<void>(of_.job_.env.step("turn.wait"));
    }
    ~Turn() { of_.turn_over_.notify_all(); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    void begin() {  // mutex_ is locked
      --of_.waiting_;
      ++of_.turns_;
      static_cast<void>(of_.job_.env.step("turn.begin"));
    }

   private:
    Maintenance& of_;
  };
  void let_others_in() VARVE_REQUIRES(mutex_);
  bool attempt(const char* trouble, Status (Maintenance::*work)()) VARVE_REQUIRES(mutex_);
  void store_time_now() VARVE_REQUIRES(mutex_);
  Status erase_garbage() { return job_.tables.database().erase_garbage(); }
  Status leave_out() VARVE_REQUIRES(mutex_) { return leave_out_.run(); }
  Status reclaim_some() VARVE_REQUIRES(mutex_) { return reclaim_.some(); }
  Status merge_some() VARVE_REQUIRES(mutex_);
  Status merge_all() VARVE_REQUIRES(mutex_);
  [[nodiscard]] bool seals_now() VARVE_REQUIRES(mutex_);
  Status seal_some() VARVE_REQUIRES(mutex_);
  [[nodiscard]] bool widens_now() VARVE_REQUIRES(mutex_);
  Status widen_some() VARVE_REQUIRES(mutex_);
  Status widen_all() VARVE_REQUIRES(mutex_);
  [[nodiscard]] bool round_due() VARVE_REQUIRES(mutex_);
  [[nodiscard]] std::vector<model::Timestamp> slots_in_heads() const;
  [[nodiscard]] bool head_has_ended(std::int64_t ended_before_ms) const;
  Status settle_round() VARVE_REQUIRES(mutex_);
  // `left`: not these; ascending.
  Status seal_all(std::int64_t ended_before_ms, std::span<const SlotKey> left = {}) VARVE_REQUIRES(mutex_);
  Status seal_coarse_all(std::int64_t ended_before_ms) VARVE_REQUIRES(mutex_);
  Status seal_all_messages(std::int64_t ended_before_ms) VARVE_REQUIRES(mutex_);

  SetAside set_aside_;
  const JobContext job_;
  Visible& visible_;
  Flush& flush_;
  Mutex erasing_ VARVE_ACQUIRED_BEFORE(mutex_);  // by a delete for its whole length, and by who waits for its end
  Mutex mutex_ VARVE_ACQUIRED_BEFORE(flush_.mutex);
  Condition turn_over_;
  std::atomic<int> waiting_{0};          // turns that have not begun
  std::atomic<std::uint64_t> turns_{0};  // that have begun
  Forget forget_ VARVE_GUARDED_BY(mutex_);
  Living living_ VARVE_GUARDED_BY(mutex_);
  LeaveOut leave_out_ VARVE_GUARDED_BY(mutex_);
  Reclaim reclaim_ VARVE_GUARDED_BY(mutex_){job_};
  Retention retention_ VARVE_GUARDED_BY(mutex_){job_};
  Troubles troubles_ VARVE_GUARDED_BY(mutex_);
  std::optional<std::int64_t> stored_ms_ VARVE_GUARDED_BY(mutex_);  // by store_time()
  std::vector<SlotKey> sealing_ VARVE_GUARDED_BY(mutex_);           // sets that were found to be quiet
  std::int64_t last_looked_ns_ VARVE_GUARDED_BY(mutex_) = 0;        // when they were looked for; steady
  std::vector<SlotKey> left_ VARVE_GUARDED_BY(mutex_);              // that grew, by the last round
  std::vector<Widening> widening_ VARVE_GUARDED_BY(mutex_);         // strata that were found to be due
  std::int64_t last_widened_ns_ VARVE_GUARDED_BY(mutex_) = 0;       // when they were looked for; steady
  std::int64_t last_round_ms_ VARVE_GUARDED_BY(mutex_);  // steady; the start counts as a round: it is busy enough
};

}  // namespace varve::engine::rocksdb
