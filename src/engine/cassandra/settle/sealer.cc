// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/settle/sealer.h"

#include "base/check.h"
#include "engine/cassandra/settle/each_by_itself.h"
#include "engine/cassandra/tables/strata.h"

namespace varve::engine::cassandra {

using model::Timestamp;

Result<Sealer::Reading> Sealer::read(std::span<const SealWork> works) const {
  std::vector<SlotsWanted> wanted;
  for (const SealWork& work : works) {
    SlotsWanted& one = wanted.emplace_back();
    one.group = &work.group;
    one.range = {work.slot, work.slot + reader_.slot_ms()};
    for (unsigned shard = 0; shard < column_shards_of(work.group.columns); ++shard) one.shards.push_back(shard);
    one.hot = {work.slot};
  }
  Reading reading;
  const auto read_all = [&]() -> Result<std::int64_t> {
    VARVE_ASSIGN_OR_RETURN(reading.slots, reader_.read(wanted, {}));
    return greatest_version(reading.slots);
  };
  VARVE_ASSIGN_OR_RETURN(reading.version, read_versioned(versions_, read_all));
  return reading;
}

Result<std::vector<SealedSlot>> Sealer::seal(std::span<const SealWork> works) const {
  const auto all = [this](std::span<const SealWork> together) { return seal_together(together); };
  return done_together_or_each<SealedSlot>(works, all);
}

Result<std::vector<SealedSlot>> Sealer::seal_together(std::span<const SealWork> works) const {
  VARVE_ASSIGN_OR_RETURN(const Reading reading, read(works));
  check(reading.slots.size() == works.size(), "each slot was read");
  std::vector<SealedSlot> list(works.size());
  // Who finds a sealed row trusts that it is whole.
  std::vector<const SlotData*> data(works.size());
  for (std::size_t w = 0; w < works.size(); ++w) {
    if (reading.slots[w].empty()) continue;
    const SlotData& found = reading.slots[w][0];
    check(reading.version > found.version(), "a slot is written over what it was made of");
    const shared::Kept kept = reader_.sealed().kept(works[w].group.cells.kept, found.slot, clock_.now_ms());
    if (shared::may_make(kept, found.stored_shards > 0)) data[w] = &found;
  }
  SealedRows rows(reader_.sealed(), reading.version, clock_.now_ms());
  for (std::size_t first = 0, count = 0; first < works.size(); first += count) {
    count = run_length(works, data, first);
    const auto run = works.subspan(first, count);
    const auto of_run = std::span(data).subspan(first, count);
    const auto sealed = std::span(list).subspan(first, count);
    if (count > 1 && add_as_stratum(rows, run, of_run, sealed)) continue;
    for (std::size_t i = 0; i < count; ++i) {
      if (of_run[i] == nullptr) continue;
      auto made = rows.add_slot(run[i].group, {of_run[i], run[i].shared});
      if (made) {
        sealed[i].made = *made;
      } else {
        sealed[i].status = fail(made.error());
      }
    }
  }
  VARVE_RETURN_IF_ERROR(rows_.write_now(rows.take()));
  return list;
}

// How many, from the first, may share rows.
std::size_t Sealer::run_length(std::span<const SealWork> works, std::span<const SlotData* const> data,
                               std::size_t first) const {
  std::vector<Timestamp> slots;
  for (std::size_t w = first; w < works.size() && data[w] != nullptr; ++w) {
    if (works[w].group.cells != works[first].group.cells) break;
    slots.push_back(works[w].slot);
  }
  return slots.empty() ? 1 : stratum_length(reader_.sealed(), works[first].group.cells, slots);
}

// False: it is too large, or one of them is damaged.
bool Sealer::add_as_stratum(SealedRows& rows, std::span<const SealWork> works, std::span<const SlotData* const> data,
                            std::span<SealedSlot> sealed) const {
  std::vector<SlotToSeal> slots;
  for (std::size_t i = 0; i < works.size(); ++i) slots.push_back({data[i], works[i].shared});
  const auto made = rows.add_stratum(works[0].group, slots);
  if (!made || made->empty()) return false;
  for (std::size_t i = 0; i < works.size(); ++i) {
    sealed[i].made = (*made)[i];
    sealed[i].day_may_widen = data[i]->stored_shards > 0;
  }
  return true;
}

}  // namespace varve::engine::cassandra
