// SPDX-License-Identifier: Apache-2.0
// Options of the embedded engine.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "message/classes.h"
#include "rollup/levels.h"
#include "rollup/retention_classes.h"

namespace varve::engine::rocksdb {

class LogFiles;

// For tests: called with the name of each write step, on the thread that performs it. If it returns an error, the step
// fails with that error; a step whose name is a participle ("committed") fails as if the work had failed at its very
// end.
using AtStep = std::function<Status(std::string_view step)>;

struct Options {
  std::string path = "./varve-data";       // data directory; created; locked by one process
  bool sync_always = false;                // fdatasync before every acknowledgement (group commit)
  std::int64_t sync_interval_ms = 1000;    // else: at least this often
  bool repair = false;                     // start despite a damaged log, and keep what is readable
  std::int64_t slot_width_ms = 3'600'000;  // chunks never cross a slot's edge (chunk_width.h)
  std::size_t series_per_tenant_max = 10'000'000;
  // Series of which nothing is left leave the index where they are so many, and half of all; not more often than this.
  std::size_t gone_series_min = 65'536;
  std::int64_t leave_every_ms = 3'600'000;
  std::int64_t leave_grace_ms = 60'000;  // so long before, all are asked to forget the numbers of groups that they keep

  // The head is flushed when its log or its memory exceeds this, so a restart replays at most that much (twice that if
  // a flush was running).
  std::size_t log_bytes_max = std::size_t{128} << 20;
  std::size_t head_bytes_max = std::size_t{192} << 20;
  std::size_t head_messages_bytes_max = std::size_t{48} << 20;  // likewise, of that: of messages
  // While a head is flushed and the next one is over its size, answers are delayed: the longer, the nearer it is to
  // twice its size, at which appends wait. So senders slow down by and by instead of standing still in the end.
  std::int64_t head_pause_ms = 50;   // at twice the size
  std::int64_t head_wait_ms = 5000;  // so long an append waits for a running flush; then it is refused (unavailable)
  std::size_t cache_bytes_max = std::size_t{64} << 20;  // decoded blocks kept for queries
  // A delete exchanges the blocks of a run that hold something of it, if that is at most one in so many.
  std::size_t edit_part = 4;
  // A delete writes about so much again in one step; between two of them other maintenance has its turn.
  std::uint64_t erase_step_bytes = std::uint64_t{64} << 20;
  std::size_t runs_per_slot_max = 8;     // a slot with so many runs is merged even while it is being written
  std::int64_t merge_quiet_ms = 30'000;  // one with fewer is merged when it has not grown for so long

  // Raw slots that have been sealed, and quiet for so long, become strata of this width, and those wider ones
  // (widen.cc). Ascending; each width is a multiple of the one before. A delete, or many late samples, make it
  // necessary to write a stratum again: what has more bytes stays as it is. Weeks are for days that are small beside
  // what a process keeps of each slot in memory.
  struct Stratum {
    std::int64_t width_ms;
    std::int64_t quiet_ms;
    std::uint64_t bytes_max;
  };
  std::vector<Stratum> strata = {
      {86'400'000, 3'600'000, std::uint64_t{512} << 20},
      {12LL * 86'400'000, 12LL * 3'600'000, std::uint64_t{16} << 20},
  };

  rollup::Levels rollups;                                  // empty: nothing is rolled up
  std::vector<std::int64_t> dropped_granularities_ms;      // whose windows go at once; none of `rollups`
  bool rolls_up = true;                                    // false: reads rollups but makes none
  std::int64_t slot_quiet_ms = 300'000;                    // a slot is sealed so long after its end and its last run
  std::int64_t raw_retention_ms = rollup::kForEver;        // counted from the slot's end
  std::vector<rollup::RetentionRule> retention_classes;    // of series that are kept for another time
  message::Classes message_classes{{}, rollup::kForEver};  // of messages, with their retentions; likewise
  std::uint32_t partitions = 1;                            // of all series (tracker/partition.h)
  // The partitions whose series this process seals, ascending; called about once a second and before each sealing. Not
  // set: all.
  std::function<std::vector<std::uint32_t>()> owned;

  AtStep at_step;
  LogFiles* log_files = nullptr;  // for tests: replaces the log's system calls; must outlive the store
};

}  // namespace varve::engine::rocksdb
