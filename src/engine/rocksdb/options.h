// SPDX-License-Identifier: Apache-2.0
// What the embedded engine can be told.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "rollup/levels.h"

namespace varve::engine::rocksdb {

class LogFiles;

// For tests: called with the name of each step of whatever writes, on the thread that takes it. A step fails with the
// error that it returns; one whose name says that something was done fails as if that had gone wrong in its last
// moment.
using AtStep = std::function<Status(std::string_view step)>;

struct Options {
  std::string path = "./varve-data";       // data directory; created; locked by one process
  bool sync_always = false;                // fdatasync before every acknowledgement (group commit)
  std::int64_t sync_interval_ms = 1000;    // else: at least this often
  bool repair = false;                     // start in spite of a damaged log, keep what is readable
  std::int64_t slot_width_ms = 3'600'000;  // chunks never cross a slot's edge (chunk_width.h)
  std::size_t series_per_tenant_max = 10'000'000;

  // The head is flushed into chunks when its log or its memory passes this; so a restart replays at most that much
  // (twice it while a flush is running).
  std::size_t log_bytes_max = std::size_t{128} << 20;
  std::size_t head_bytes_max = std::size_t{192} << 20;
  std::int64_t head_wait_ms = 5000;  // an append waits so long for a running flush, then it is unavailable
  std::size_t cache_bytes_max = std::size_t{64} << 20;  // decoded blocks kept for queries
  std::size_t runs_per_slot_max = 8;     // so many fragments of a slot are merged while it is still being written
  std::int64_t merge_quiet_ms = 30'000;  // fewer of them are merged when the slot has not grown for so long

  rollup::Levels rollups;                            // none: nothing is rolled up
  bool rolls_up = true;                              // false: reads rollups but makes none
  std::int64_t slot_quiet_ms = 300'000;              // a slot is sealed so long after its end and its last run
  std::int64_t raw_retention_ms = rollup::kForEver;  // by the slot's end
  std::uint32_t partitions = 1;                      // of all series (tracker/partition.h)
  // Those whose series are sealed here, ascending, asked about once a second and before each sealing. None: all.
  std::function<std::vector<std::uint32_t>()> owned;

  AtStep at_step;
  LogFiles* log_files = nullptr;  // for tests: the log's system calls, which they let fail; outlives the store
};

}  // namespace varve::engine::rocksdb
