// SPDX-License-Identifier: Apache-2.0
// WorkPlan: turns what a tracker says is due into the work of sealer and rollup block maker, and knows which other
// groups' rollup blocks change with it.
//
// A series may be in several groups, and another replica may have announced some of them. So the index is read for the
// metrics of the groups that are worked on, as far as it concerns their time. It is kept, and read again when its
// numbers have changed (series/parts.h).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "engine/cassandra/series/series_tables.h"
#include "engine/cassandra/settle/rollup_block_maker.h"
#include "engine/cassandra/settle/sealer.h"
#include "engine/cassandra/settle/widener.h"
#include "engine/shared/shared_groups.h"
#include "rollup/levels.h"
#include "tracker/slot_tracker.h"

namespace varve::engine::cassandra {

// Thread-safe.
class WorkPlan {
 public:
  // `fresh_ms`: for how long the index counts as read; less than the quiet time.
  // `sealed`: the table of sealed samples.
  WorkPlan(SeriesTables& series, const rollup::Levels& levels, const ChunkTable& sealed, std::int64_t fresh_ms,
           const Clock& clock)
      : series_(series), levels_(levels), sealed_(sealed), fresh_ms_(fresh_ms), clock_(clock) {}

  // How many columns the group has, and how long it is stored.
  [[nodiscard]] std::size_t columns(const tracker::Due& due) const;
  [[nodiscard]] GroupRetentions::Number kept(const tracker::Due& due) const;
  // By tenant, time, group hash and slot: what is read and written together becomes neighbours. Slots within
  // `together_ms` are of one time.
  void sort_by_locality(std::vector<tracker::Due>& dues, std::int64_t together_ms) const;
  [[nodiscard]] SealWork seal_work(const tracker::Due& due);
  [[nodiscard]] WidenWork widen_work(const tracker::Due& due) const;
  // `elsewhere`: only for the finest granularity.
  [[nodiscard]] RollupBlockWork rollup_block_work(const tracker::Due& due, bool elsewhere);

  // Reads the groups that share series with these, as far as they have samples in the `width_ms` from the slot of each.
  // `again`: also what was read a moment ago. Errors: those of the store.
  Status load_index(std::span<const tracker::Due> dues, std::int64_t width_ms, bool again);

  struct Place {
    tracker::Member member;
    std::uint32_t partition = 0;
  };
  // The group itself, and the groups whose windows change with its samples.
  [[nodiscard]] std::vector<Place> dependants(const tracker::Due& due);

  // The first series of the group, as metric{tag=value}.
  [[nodiscard]] std::string shown(const tracker::Member& member) const;

 private:
  [[nodiscard]] bool lives_longer(const GroupCells& one, const GroupCells& other) const;
  static model::GroupId group_of(const tracker::Due& due) { return model::GroupId{due.member.id}; }
  // What its columns are, in windows.
  void put_kinds(model::GroupId group, RollupBlockWork& work) const;
  using IndexKey = std::tuple<model::TenantId, std::string, model::Timestamp>;  // metric, index bucket
  [[nodiscard]] bool is_fresh(const IndexKey& key, std::int64_t now_ns) const VARVE_REQUIRES(mutex_);
  // A column of the group whose series is in another place, too.
  struct Sharing {
    std::uint16_t column = 0;
    model::GroupId group{};
    std::uint16_t column_there = 0;
  };
  [[nodiscard]] std::vector<Sharing> sharing(model::GroupId group);

  SeriesTables& series_;
  const rollup::Levels& levels_;
  const ChunkTable& sealed_;
  const std::int64_t fresh_ms_;
  const Clock& clock_;
  Mutex mutex_;  // before the directory's
  shared::SharedGroups shared_ VARVE_GUARDED_BY(mutex_);
  std::map<IndexKey, std::int64_t> read_ns_ VARVE_GUARDED_BY(mutex_);
  std::int64_t cleared_ns_ VARVE_GUARDED_BY(mutex_) = 0;
};

}  // namespace varve::engine::cassandra
