// SPDX-License-Identifier: Apache-2.0
// The worker's last stage: days whose sealed rows become one.
#include "engine/cassandra/settle/worker.h"

#include "engine/cassandra/tables/spans.h"

namespace varve::engine::cassandra {

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
