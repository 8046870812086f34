// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/settle/widener.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "engine/cassandra/settle/each_by_itself.h"
#include "engine/cassandra/tables/cell.h"
#include "engine/cassandra/tables/strata.h"

namespace varve::engine::cassandra {
namespace {

using model::TimeRange;
using model::Timestamp;

// Rows that do not count any more are rows, too: what is left where somebody died before he had deleted them.
bool are_many(std::span<const SealedKey> rows, const GroupRef& group) {
  for (unsigned shard = 0; shard < column_shards_of(group.columns); ++shard) {
    if (std::cmp_greater_equal(std::ranges::count(rows, shard, &SealedKey::shard), kStratumSlotsMin)) return true;
  }
  return false;
}

bool has_arrivals(const SlotData& slot, std::size_t columns) {
  return std::ranges::any_of(slot.sealed, [&](const SlotData::Sealed& sealed) {
    return sealed.block != nullptr && sealed.block->columns(sealed.at) > columns_of_shard(sealed.shard, columns).size();
  });
}

// From the first slot that stands to the last: a slot between them that is not there holds nothing, and is said so.
std::vector<SlotData> without_gaps(std::vector<SlotData> slots, std::int64_t slot_ms) {
  std::vector<SlotData> all;
  for (SlotData& slot : slots) {
    while (!all.empty() && all.back().slot + slot_ms < slot.slot) {
      const Timestamp next = all.back().slot + slot_ms;
      all.emplace_back().slot = next;
    }
    all.push_back(std::move(slot));
  }
  return all;
}

// What a stratum of these slots stands for from now on: rows of one of them, and other strata.
Status add_replaced(std::vector<RowDelete>& replaced, const ChunkTable& table, const RowWrite& stratum, TimeRange slots,
                    std::span<const SealedKey> rows, unsigned shard) {
  RowDelete gone;
  gone.table = stratum.table;
  gone.partition = stratum.partition;
  gone.timestamp_us = stratum.timestamp_us - 1;
  for (const SealedKey& row : rows) {
    VARVE_ASSIGN_OR_RETURN(const TimeRange of, slots_of(table, row.key));
    const std::string key = timestamp_cell(row.key);
    const bool is_alone = of.first == row.key;
    if (row.shard != shard || is_alone || key == stratum.clustering[0]) continue;
    check(slots.first <= of.first && of.last <= slots.last,
          "what stands of a day is between its first slot and its last");
    gone.clustering = {key};
    replaced.push_back(gone);
  }
  // The key of a slot is its start; those of strata are behind that of the day's last slot.
  gone.clustering.clear();
  gone.range = {timestamp_cell(slots.first), timestamp_cell(slots.last - table.row_ms + 1)};
  replaced.push_back(std::move(gone));
  return {};
}

}  // namespace

Result<Widener::Reading> Widener::read(std::span<const WidenWork> works, const Pending& pending) const {
  Reading reading;
  const auto read_all = [&]() -> Result<std::int64_t> {
    reading.days.assign(works.size(), {});
    VARVE_ASSIGN_OR_RETURN(const auto are_pending, pending(works));
    check(are_pending.size() == works.size(), "an answer for each day");
    std::vector<SlotsWanted> wanted;
    for (std::size_t w = 0; w < works.size(); ++w) {
      check(model::window_start(works[w].day, reader_.sealed().stratum_ms) == works[w].day, "a day begins there");
      reading.days[w].pending = are_pending[w];
      SlotsWanted& one = wanted.emplace_back();
      one.group = &works[w].group;
      one.range = {works[w].day, works[w].day + reader_.sealed().stratum_ms};
      for (unsigned shard = 0; shard < column_shards_of(works[w].group.columns); ++shard) one.shards.push_back(shard);
      one.rows = &reading.days[w].rows;
    }
    VARVE_ASSIGN_OR_RETURN(auto lists, reader_.read(wanted, {}));
    const std::int64_t greatest = greatest_version(lists);
    for (std::size_t w = 0; w < works.size(); ++w) reading.days[w].slots = std::move(lists[w]);
    return greatest;
  };
  VARVE_ASSIGN_OR_RETURN(reading.version, read_versioned(versions_, read_all));
  return reading;
}

Result<std::vector<WidenedDay>> Widener::widen(std::span<const WidenWork> works, const Pending& pending) const {
  const auto all = [&](std::span<const WidenWork> together) { return widen_together(together, pending); };
  return done_together_or_each<WidenedDay>(works, all);
}

Result<std::vector<WidenedDay>> Widener::widen_together(std::span<const WidenWork> works,
                                                        const Pending& pending) const {
  VARVE_ASSIGN_OR_RETURN(Reading reading, read(works, pending));
  std::vector<WidenedDay> list(works.size());
  SealedRows rows(reader_.sealed(), reading.version, clock_.now_ms());
  std::vector<RowDelete> replaced;
  for (std::size_t w = 0; w < works.size(); ++w) {
    Day& day = reading.days[w];
    list[w].is_pending = is_pending(works[w], day);
    if (list[w].is_pending || !is_wanted(works[w].group.cells) || !are_many(day.rows, works[w].group)) continue;
    list[w].status = replace(works[w], day, rows, replaced, list[w]);
  }
  VARVE_RETURN_IF_ERROR(rows_.write_now(rows.take()));
  VARVE_RETURN_IF_ERROR(rows_.erase_now(std::move(replaced)));
  return list;
}

bool Widener::is_pending(const WidenWork& work, const Day& day) const {
  if (day.slots.empty()) return false;
  const auto number = [&](Timestamp slot) { return static_cast<std::size_t>((slot - work.day) / reader_.slot_ms()); };
  for (std::size_t i = number(day.slots.front().slot); i <= number(day.slots.back().slot); ++i) {
    if (day.pending[i]) return true;
  }
  return false;
}

Status Widener::replace(const WidenWork& work, Day& day, SealedRows& rows, std::vector<RowDelete>& replaced,
                        WidenedDay& widened) const {
  const auto all = without_gaps(std::move(day.slots), reader_.slot_ms());
  std::vector<SlotToSeal> slots;
  for (const SlotData& slot : all) slots.push_back({&slot, has_arrivals(slot, work.group.columns)});
  const std::size_t before = rows.made().size();
  VARVE_ASSIGN_OR_RETURN(const auto made, rows.add_stratum(work.group, slots));
  widened.is_written = !made.empty();
  const auto strata = rows.made().subspan(before);  // of each shard, unless its time is over
  for (unsigned shard = 0; shard < strata.size(); ++shard) {
    VARVE_RETURN_IF_ERROR(add_replaced(replaced, reader_.sealed(), strata[shard],
                                       {all.front().slot, all.back().slot + reader_.slot_ms()}, day.rows, shard));
  }
  return {};
}

}  // namespace varve::engine::cassandra
