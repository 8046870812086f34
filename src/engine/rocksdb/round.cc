// SPDX-License-Identifier: Apache-2.0
// Round: what has ended and been quiet is spilled, sealed into windows, made coarser, and dropped when its time is
// over.
//
// A round comes when a slot is due: its end and slots.quiet are over and it holds something that is not in its windows.
// Rounds are at least slots.quiet apart, and a round folds only the series that are new since the last one: so a series
// that trickles into an old slot for ever costs its own work once a quiet time, and delays nobody.
#include <algorithm>

#include "engine/rocksdb/runs/late.h"
#include "engine/rocksdb/store_state.h"
#include "tracker/ownership.h"

namespace varve::engine::rocksdb {
namespace {

constexpr std::size_t kSlotsPerCommit = 64;

bool has_ended(const Head& head, std::int64_t chunk_width_ms, std::int64_t ended_before_ms) {
  return !head.slots().empty() && head.slots().begin()->first + chunk_width_ms <= ended_before_ms;
}

// Calls each(part) for parts of a list.
template <class T, class Each>
Status in_parts(const std::vector<T>& list, const Each& each) {
  for (std::size_t first = 0; first < list.size(); first += kSlotsPerCommit) {
    VARVE_CHECK_OK(each(std::span(list).subspan(first, std::min(kSlotsPerCommit, list.size() - first))));
  }
  return {};
}

}  // namespace

std::vector<std::uint32_t> Store::State::owned() const {
  return options.owned ? options.owned() : tracker::all_partitions(options.partitions);
}

bool Store::State::round_due() {
  const std::int64_t now = clock.now_ms();
  if (now - last_round_ms < options.slot_quiet_ms && now >= last_round_ms) return false;
  if (retention_due()) {
    if (!expired(*runs_now()).empty()) return true;
    last_retention_ms = now;
  }
  if (!options.rolls_up || owned().empty()) return false;
  const std::int64_t ended_before = now - options.slot_quiet_ms;
  {
    const std::lock_guard lock(append_mutex);
    if (!options.rollups.levels.empty() && has_ended(*head, chunk_width, ended_before)) return true;
  }
  return !sealable(ended_before).empty() || !coarse_due(ended_before).empty();
}

Status Store::State::settle_round() {
  last_round_ms = clock.now_ms();
  const std::int64_t ended_before = last_round_ms - options.slot_quiet_ms;
  bool spill = false;
  {
    const std::lock_guard lock(append_mutex);
    spill = options.rolls_up && !options.rollups.levels.empty() && has_ended(*head, chunk_width, ended_before);
  }
  if (spill) VARVE_CHECK_OK(spill_all_alone());
  VARVE_CHECK_OK(seal_all(ended_before));
  return drop_expired();
}

Status Store::State::seal_all(std::int64_t ended_before_ms) {
  if (!options.rolls_up || owned().empty()) return {};
  auto due = sealable(ended_before_ms);
  // Where samples are added to stored windows, the next slot must find the sum of the last one.
  const auto current = runs_now();
  const auto added = std::ranges::stable_partition(due, [&](const SlotKey& s) {
    return !current->slots.at(s).mark.dropped && !comes_late(*current, s, options.rollups, chunk_width);
  });
  const std::vector<SlotKey> late(added.begin(), added.end());
  due.erase(added.begin(), added.end());
  VARVE_CHECK_OK(in_parts(due, [this](std::span<const SlotKey> part) { return seal(part); }));
  for (const SlotKey& slot : late) VARVE_CHECK_OK(seal({&slot, 1}));
  for (auto coarse = coarse_due(ended_before_ms); !coarse.empty(); coarse = coarse_due(ended_before_ms)) {
    VARVE_CHECK_OK(in_parts(coarse, [this](std::span<const CoarseWindow> part) { return seal_coarse(part); }));
  }
  return {};
}

}  // namespace varve::engine::rocksdb
