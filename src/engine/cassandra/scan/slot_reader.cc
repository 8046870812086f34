// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/scan/slot_reader.h"

#include <algorithm>
#include <map>

#include "base/check.h"
#include "engine/cassandra/scan/erasure_rows.h"
#include "engine/cassandra/tables/cell.h"
#include "engine/cassandra/tables/dropped_rows.h"
#include "engine/cassandra/tables/prefix_lengths.h"
#include "engine/cassandra/tables/strata.h"

namespace varve::engine::cassandra {
namespace {

constexpr ChunkFields kChunkAndStats{.chunk = true, .stats = true, .added = false};

// What is wanted that one range of sealed rows has.
struct SealedWanted {
  std::vector<std::size_t> wanted;
  unsigned shard = 0;
};

// How many of them are of one group, in days that follow one another: rows of a day are read once for all.
std::size_t read_together(std::span<const SlotsWanted> wanted, std::int64_t stratum_ms) {
  std::size_t count = 1;
  for (; count < wanted.size(); ++count) {
    const SlotsWanted &before = wanted[count - 1], &next = wanted[count];
    const model::Timestamp day_end = model::window_start(before.range.last - 1, stratum_ms) + stratum_ms;
    if (next.group->cells != before.group->cells || next.range.first < before.range.first ||
        next.range.last < before.range.last || next.range.first > day_end) {
      break;
    }
  }
  return count;
}
using TenantSlot = std::pair<std::string, model::Timestamp>;

}  // namespace

// Of which group hot rows are wanted, in which slot, and who wants them.
struct SlotReader::HotWanted {
  const GroupCells* group = nullptr;
  model::Timestamp slot = 0;
  std::size_t wanted = 0;
};

// What is being read of one group.
class SlotReader::Reading {
 public:
  Reading(const SlotsWanted& wanted, std::int64_t slot_ms) : wanted_(wanted), slot_ms_(slot_ms) {}

  // Of several rows that have the slot, the one with the greatest version counts.
  void add_sealed(model::Timestamp start, const SlotData::Sealed& sealed) {
    SlotData& data = slot(start);
    const auto found = std::ranges::find(data.sealed, sealed.shard, &SlotData::Sealed::shard);
    if (found == data.sealed.end()) {
      data.sealed.push_back(sealed);
      ++data.stored_shards;
    } else if (found->version < sealed.version) {
      *found = sealed;
    }
  }
  [[nodiscard]] bool wants(model::Timestamp start) const { return wanted_.range.overlaps({start, start + slot_ms_}); }
  [[nodiscard]] const SlotsWanted& wanted() const { return wanted_; }
  Status add_hot(model::Timestamp start, const Arrival& arrival, std::string_view rows) {
    VARVE_RETURN_IF_ERROR(check_hot_rows(rows, wanted_.group->columns, {start, start + slot_ms_}));
    SlotData& data = slot(start);
    data.arrivals.push_back(arrival);
    if (wanted_.counted != nullptr && std::ranges::binary_search(*wanted_.counted, arrival)) return {};
    data.hot.push_back({arrival, std::string(rows)});
    return {};
  }
  void add_erasure(const Erasure& erasure) { erasures_.push_back(erasure); }
  // In which hot rows were found so far.
  [[nodiscard]] std::vector<model::Timestamp> hot_slots() const {
    std::vector<model::Timestamp> list;
    for (const auto& [start, data] : slots_) list.push_back(start);
    return list;
  }
  // Hot rows that arrived until then: sealed rows hold them.
  void leave_out(model::Timestamp start, std::int64_t until_us) {
    SlotData& data = slots_[start];
    std::erase_if(data.hot, [&](const SlotData::Hot& hot) { return hot.arrival.us <= until_us; });
    std::erase_if(data.arrivals, [&](const Arrival& arrival) { return arrival.us <= until_us; });
  }
  Result<std::vector<SlotData>> finish() {
    std::vector<SlotData> list;
    for (auto& [start, data] : slots_) {
      if (data.sealed.empty() && data.arrivals.empty()) continue;
      std::ranges::sort(data.sealed, {}, &SlotData::Sealed::shard);
      std::ranges::sort(data.hot, {}, &SlotData::Hot::arrival);
      std::ranges::sort(data.arrivals);
      std::vector<Erasure> here;
      std::ranges::copy_if(erasures_, std::back_inserter(here),
                           [&](const Erasure& erasure) { return erasure.range.overlaps({start, start + slot_ms_}); });
      VARVE_RETURN_IF_ERROR(data.erase(wanted_.group->columns, here));
      list.push_back(std::move(data));
    }
    return list;
  }

 private:
  SlotData& slot(model::Timestamp start) {
    SlotData& data = slots_[start];
    data.slot = start;
    return data;
  }
  const SlotsWanted& wanted_;
  const std::int64_t slot_ms_;
  std::map<model::Timestamp, SlotData> slots_;
  std::vector<Erasure> erasures_;
};

GroupRef group_ref(const Directory& directory, model::GroupId group) {
  const GroupName name = directory.name(group);
  return directory.read([&](const index::SeriesIndex& index) {
    return GroupRef{{std::string(index.tenant_name(name.tenant)), blob_of(name.hash), index.group_ttl_s(group),
                     directory.kept(index, group)},
                    index.group_series(group).size()};
  });
}

// Hot rows first, then their marks, then sealed rows: what a mark covers was in sealed rows before the mark was
// written. Read side by side, a sealed row could be older than the mark, and what only hot rows had would be missing.
Result<std::vector<std::vector<SlotData>>> SlotReader::read(std::span<const SlotsWanted> wanted,
                                                            const RowStore::ReadLimits& limits) const {
  std::vector<Reading> readings;
  readings.reserve(wanted.size());
  for (const SlotsWanted& one : wanted) readings.emplace_back(one, slot_ms_);
  VARVE_RETURN_IF_ERROR(read_hot(wanted, limits, readings));
  VARVE_RETURN_IF_ERROR(read_marks(wanted, limits, readings));
  VARVE_RETURN_IF_ERROR(read_rest(wanted, limits, readings));
  std::vector<std::vector<SlotData>> lists;
  for (Reading& reading : readings) {
    VARVE_ASSIGN_OR_RETURN(lists.emplace_back(), reading.finish());
  }
  check(lists.size() == wanted.size(), "each that is wanted has a list");
  return lists;
}

Status SlotReader::read_hot(std::span<const SlotsWanted> wanted, const RowStore::ReadLimits& limits,
                            std::vector<Reading>& readings) const {
  std::vector<HotWanted> of;
  for (std::size_t w = 0; w < wanted.size(); ++w) {
    for (const model::Timestamp slot : wanted[w].hot) of.push_back({&wanted[w].group->cells, slot, w});
  }
  return read_hot(of, limits, [&](std::size_t number, const Arrival& arrival, std::string_view rows) {
    return readings[of[number].wanted].add_hot(of[number].slot, arrival, rows);
  });
}

// What lengths their hash prefixes have is read first: what was acknowledged by then has its length there.
Status SlotReader::read_hot(std::span<const HotWanted> wanted, const RowStore::ReadLimits& limits,
                            const HotReads::Each& each) const {
  PrefixLengthReads lengths(tables_, slot_ms_);
  if (sees_writes_) {
    for (const HotWanted& one : wanted) lengths.add(one.group->tenant, one.slot);
    VARVE_RETURN_IF_ERROR(rows_.read(lengths.reads(), limits,
                                     [&](std::size_t read, const RowView& view) { return lengths.row(read, view); }));
  }
  HotReads hot(tables_);
  for (std::size_t number = 0; number < wanted.size(); ++number) {
    const GroupCells& of = *wanted[number].group;
    const model::Timestamp slot = wanted[number].slot;
    hot.add(of.tenant, of.group, slot, sees_writes_ ? lengths.of(of.tenant, slot) : kPrefixLengths, number);
  }
  return rows_.read(hot.reads(), limits,
                    [&](std::size_t read, const RowView& view) { return hot.row(read, view, each); });
}

// The marks of those slots in which hot rows were found.
Status SlotReader::read_marks(std::span<const SlotsWanted> wanted, const RowStore::ReadLimits& limits,
                              std::vector<Reading>& readings) const {
  DroppedReads marks(tables_);
  std::map<TenantSlot, std::vector<std::size_t>> marked;
  for (std::size_t w = 0; w < wanted.size(); ++w) {
    const GroupCells& group = wanted[w].group->cells;
    for (const model::Timestamp slot : readings[w].hot_slots()) {
      marked[{group.tenant, slot}].push_back(w);
      marks.add(group.tenant, slot, slot_ms_);
    }
  }
  if (marked.empty()) return {};
  return rows_.read(marks.reads(), limits, [&](std::size_t number, const RowView& view) -> Status {
    VARVE_ASSIGN_OR_RETURN(const auto mark, marks.row(number, view));
    for (const std::size_t w : marked[{mark.tenant, mark.slot}]) readings[w].leave_out(mark.slot, mark.until_us);
    return {};
  });
}

// Sealed rows and deletes.
Status SlotReader::read_rest(std::span<const SlotsWanted> wanted, const RowStore::ReadLimits& limits,
                             std::vector<Reading>& readings) const {
  std::vector<RowRead> reads;
  std::vector<SealedWanted> of;
  ErasureReads erasures(tables_);
  for (std::size_t w = 0; w < wanted.size(); ++w) erasures.add(wanted[w].group->cells, w);
  for (std::size_t first = 0, count = 0; first < wanted.size(); first += count) {
    count = read_together(wanted.subspan(first), sealed_.stratum_ms);
    const model::TimeRange range{wanted[first].range.first, wanted[first + count - 1].range.last};
    std::map<unsigned, std::vector<std::size_t>> shards;
    for (std::size_t w = first; w < first + count; ++w) {
      if (wanted[w].range.empty()) continue;
      for (const unsigned shard : wanted[w].shards) shards[shard].push_back(w);
    }
    for (const auto& [shard, who] : shards) {
      add_reads(reads, sealed_, wanted[first].group->cells, shard, range, kChunkAndStats);
      of.resize(reads.size(), {who, shard});
    }
  }
  check(of.size() == reads.size(), "each reading of sealed rows has somebody who wants it");
  const std::size_t sealed_end = reads.size();
  std::ranges::move(erasures.reads(), std::back_inserter(reads));
  const auto add_erasure = [&](std::size_t w, const Erasure& erasure) { readings[w].add_erasure(erasure); };
  return rows_.read(reads, limits, [&](std::size_t number, const RowView& view) -> Status {
    if (number >= sealed_end) return erasures.row(number - sealed_end, view, add_erasure);
    return add_sealed(view, of[number].shard, of[number].wanted, readings);
  });
}

// To those of the readings, which are of one group, that want one of its slots.
Status SlotReader::add_sealed(const RowView& view, unsigned shard, std::span<const std::size_t> wanted,
                              std::vector<Reading>& readings) const {
  const SlotsWanted &first = readings[wanted.front()].wanted(), &last = readings[wanted.back()].wanted();
  std::shared_ptr<const chunk::Block> block;
  const auto add = [&](const SealedSlotRow& row) -> Status {
    SlotData::Sealed sealed{shard, row.stats.version, nullptr};
    for (const std::size_t w : wanted) {
      if (!readings[w].wants(row.slot)) continue;
      if (block == nullptr) {
        VARVE_ASSIGN_OR_RETURN(block, open_chunk(row.chunk, shard, first.group->columns));
      }
      if (block != nullptr) sealed.at = block->find(model::GroupId{row.group});
      if (block != nullptr && sealed.at < block->groups()) sealed.block = block;
      readings[w].add_sealed(row.slot, sealed);
    }
    return {};
  };
  VARVE_RETURN_IF_ERROR(for_each_slot(sealed_, view, kChunkAndStats, {first.range.first, last.range.last}, add));
  return note_row(view, shard, wanted, readings);
}

Status SlotReader::note_row(const RowView& view, unsigned shard, std::span<const std::size_t> wanted,
                            std::vector<Reading>& readings) const {
  for (const std::size_t w : wanted) {
    const SlotsWanted& one = readings[w].wanted();
    if (one.rows == nullptr) continue;
    VARVE_ASSIGN_OR_RETURN(const model::Timestamp key, timestamp_of(view.cells[0]));
    VARVE_ASSIGN_OR_RETURN(const model::TimeRange slots, slots_of(sealed_, key));
    if (slots.overlaps(one.range)) one.rows->push_back({shard, key});
  }
  return {};
}

Result<std::vector<Arrival>> SlotReader::last_arrivals(const GroupRef& group, std::span<const model::Timestamp> slots,
                                                       const RowStore::ReadLimits& limits) const {
  std::vector<HotWanted> wanted;
  for (const model::Timestamp slot : slots) wanted.push_back({&group.cells, slot});
  std::map<std::int64_t, std::int64_t> last;  // by source
  const auto note = [&](std::size_t, const Arrival& arrival, std::string_view) -> Status {
    std::int64_t& known = last.try_emplace(arrival.source, arrival.us).first->second;
    known = std::max(known, arrival.us);
    return {};
  };
  VARVE_RETURN_IF_ERROR(read_hot(wanted, limits, note));
  std::vector<Arrival> list;
  for (const auto& [source, us] : last) list.push_back({us, source});
  return list;
}

}  // namespace varve::engine::cassandra
