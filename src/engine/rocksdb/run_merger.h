// SPDX-License-Identifier: Apache-2.0
// RunMerger: makes one run of several, of one slot or of the slots of a stratum, without line groups whose time to live
// is over (reclaim.cc). What it makes of several slots is one commit.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/rocksdb/jobs.h"
#include "engine/rocksdb/runs/run_cursor.h"
#include "engine/rocksdb/runs/run_writer.h"
#include "engine/shared/gather.h"

namespace varve::engine::rocksdb {

// For one thread, under the maintenance lock.
class RunMerger {
 public:
  // The number is drawn before the runs are looked at: what a flush adds after that look stands above it.
  RunMerger(const JobContext& job, const char* what);
  RunMerger(const RunMerger&) = delete;
  RunMerger& operator=(const RunMerger&) = delete;

  [[nodiscard]] const Runs& runs() const { return *current_; }
  // Makes `merging`, ascending by number and with nothing between them that could overlap them, one run of `slot`,
  // whose mark is `mark`. After an error nothing of it may be committed.
  Status add(const SlotKey& slot, const RunList& merging, const Mark& mark);
  // The slot has this mark from the commit on.
  void set_mark(const SlotKey& slot, Mark mark) { change_.commit.marks.emplace_back(slot, std::move(mark)); }
  Status commit();

 private:
  Status add_group(const SlotKey& slot, std::uint32_t group, std::span<RunCursor* const> same,
                   std::span<const shared::Gather::Patch> patches);
  [[nodiscard]] std::span<const model::SeriesId> series_of(std::uint32_t group) const;
  bool has_expired(const SlotKey& slot, std::uint32_t group);

  const JobContext& job_;
  const std::uint64_t number_;
  const std::shared_ptr<const Runs> current_;
  const View nothing_;
  Database::Draft draft_;
  RunWriter writer_;
  const std::int64_t now_ms_;
  bool any_ttl_ = false;
  shared::Gather gather_;
  std::vector<std::uint32_t> gone_;  // of the current slot; and share series with others
  Change change_;
};

}  // namespace varve::engine::rocksdb
