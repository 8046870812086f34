// SPDX-License-Identifier: Apache-2.0
// MissedTouches: touches that could not be made, because Redis was away, are in the journal only. A row in the table
// `alarms`, the *marker* of this process, says so (docs/decisions/0015). When Redis answers again, the process declares
// it lost, replays the journal and deletes the marker. It does the same for markers of processes that have died.
//
// A marker is *heard* when every replica is certain to know of it (docs/decisions/0024). A replica that answers queries
// relies on its last reading of the markers for kTrustedMs, and then reads them again, however long it was suspended. A
// replica that writes a marker waits for kHeardMs after that write before it acknowledges. Both measure with their own
// steady clocks, so wall clocks do not matter.
//
// Appends call raise(), a thread of its own calls turn() once a second, another one tell_heard() several times a
// second.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "engine/cassandra/hot/journal.h"
#include "engine/cassandra/hot/shared_trackers.h"
#include "engine/cassandra/series/stamps.h"
#include "engine/cassandra/tables/row_store.h"

namespace varve::engine::cassandra {

class MissedTouches {
 public:
  using Done = std::function<void(Status)>;
  static constexpr std::int64_t kRefreshMs = 15'000;  // by who lives
  static constexpr std::int64_t kDeadMs = 60'000;     // seen for so long without a refresh: its process is dead
  static constexpr std::int64_t kTrustedMs = 2'000;   // since a look began
  // Since the row stands. A tenth more: so much faster one steady clock may run than another.
  static constexpr std::int64_t kHeardMs = kTrustedMs + kTrustedMs / 10;

  struct Options {
    std::string id = "varve";  // of the installation
    std::int64_t source = 0;   // of this process: as in its hot rows
    std::string replica;       // its name, for people
  };
  // `clock`: the one that all replicas share.
  MissedTouches(Options options, const Tables& tables, RowStore& rows, SharedTrackers& trackers, Journal& journal,
                Stamps& stamps, const Clock& clock)
      : options_(std::move(options)),
        tables_(tables),
        rows_(rows),
        trackers_(trackers),
        journal_(journal),
        stamps_(stamps),
        clock_(clock) {}

  // Waits for nothing any more: those that still wait are told that it failed.
  ~MissedTouches() { close(); }
  MissedTouches(const MissedTouches&) = delete;
  MissedTouches& operator=(const MissedTouches&) = delete;

  // A touch failed; its journal row stands. `done` when this process' marker is heard, or with why it is not: then
  // nothing may be acknowledged. Does not block. This object must stay until then.
  void raise(Done done);
  // Calls back those whose time has come.
  void tell_heard();
  // From now on raise() fails, and what waits does. For the end.
  void close();
  // Was one raised that not everybody has heard of yet?
  [[nodiscard]] bool unheard() const;

  // May touches be missing: of this process, or of another whose marker was heard? Blocks where the last look is too
  // old. Errors: those of the store.
  Result<bool> any();

  // Refreshes, looks, and recovers what is lost or to be declared lost. Blocking; one at a time. Errors: those of the
  // store and the trackers; the next turn goes on.
  Status turn();

 private:
  struct Other {
    std::int64_t source = 0;
    model::Timestamp at_ms = 0;
    std::int64_t seen_ns = 0;  // since when it has not been refreshed
  };
  RowWrite row(std::int64_t stamp_us) const;
  std::int64_t next_stamp() VARVE_REQUIRES(mutex_);
  [[nodiscard]] bool stands(std::int64_t now_ns) const VARVE_REQUIRES(mutex_) {
    return written_us_ != 0 && now_ns - written_ns_ <= kStandsNs;
  }
  [[nodiscard]] bool heard(std::int64_t now_ns) const VARVE_REQUIRES(mutex_) {
    return stands(now_ns) && now_ns >= heard_ns_;
  }
  void stood(std::int64_t stamp_us, std::int64_t now_ns) VARVE_REQUIRES(mutex_);
  void written(std::int64_t stamp_us, const Status& status);
  Status refresh();
  Status look(std::int64_t trusted_ns);
  Status recover();
  std::vector<Done> take_back(std::uint64_t raised, std::vector<RowDelete>& gone);

  // One that was not refreshed for longer may be away by now: its process may have been taken for dead.
  static constexpr std::int64_t kStandsNs = kDeadMs / 2 * 1'000'000;

  const Options options_;
  const Tables& tables_;
  RowStore& rows_;
  SharedTrackers& trackers_;
  Journal& journal_;
  Stamps& stamps_;
  const Clock& clock_;

  Mutex looking_ VARVE_ACQUIRED_BEFORE(mutex_);  // one look at a time
  mutable Mutex mutex_;
  std::uint64_t raised_ VARVE_GUARDED_BY(mutex_) = 0;  // how often
  bool owing_ VARVE_GUARDED_BY(mutex_) = false;        // raised since the last recovery began
  bool closed_ VARVE_GUARDED_BY(mutex_) = false;
  std::int64_t written_us_ VARVE_GUARDED_BY(mutex_) = 0;  // the row that stands; 0: none
  std::int64_t written_ns_ VARVE_GUARDED_BY(mutex_) = 0;  // when it stood
  std::int64_t heard_ns_ VARVE_GUARDED_BY(mutex_) = 0;    // from when on everybody knows of it
  std::int64_t cleared_us_ VARVE_GUARDED_BY(mutex_) = 0;  // rows written before that are taken back
  bool writing_ VARVE_GUARDED_BY(mutex_) = false;
  std::vector<Done> waiting_ VARVE_GUARDED_BY(mutex_);  // for the row, or until it is heard
  std::vector<Other> others_ VARVE_GUARDED_BY(mutex_);
  bool looked_ VARVE_GUARDED_BY(mutex_) = false;
  std::int64_t looked_ns_ VARVE_GUARDED_BY(mutex_) = 0;  // when the last look began
};

}  // namespace varve::engine::cassandra
