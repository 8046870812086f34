// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/scan/life_scan.h"

#include <algorithm>
#include <set>

#include "engine/cassandra/scan/column_life.h"

namespace varve::engine::cassandra {
namespace {

using model::TimeRange;
using model::Timestamp;

constexpr ChunkFields kFields{.chunk = false, .lives = true, .added = false};

// The whole rows of `row_ms` that touch the range.
TimeRange whole(TimeRange range, std::int64_t row_ms) {
  return {model::window_start(range.first, row_ms), model::window_start(range.last - 1, row_ms) + row_ms};
}

}  // namespace

Status LifeScan::run() {
  Subset all(members_.size());
  for (std::size_t m = 0; m < all.size(); ++m) all[m] = m;
  // Units and slots that lie at an edge are read whole, and once: they have nothing where nothing is active.
  const std::int64_t widest = context_.levels.empty() ? context_.reader.slot_ms() : context_.levels.back().row_ms;
  TimeRanges ranges;
  for (const TimeRange& active : context_.active) ranges.push_back(whole(active, widest));
  join(ranges);
  for (const TimeRange& range : ranges) VARVE_CHECK_OK(read(range, context_.levels.size(), all));
  return {};
}

Status LifeScan::read(TimeRange range, std::size_t levels, const Subset& members) {
  if (range.empty() || members.empty()) return {};
  if (levels == 0) return read_slots(range, members);
  const std::size_t level = levels - 1;
  const std::int64_t row_ms = context_.levels[level].row_ms;
  TimeRanges holes = distrusted(context_.pending, level, context_.granularities, context_.reader.slot_ms());
  for (TimeRange& hole : holes) hole = whole(hole, row_ms);
  join(holes);
  for (const TimeRange& part : without(range, holes)) VARVE_CHECK_OK(read_units(part, level, members));
  for (const TimeRange& hole : holes) VARVE_CHECK_OK(read(both(hole, range), level, members));
  return {};
}

Status LifeScan::add(const Member& member, const ChunkRow& row) {
  VARVE_TRY(const PartLives lives, decode_lives(row.lives, row.start));
  for (std::size_t c = 0; c < member.columns.size(); ++c) {
    const std::size_t in_part = member.columns[c] - std::size_t{member.part} * kSeriesPerPart;
    if (in_part < lives.series.size()) lives_[member.series[c]].add(lives.series[in_part]);
  }
  return {};
}

Status LifeScan::read_units(TimeRange range, std::size_t level, const Subset& members) {
  const ChunkTable& table = context_.levels[level];
  std::vector<RowRead> reads;
  std::vector<std::size_t> owners;
  for (const std::size_t m : members) {
    add_reads(reads, table, members_[m].group->cells, members_[m].part, range, kFields);
    owners.resize(reads.size(), m);
  }
  std::vector<std::set<Timestamp>> there(members_.size());
  VARVE_CHECK_OK(context_.rows.read(reads, {}, [&](std::size_t number, const RowView& view) -> Status {
    VARVE_TRY(const ChunkRow row, chunk_row(view, kFields));
    there[owners[number]].insert(row.start);
    return add(members_[owners[number]], row);
  }));
  // Runs of rows that the same members lack.
  TimeRange gap{range.first, range.first};
  Subset missing;
  for (Timestamp unit = range.first; unit < range.last; unit += table.row_ms) {
    Subset absent;
    std::ranges::copy_if(members, std::back_inserter(absent), [&](std::size_t m) { return !there[m].contains(unit); });
    if (absent != missing) {
      VARVE_CHECK_OK(read(gap, level, missing));
      gap = {unit, unit};
      missing = std::move(absent);
    }
    gap.last = unit + table.row_ms;
  }
  return read(gap, level, missing);
}

Status LifeScan::read_slots(TimeRange range, const Subset& members) {
  const std::int64_t slot_ms = context_.reader.slot_ms();
  TimeRanges hot;
  for (const Timestamp slot : context_.pending.slots) {
    if (range.overlaps({slot, slot + slot_ms})) {
      hot.push_back({slot, slot + slot_ms});
      VARVE_CHECK_OK(read_hot(slot, members));
    }
  }
  join(hot);
  std::vector<RowRead> reads;
  std::vector<std::size_t> owners;
  for (const TimeRange& active : context_.active) {
    const TimeRange here = both(range, whole(active, slot_ms));
    if (here.empty()) continue;
    for (const TimeRange& part : without(here, hot)) {
      for (const std::size_t m : members) {
        add_reads(reads, context_.reader.sealed(), members_[m].group->cells, members_[m].part, part, kFields);
        owners.resize(reads.size(), m);
      }
    }
  }
  return context_.rows.read(reads, {}, [&](std::size_t number, const RowView& view) -> Status {
    VARVE_TRY(const ChunkRow row, chunk_row(view, kFields));
    return add(members_[owners[number]], row);
  });
}

Status LifeScan::read_hot(Timestamp slot, const Subset& members) {
  std::vector<SlotsWanted> wanted;
  for (const std::size_t m : members) {
    wanted.push_back({members_[m].group, {slot, slot + context_.reader.slot_ms()}, {members_[m].part}, {slot}});
  }
  VARVE_TRY(const auto lists, context_.reader.read(wanted, {}));
  shared::Gather gather;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Member& member = members_[members[i]];
    for (const SlotData& data : lists[i]) {
      VARVE_CHECK_OK(gather_columns(data, member.columns, gather));
      gather.finish();
      if (gather.times().empty()) continue;
      for (std::size_t c = 0; c < member.columns.size(); ++c) {
        lives_[member.series[c]].add(life_of(gather.times(), gather.columns()[c]));
      }
    }
  }
  return {};
}

}  // namespace varve::engine::cassandra
