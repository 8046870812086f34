// SPDX-License-Identifier: Apache-2.0
// Reclaiming: the room of samples whose time to live is over. Nobody reads them any more (scan/scan.h); whatever merges
// the runs of a slot leaves out groups of which the whole slot is over, and so do windows of series all of whose groups
// are. Slots that have nothing to merge are written again for it.
//
// When is a slot looked at? Once for each time to live that its tenant has, a day at the latest after the slot's end
// has become older than that: a look takes those that have since the last one, until when is in the database. So a slot
// is read as often as there are different times to live, however many groups have them. What is put so late that its
// slot was looked at already goes with raw.retention.
//
// A group may share series with others, whose windows are made of both: then it stays open in the slot's mark, and the
// windows are made again without it.
#include <algorithm>
#include <set>

#include "base/bytes.h"
#include "base/log.h"
#include "engine/rocksdb/runs/level_slots.h"
#include "engine/rocksdb/runs/run_reader.h"
#include "engine/rocksdb/store_state.h"
#include "engine/shared/stored_for.h"
#include "model/time.h"
#include "rollup/columns.h"

namespace varve::engine::rocksdb {
namespace {

constexpr const char* kReclaimedKey = "e";

model::Timestamp end_of(const SlotKey& slot, std::int64_t chunk_width_ms) {
  const bool raw = slot.granularity_ms == 0;
  return slot.start + (raw ? chunk_width_ms : level_slot_width_ms(slot.granularity_ms, chunk_width_ms));
}

bool is_over(std::uint32_t ttl_s, model::Timestamp end, std::int64_t now_ms) {
  return ttl_s != 0 && end <= shared::alive_from(ttl_s, now_ms);
}

}  // namespace

Status Store::State::recover_reclaimed() {
  VARVE_TRY(const auto stored, database->text(kReclaimedKey));
  if (!stored) return {};
  if (stored->size() != sizeof(std::int64_t)) return fail(Code::corrupt, "what was reclaimed is not a time");
  reclaiming.done_ms = static_cast<std::int64_t>(load_be64(stored->data()));
  return {};
}

// Of all samples of the slot that are this group's, or windows that are of its series.
bool Store::State::is_dead(const SlotKey& slot, std::uint32_t group, std::int64_t now_ms) const {
  const model::Timestamp end = end_of(slot, chunk_width);
  if (slot.granularity_ms == 0) return is_over(index.group_ttl_s(model::GroupId{group}), end, now_ms);
  std::vector<index::Place> places;
  index.places(model::SeriesId{group / 2}, places);  // rollup/columns.h
  return std::ranges::all_of(places, [&](const index::Place& place) { return is_over(place.ttl_s, end, now_ms); });
}

// Whose times to live have become over since the last look.
void Store::State::look_for_dead() {
  const std::int64_t now = clock.now_ms();
  std::map<model::TenantId, std::set<std::uint32_t>> ttls;
  {
    const std::shared_lock lock(index_mutex);
    for (const model::GroupId group : index.mortal_groups()) {
      ttls[index.group_tenant(group)].insert(index.group_ttl_s(group));
    }
  }
  reclaiming.slots.clear();
  reclaiming.until_ms = now;
  const auto current = runs_now();
  for (const auto& [slot, of_slot] : current->slots) {
    const auto known = ttls.find(slot.tenant);
    if (of_slot.runs.empty() || known == ttls.end()) continue;
    const model::Timestamp end = end_of(slot, chunk_width);
    const bool due = std::ranges::any_of(known->second, [&](std::uint32_t ttl_s) {
      return is_over(ttl_s, end, now) && !is_over(ttl_s, end, reclaiming.done_ms);
    });
    if (due) reclaiming.slots.push_back(slot);
  }
  look_for_empty_series();
}

bool Store::State::reclaim_due() const {
  if (!reclaiming.slots.empty()) return true;
  const std::int64_t since_ms = clock.now_ms() - reclaiming.done_ms;
  if (since_ms < model::kHourMs) return false;
  const std::shared_lock lock(index_mutex);
  if (!index.has_mortal_groups()) return false;
  if (since_ms >= model::kDayMs) return true;
  return std::ranges::any_of(index.mortal_groups(), [&](model::GroupId group) {
    return std::int64_t{index.group_ttl_s(group)} * 1000 <= since_ms;
  });
}

Status Store::State::reclaim_some() {
  if (reclaiming.slots.empty()) look_for_dead();
  if (!reclaiming.slots.empty()) {
    const SlotKey slot = reclaiming.slots.back();
    if (!set_aside.holds(slot, kMergeOfSlot, clock.now_ms())) {
      VARVE_TRY(const bool holds, holds_dead(slot));
      if (holds) VARVE_CHECK_OK(merge(slot));
    }
    reclaiming.slots.pop_back();
  }
  if (!reclaiming.slots.empty()) return {};
  std::string stored(sizeof(std::int64_t), '\0');
  store_be64(stored.data(), static_cast<std::uint64_t>(reclaiming.until_ms));
  VARVE_CHECK_OK(step("reclaim.done"));
  VARVE_CHECK_OK(database->put_text(kReclaimedKey, stored));
  reclaiming.done_ms = reclaiming.until_ms;
  return {};
}

Status Store::State::reclaim_all() {
  {
    const std::shared_lock lock(index_mutex);
    if (!index.has_mortal_groups()) return {};
  }
  if (reclaiming.slots.empty()) look_for_dead();
  do {
    VARVE_CHECK_OK(reclaim_some());
  } while (!reclaiming.slots.empty());
  return {};
}

Result<bool> Store::State::holds_dead(const SlotKey& slot) {
  const auto current = runs_now();
  const auto known = current->slots.find(slot);
  if (known == current->slots.end()) return false;
  const std::int64_t now = clock.now_ms();
  std::vector<std::uint32_t> dead;
  {
    const std::shared_lock lock(index_mutex);
    for (const model::GroupId group : index.mortal_groups()) {
      if (index.group_tenant(group) != slot.tenant) continue;
      if (slot.granularity_ms == 0) {
        if (is_dead(slot, model::to_int(group), now)) dead.push_back(model::to_int(group));
        continue;
      }
      for (const model::SeriesId series : index.group_series(group)) {
        if (!is_dead(slot, rollup::number_group(series), now)) continue;
        dead.insert(dead.end(), {rollup::number_group(series), rollup::text_group(series)});
      }
    }
  }
  std::ranges::sort(dead);
  const View nothing{nullptr, nullptr, current, nullptr};
  const ScanSource source{nothing, append_mutex, *database, cache, clock, slot.tenant, chunk_width};
  auto found = any_holds(source, known->second.runs, dead, {});
  // A damaged one is set aside by who merges it.
  if (!found && found.error().code == Code::corrupt) return true;
  return found;
}

// The mark of a raw slot from which these groups are gone, which share series with others.
Mark Store::State::mark_without(const Runs::OfSlot& slot, std::span<const std::uint32_t> gone) {
  Mark mark = slot.mark;
  if (mark.sealed == 0 || mark.dropped) return mark;
  mark.open.insert(mark.open.end(), gone.begin(), gone.end());
  std::ranges::sort(mark.open);
  const auto twice = std::ranges::unique(mark.open);
  mark.open.erase(twice.begin(), twice.end());
  return mark;
}

}  // namespace varve::engine::rocksdb
