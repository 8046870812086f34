// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/settle/dropper.h"

#include <algorithm>

#include "base/check.h"
#include "base/sort_unique.h"
#include "engine/cassandra/tables/data_rows.h"
#include "engine/cassandra/tables/dropped_rows.h"
#include "engine/cassandra/tables/hot_rows.h"
#include "engine/shared/stored_for.h"

namespace varve::engine::cassandra {

using model::Timestamp;

namespace {

constexpr std::size_t kNewHoursAtOnce = 12;  // in one run: who takes over has weeks of them, of 64 partitions each

constexpr std::int64_t end_us(Timestamp hour) { return (hour + Journal::kHourMs) * 1000; }

}  // namespace

Status Dropper::run_when_due(const std::function<bool()>& may_go_on) {
  const std::int64_t now_ns = clock_.steady_ns();
  const std::int64_t every_ms = std::clamp<std::int64_t>(options_.slot_ms / 12, 1000, kEveryMsMax);
  if (ran_ns_ && now_ns - *ran_ns_ < every_ms * 1'000'000) return {};
  ran_ns_ = now_ns;
  return run(may_go_on);
}

Status Dropper::run(const std::function<bool()>& may_go_on) {
  const auto watermark = watermark_();
  if (!watermark) return {};
  const std::int64_t until_us = *watermark - 1 - options_.hot_kept_ms * 1000;
  const Timestamp now = clock_.now_ms();
  std::vector<Timestamp> past = journal_.past_hours(now);
  if (past.empty()) return {};
  check(std::ranges::is_sorted(past), "past hours ascend");
  hours_.erase(hours_.begin(), hours_.lower_bound(past.front()));
  for (Timestamp hour = model::window_start(now, Journal::kHourMs); hour > past.back(); hour -= Journal::kHourMs) {
    if (until_us < hour * 1000) continue;  // all that was written in it stays
    VARVE_RETURN_IF_ERROR(look_at_current(hour, until_us, may_go_on));
  }
  std::size_t listed = 0;
  for (auto hour = past.rbegin(); hour != past.rend() && listed < kNewHoursAtOnce && may_go_on(); ++hour) {
    if (until_us < end_us(*hour)) continue;  // what was written in it may still be under way
    Hour& known = hours_[*hour];
    if (!known.is_known) {
      VARVE_RETURN_IF_ERROR(list(*hour, known));
      ++listed;
    }
    VARVE_RETURN_IF_ERROR(look_at_past(*hour, known, until_us, may_go_on));
  }
  return {};
}

Status Dropper::look_at_current(Timestamp hour, std::int64_t until_us, const std::function<bool()>& may_go_on) {
  Hour& known = hours_[hour];
  VARVE_ASSIGN_OR_RETURN(const auto written, journal_.written_in(hour));
  for (const auto& [tenant, slots] : written) {
    if (!may_go_on()) return {};
    VARVE_ASSIGN_OR_RETURN(const auto pending, pending_of(tenant, slots));
    for (const Timestamp slot : slots) {
      const Slot one{tenant, slot};
      if (!pending || !may_drop(slot, *pending)) {
        known.early.erase(one);  // something came since
      } else if (known.early.insert(one).second) {
        VARVE_RETURN_IF_ERROR(drop(one, until_us));
      }
    }
  }
  return {};
}

Status Dropper::list(Timestamp hour, Hour& known) {
  VARVE_ASSIGN_OR_RETURN(known.left, journal_.written_in(hour));
  check(!known.is_known, "a past hour is listed once");
  known.is_known = true;
  known.is_forgotten = known.left.empty();
  known.early.clear();
  return {};
}

// Those that another replica has dropped since the hour was past are done.
Status Dropper::look_at_past(Timestamp hour, Hour& known, std::int64_t until_us,
                             const std::function<bool()>& may_go_on) {
  if (known.is_forgotten) return {};
  for (auto of = known.left.begin(); of != known.left.end();) {
    if (!may_go_on()) return {};
    auto& [tenant, slots] = *of;
    VARVE_ASSIGN_OR_RETURN(const auto pending, pending_of(tenant, slots));
    for (auto slot = slots.begin(); slot != slots.end();) {
      if (pending && !may_drop(*slot, *pending)) {
        ++slot;
        continue;
      }
      VARVE_ASSIGN_OR_RETURN(const std::int64_t mark_us, mark_of({tenant, *slot}));
      if (pending && mark_us < end_us(hour)) VARVE_RETURN_IF_ERROR(drop({tenant, *slot}, until_us));
      slot = slots.erase(slot);
    }
    of = slots.empty() ? known.left.erase(of) : std::next(of);
  }
  if (known.left.empty() && hour + Journal::kHourMs + Journal::kKeptMs <= clock_.now_ms())
    return forget(hour, known, until_us);
  return {};
}

// Its entries are read again: what was dropped may have become pending again meanwhile, or a rollup block over it.
Status Dropper::forget(Timestamp hour, Hour& known, std::int64_t until_us) {
  VARVE_ASSIGN_OR_RETURN(const auto written, journal_.written_in(hour));
  for (const auto& [tenant, slots] : written) {
    VARVE_ASSIGN_OR_RETURN(const auto pending, pending_of(tenant, slots));
    const auto is_kept = [&](Timestamp slot) { return pending && !may_forget(slot, *pending); };
    if (std::ranges::any_of(slots, is_kept)) return {};
  }
  VARVE_RETURN_IF_ERROR(journal_.forget_hour(hour, until_us));
  known.is_forgotten = true;
  return {};
}

// nullopt: nobody knows the tenant, so there is nothing that could be sealed.
Result<std::optional<Pending>> Dropper::pending_of(const std::string& tenant, const std::set<Timestamp>& slots) {
  check(!slots.empty(), "a tenant of the journal has slots");
  VARVE_ASSIGN_OR_RETURN(const auto id, series_.loader().find_tenant(tenant));
  if (!id) return std::optional<Pending>();
  VARVE_ASSIGN_OR_RETURN(auto pending, pending_.pending(*id, {*slots.begin(), *slots.rbegin() + options_.slot_ms}));
  return std::optional(std::move(pending));
}

// Near the end of its samples' time a slot is not sealed any more (Worker::seal). Of series in a class that is nothing
// to wait for: windows of such a slot are not read any more.
bool Dropper::may_drop(Timestamp slot, const Pending& pending) const {
  if (std::ranges::binary_search(pending.slots, slot)) return false;
  check(pending.rollup_blocks.size() == options_.rollup_blocks_ms.size(), "a list for each granularity");
  const bool in_windows =
      options_.rollup_blocks_ms.empty() ||
      !std::ranges::binary_search(pending.rollup_blocks[0], model::window_start(slot, options_.rollup_blocks_ms[0]));
  const auto may = [&](std::int64_t stored_ms) {
    return shared::may_drop_hot(slot + options_.slot_ms, stored_ms, clock_.now_ms(),
                                {kHotKeptMs, kGoneMarginMs, Journal::kClocksMs}, in_windows);
  };
  return may(options_.samples_stored_ms) && std::ranges::all_of(options_.mixed_stored_ms, may);
}

bool Dropper::may_forget(Timestamp slot, const Pending& pending) const {
  if (std::ranges::binary_search(pending.slots, slot)) return false;
  for (std::size_t level = 0; level < options_.rollup_blocks_ms.size(); ++level) {
    const Timestamp block = model::window_start(slot, options_.rollup_blocks_ms[level]);
    if (!journal_.replays_all(options_.rollup_blocks_ms[level]) &&
        std::ranges::binary_search(pending.rollup_blocks[level], block)) {
      return false;
    }
  }
  return true;
}

Result<std::int64_t> Dropper::mark_of(const Slot& slot) {
  DroppedReads marks(tables_);
  marks.add(slot.first, slot.second, options_.slot_ms);
  std::int64_t until_us = model::kTimestampMin;
  VARVE_RETURN_IF_ERROR(rows_.read(marks.reads(), {}, [&](std::size_t read, const RowView& row) -> Status {
    VARVE_ASSIGN_OR_RETURN(const auto mark, marks.row(read, row));
    until_us = mark.until_us;
    return {};
  }));
  return until_us;
}

Status Dropper::drop(const Slot& slot, std::int64_t until_us) {
  std::vector<RowWrite> mark;
  mark.push_back(dropped_write(tables_, slot.first, slot.second, options_.slot_ms, until_us));
  VARVE_RETURN_IF_ERROR(rows_.write_now(std::move(mark)));
  std::vector<RowDelete> gone;
  for (std::int16_t shard = 0; shard < kHotShards; ++shard) {
    gone.push_back({&tables_.raw, {slot.first, timestamp_cell(slot.second), smallint_cell(shard)}, {}, until_us});
  }
  VARVE_RETURN_IF_ERROR(rows_.erase_now(std::move(gone)));
  ++slots_dropped_;
  return {};
}

std::vector<std::int64_t> mixed_stored_ms(const Directory& directory, const ChunkTable& sealed) {
  std::vector<std::int64_t> list;
  const std::size_t end = directory.group_retentions().all().size();
  for (std::size_t number = end - directory.group_retentions().mixed().size(); number < end; ++number) {
    const std::int64_t stored_ms = sealed.retention_of(static_cast<GroupRetentions::Number>(number));
    if (stored_ms > sealed.retention_ms) list.push_back(stored_ms);
  }
  sort_unique(list);
  return list;
}

}  // namespace varve::engine::cassandra
