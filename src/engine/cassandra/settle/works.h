// SPDX-License-Identifier: Apache-2.0
// Works: from what a tracker says is due to what sealer and unit maker are told, and which units that touches.
//
// A series may stand in several groups, of which one may have been announced by another replica only: so of the metrics
// that are worked on the index is read as far as it concerns the range. (It is kept, and read again where numbers have
// moved: series/parts.h.)
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
#include "engine/cassandra/settle/sealer.h"
#include "engine/cassandra/settle/unit_maker.h"
#include "engine/shared/shared_groups.h"
#include "rollup/levels.h"
#include "tracker/slot_tracker.h"

namespace varve::engine::cassandra {

// Thread-safe.
class Works {
 public:
  // fresh_ms: what was read of the index counts for so long; less than the quiet time.
  Works(SeriesTables& series, const rollup::Levels& levels, std::int64_t fresh_ms, const Clock& clock)
      : series_(series), levels_(levels), fresh_ms_(fresh_ms), clock_(clock) {}

  [[nodiscard]] std::size_t columns(const tracker::Due& due) const;
  // By slot, and those whose hot rows are read together side by side.
  void put_together(std::vector<tracker::Due>& works) const;
  [[nodiscard]] SealWork seal(const tracker::Due& due);
  // `elsewhere` is of the finest granularity only.
  [[nodiscard]] UnitWork unit(const tracker::Due& due, bool elsewhere);

  // Reads the groups that share series with these, as far as they have samples in the range. `again`: also what was
  // read a moment ago. Errors: those of the store.
  Status know(std::span<const tracker::Due> works, model::TimeRange range, bool again);

  // The group, and those whose windows change with it, as members.
  struct Place {
    tracker::Member member;
    std::uint32_t partition = 0;
  };
  [[nodiscard]] std::vector<Place> concerned(const tracker::Due& due);

  // The first series of the group, as metric{tag=value}.
  [[nodiscard]] std::string shown(const tracker::Member& member) const;

 private:
  static model::GroupId group_of(const tracker::Due& due) { return model::GroupId{due.member.id}; }
  [[nodiscard]] std::vector<rollup::Kind> kinds(model::GroupId group) const;  // of each column
  struct Sharing {
    std::uint16_t column = 0;
    model::GroupId group{};
    std::uint16_t column_there = 0;
  };
  [[nodiscard]] std::vector<Sharing> sharing(model::GroupId group);

  SeriesTables& series_;
  const rollup::Levels& levels_;
  const std::int64_t fresh_ms_;
  const Clock& clock_;
  Mutex mutex_;  // before the directory's
  shared::SharedGroups shared_ VARVE_GUARDED_BY(mutex_);
  std::map<std::tuple<model::TenantId, std::string, model::Timestamp>, std::int64_t> known_ns_
      VARVE_GUARDED_BY(mutex_);  // metric, period
  std::int64_t cleared_ns_ VARVE_GUARDED_BY(mutex_) = 0;
};

}  // namespace varve::engine::cassandra
