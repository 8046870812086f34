// SPDX-License-Identifier: Apache-2.0
// Alarms: touches that could not be made, because Redis was away, are in the journal only; a row in `alarms` says so of
// this process (docs/decisions/0015). Where Redis answers again they are made up for: it is declared lost, the journal
// is replayed, the alarm taken back. The same for alarms of processes that are dead.
//
// raise() is for appends, turn() for a thread of its own, once a second.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "engine/cassandra/hot/journal.h"
#include "engine/cassandra/hot/shared_trackers.h"
#include "engine/cassandra/series/stamps.h"
#include "engine/cassandra/tables/row_store.h"

namespace varve::engine::cassandra {

class Alarms {
 public:
  using Done = std::function<void(Status)>;
  static constexpr std::int64_t kRefreshMs = 15'000;  // by who lives
  static constexpr std::int64_t kDeadMs = 60'000;     // not refreshed since: its process is dead
  static constexpr std::int64_t kLookMs = 3'000;

  struct Options {
    std::string id = "varve";  // of the installation
    std::int64_t source = 0;   // of this process: as in its hot rows
    std::string replica;       // its name, for people
  };
  // `clock`: the one that all replicas share.
  Alarms(Options options, const Tables& tables, RowStore& rows, SharedTrackers& trackers, Journal& journal,
         Stamps& stamps, const Clock& clock)
      : options_(std::move(options)),
        tables_(tables),
        rows_(rows),
        trackers_(trackers),
        journal_(journal),
        stamps_(stamps),
        clock_(clock) {}

  // A touch failed; its journal row stands. `done` when this process' alarm stands, or with why it does not: then
  // nothing may be acknowledged. Does not block. This object must stay until then.
  void raise(Done done);

  // May touches be missing: of this process, or, as of the last look, of another?
  [[nodiscard]] bool any() const;

  // Refreshes, looks, and recovers what is lost or to be declared lost. Blocking; one at a time. Errors: those of the
  // store and the trackers; the next turn goes on.
  Status turn();

 private:
  struct Other {
    std::int64_t source = 0;
    model::Timestamp at_ms = 0;
  };
  RowWrite row(std::int64_t stamp_us) const;
  void written(std::int64_t stamp_us, const Status& status);
  Status refresh();
  Status look();
  Status recover();

  const Options options_;
  const Tables& tables_;
  RowStore& rows_;
  SharedTrackers& trackers_;
  Journal& journal_;
  Stamps& stamps_;
  const Clock& clock_;

  mutable std::mutex mutex_;
  std::uint64_t raised_ = 0;     // how often
  bool owing_ = false;           // raised since the last recovery began
  std::int64_t written_us_ = 0;  // the row that stands; 0: none
  std::int64_t cleared_us_ = 0;  // rows written before that are taken back
  bool writing_ = false;
  std::vector<Done> waiting_;  // for the row
  std::vector<Other> others_;
  std::int64_t look_again_ns_ = 0;
};

}  // namespace varve::engine::cassandra
