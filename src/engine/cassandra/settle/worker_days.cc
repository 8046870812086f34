// SPDX-License-Identifier: Apache-2.0
// What the worker does by the day: slots of one that are still written are left to be sealed together; and the last
// stage, in which sealed rows of one become one.
#include "engine/cassandra/settle/worker.h"

#include <map>
#include <utility>

#include "engine/cassandra/tables/spans.h"
#include "engine/cassandra/tables/strata.h"

namespace varve::engine::cassandra {

using model::Timestamp;
using tracker::When;

// What is pending has its quiet time again, so that it does not come before all else with each turn.
Status Worker::widen(std::span<const Due> dues, Turn& turn) {
  std::vector<WidenWork> works;
  for (const Due& due : dues) works.push_back(plan_.widen_work(due));
  bool is_known = true;
  const auto pending = [&](std::span<const WidenWork> of) {
    const std::size_t first = of.data() - works.data();  // all of them, or one
    auto list = pending_slots(dues.subspan(first, of.size()));
    is_known = list || list.error().code != Code::unavailable;
    return list;
  };
  const auto widened = widener_.widen(works, pending);
  if (!is_known) return {};  // after a loss of Redis everything may be pending, until the journal is replayed
  if (!widened) return fail(widened.error());
  std::vector<Due> good;
  std::vector<tracker::Touch> again;
  for (std::size_t i = 0; i < dues.size(); ++i) {
    const WidenedDay& day = (*widened)[i];
    if (!day.status) {
      VARVE_RETURN_IF_ERROR(set_aside(days(), dues[i], day.status.error()));
    } else if (!day.is_pending) {
      good.push_back(dues[i]);
    } else if (turn.when == When::quiet) {
      again.push_back({dues[i].member, dues[i].partition, dues[i].slot});
    }
  }
  VARVE_RETURN_IF_ERROR(trackers_.days().touch(again, clock_.now_ms()));
  return finish(days(), good);
}

// What is sealed together is read at once and shares a row. So slots that were written after their end (a backfill, a
// migration) wait until all such slots of their day are quiet, for one quiet time more at the most: behind a backlog
// nothing waits. Nor does it where Redis does not say what is pending.
void Worker::leave_growing_days(std::vector<Due>& dues) const {
  if (!widener_.is_wanted({})) return;
  struct Day {
    PendingSlots due;
    bool was_late = false;
    bool has_waited = false;
    bool grows = false;
  };
  const Timestamp now_ms = clock_.now_ms();
  const std::int64_t day_ms = stratum_ms(options_.slot_ms);
  const auto key_of = [&](const Due& due) { return Key(due.member, model::window_start(due.slot, day_ms)); };
  const auto ended = [&](Timestamp slot) { return slot + options_.slot_ms; };
  std::map<Key, Day> days;
  std::vector<Due> asked;
  for (const Due& due : dues) {
    const Key key = key_of(due);
    Day& day = days[key];
    day.due.set(static_cast<std::size_t>((due.slot - key.second) / options_.slot_ms));
    day.has_waited |= now_ms >= due.ready_ms + options_.quiet_ms;
    if (due.ready_ms <= ended(due.slot) + options_.quiet_ms || std::exchange(day.was_late, true)) continue;
    asked.push_back(due);
    asked.back().slot = key.second;
  }
  std::erase_if(asked, [&](const Due& due) { return days[key_of(due)].has_waited; });
  if (asked.empty()) return;
  const auto pending = pending_slots(asked);
  if (!pending) return;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    PendingSlots late = (*pending)[i];
    for (std::size_t s = 0; s < late.size(); ++s) {
      if (ended(asked[i].slot + static_cast<std::int64_t>(s) * options_.slot_ms) > now_ms) late.reset(s);
    }
    Day& day = days[key_of(asked[i])];
    day.grows = late.count() >= kStratumSlotsMin && (late & ~day.due).any();
  }
  std::erase_if(dues, [&](const Due& due) { return days[key_of(due)].grows; });
}

Result<std::vector<PendingSlots>> Worker::pending_slots(std::span<const Due> dues) const {
  std::vector<tracker::Touch> slots;
  for (const Due& day : dues) {
    for (std::int64_t i = 0; i < kSlotsPerStratum; ++i)
      slots.push_back({day.member, day.partition, day.slot + i * options_.slot_ms});
  }
  VARVE_ASSIGN_OR_RETURN(const std::vector<bool> pending, trackers_.samples().pending_of(slots));
  std::vector<PendingSlots> list(dues.size());
  for (std::size_t i = 0; i < pending.size(); ++i) list[i / kSlotsPerStratum][i % kSlotsPerStratum] = pending[i];
  return list;
}

Status Worker::touch_days(std::span<const Due> dues) {
  std::vector<tracker::Touch> touches;
  for (const Due& due : dues) {
    touches.push_back({due.member, due.partition, model::window_start(due.slot, stratum_ms(options_.slot_ms))});
  }
  return trackers_.days().touch(touches, clock_.now_ms());
}

}  // namespace varve::engine::cassandra
