// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/scan/stats_scan.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/check.h"
#include "engine/cassandra/tables/strata.h"
#include "engine/shared/cells.h"

namespace varve::engine::cassandra {
namespace {

using model::TimeRange;
using model::Timestamp;

constexpr ChunkFields kStatsOnly{.chunk = false, .stats = true, .added = false};

// The whole rows of `row_ms` that touch the range.
TimeRange whole(TimeRange range, std::int64_t row_ms) {
  return {model::window_start(range.first, row_ms), model::window_start(range.last - 1, row_ms) + row_ms};
}

// Parts of a level's time that lie in one partition, as one: what lies between is read with them.
TimeRanges by_partition(const TimeRanges& pieces, std::int64_t bucket_ms) {
  TimeRanges out;
  for (const TimeRange& piece : pieces) {
    if (!out.empty() &&
        model::window_start(out.back().last - 1, bucket_ms) == model::window_start(piece.first, bucket_ms)) {
      out.back().last = piece.last;
    } else {
      out.push_back(piece);
    }
  }
  return out;
}

}  // namespace

Status StatsScan::run() {
  // Rollup blocks and slots that lie at an edge are read whole, and once: they have nothing where nothing is active.
  const std::int64_t widest = context_.levels.empty() ? context_.reader.slot_ms() : context_.levels.back().row_ms;
  Left left(members_.size(), active_rows(widest));
  for (std::size_t level = context_.levels.size(); level-- > 0;) {
    VARVE_ASSIGN_OR_RETURN(left, read_rollup_blocks(level, left));
  }
  return read_slots(left);
}

TimeRanges StatsScan::active_rows(std::int64_t row_ms) const {
  TimeRanges rows;
  for (const TimeRange& active : context_.active) rows.push_back(whole(active, row_ms));
  join(rows);
  return rows;
}

void StatsScan::add(const Member& member, std::span<const storage::SeriesStats> of_shard) {
  for (std::size_t c = 0; c < member.columns.size(); ++c) {
    check(member.columns[c] / kSeriesPerColumnShard == member.shard, "a member's columns are of its part");
    const std::size_t in_shard = member.columns[c] - std::size_t{member.shard} * kSeriesPerColumnShard;
    if (in_shard < of_shard.size()) stats_[member.series[c]].add(of_shard[in_shard]);
  }
}

Result<StatsScan::Left> StatsScan::read_rollup_blocks(std::size_t level, const Left& wanted) {
  const ChunkTable& table = context_.levels[level];
  TimeRanges holes = distrusted(context_.pending, level, context_.granularities, context_.reader.slot_ms());
  for (TimeRange& hole : holes) hole = whole(hole, table.row_ms);
  join(holes);
  const TimeRanges active = active_rows(table.row_ms);
  Left asked(members_.size());
  Left left(members_.size());
  std::vector<RowRead> reads;
  std::vector<std::size_t> owners;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    for (const TimeRange& range : both(wanted[m], active)) {
      for (const TimeRange& piece : without(range, holes)) asked[m].push_back(piece);
    }
    for (const TimeRange& piece : by_partition(asked[m], table.bucket_ms)) {
      add_reads(reads, table, members_[m].group->cells, members_[m].shard, piece, kStatsOnly);
      owners.resize(reads.size(), m);
    }
    left[m] = both(wanted[m], holes);
  }
  check(owners.size() == reads.size(), "each reading is of a member");
  std::vector<std::set<Timestamp>> there(members_.size());
  VARVE_RETURN_IF_ERROR(context_.rows.read(reads, {}, [&](std::size_t number, const RowView& view) -> Status {
    VARVE_ASSIGN_OR_RETURN(const ChunkRow row, chunk_row(view, kStatsOnly));
    const std::size_t m = owners[number];
    if (!overlaps(asked[m], {row.start, row.start + table.row_ms})) return {};
    there[m].insert(row.start);
    VARVE_ASSIGN_OR_RETURN(const ColumnShardStats stats, decode_stats(row.stats, row.start));
    add(members_[m], stats.series);
    return {};
  }));
  for (std::size_t m = 0; m < members_.size(); ++m) {
    for (const TimeRange& range : asked[m]) {
      for (Timestamp start = range.first; start < range.last; start += table.row_ms) {
        if (!there[m].contains(start)) left[m].push_back({start, start + table.row_ms});
      }
    }
    join(left[m]);
  }
  return left;
}

Status StatsScan::read_slots(const Left& wanted) {
  const std::int64_t slot_ms = context_.reader.slot_ms();
  TimeRanges hot;
  for (const Timestamp slot : context_.pending.slots) {
    const TimeRange range{slot, slot + slot_ms};
    hot.push_back(range);
    Subset members;
    for (std::size_t m = 0; m < wanted.size(); ++m) {
      if (overlaps(wanted[m], range)) members.push_back(m);
    }
    if (!members.empty()) VARVE_RETURN_IF_ERROR(read_hot(slot, members));
  }
  join(hot);
  const TimeRanges active = active_rows(slot_ms);
  SealedWanted sealed;
  for (std::size_t m = 0; m < wanted.size(); ++m) {
    for (const TimeRange& range : both(wanted[m], active)) {
      for (const TimeRange& piece : without(range, hot)) sealed.emplace_back(m, piece);
    }
  }
  return read_sealed(sealed);
}

// Of a slot that several rows have, the one with the greatest version counts.
Status StatsScan::read_sealed(const SealedWanted& wanted) {
  const ChunkTable& table = context_.reader.sealed();
  std::vector<RowRead> reads;
  std::vector<std::size_t> owners;
  for (std::size_t w = 0; w < wanted.size(); ++w) {
    const auto& [m, piece] = wanted[w];
    add_reads(reads, table, members_[m].group->cells, members_[m].shard, piece, kStatsOnly);
    owners.resize(reads.size(), w);
  }
  std::map<std::pair<std::size_t, Timestamp>, ColumnShardStats> slots;
  VARVE_RETURN_IF_ERROR(context_.rows.read(reads, {}, [&](std::size_t number, const RowView& view) {
    const auto& [m, piece] = wanted[owners[number]];
    return for_each_slot(table, view, kStatsOnly, piece, [&](const SealedSlotRow& row) -> Status {
      ColumnShardStats& stands = slots[{m, row.slot}];
      if (stands.version < row.stats.version) stands = row.stats;
      return {};
    });
  }));
  for (const auto& [place, stats] : slots) add(members_[place.first], stats.series);
  return {};
}

Status StatsScan::read_hot(Timestamp slot, const Subset& members) {
  std::vector<SlotsWanted> wanted;
  for (const std::size_t m : members) {
    wanted.push_back({members_[m].group, {slot, slot + context_.reader.slot_ms()}, {members_[m].shard}, {slot}});
  }
  VARVE_ASSIGN_OR_RETURN(const auto lists, context_.reader.read(wanted, {}));
  shared::Gather gather;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Member& member = members_[members[i]];
    for (const SlotData& data : lists[i]) {
      VARVE_RETURN_IF_ERROR(gather_columns(data, member.columns, gather));
      gather.finish();
      if (gather.times().empty()) continue;
      for (std::size_t c = 0; c < member.columns.size(); ++c) {
        stats_[member.series[c]].add(shared::stats_of(gather.times(), gather.columns()[c]));
      }
    }
  }
  return {};
}

}  // namespace varve::engine::cassandra
