// SPDX-License-Identifier: Apache-2.0
// Round: what has ended and been quiet is spilled, sealed into windows, made coarser, and dropped when its time is
// over.
//
// A round comes when a slot is due: its end and slots.quiet are over and it holds something that is not in its windows.
// Rounds are at least slots.quiet apart, and a round folds only the series that are new since the last one: so a series
// that trickles into an old slot for ever costs its own work once a quiet time, and delays nobody.
#include <algorithm>

#include "engine/rocksdb/store_state.h"

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

bool Store::State::round_due() const {
  if (!options.rolls_up) return false;
  const std::int64_t now = clock.now_ms();
  if (now - last_round_ms < options.slot_quiet_ms && now >= last_round_ms) return false;
  const std::int64_t ended_before = now - options.slot_quiet_ms;
  {
    const std::lock_guard lock(append_mutex);
    if (!options.rollups.levels.empty() && has_ended(*head, chunk_width, ended_before)) return true;
  }
  return !sealable(ended_before).empty() || !coarse_due(ended_before).empty() ||
         (retention_due() && !expired().empty());
}

Status Store::State::settle_round() {
  last_round_ms = clock.now_ms();
  const std::int64_t ended_before = last_round_ms - options.slot_quiet_ms;
  bool spill = false;
  {
    const std::lock_guard lock(append_mutex);
    spill = !options.rollups.levels.empty() && has_ended(*head, chunk_width, ended_before);
  }
  if (spill) VARVE_CHECK_OK(spill_all());
  VARVE_CHECK_OK(seal_all(ended_before));
  return drop_expired();
}

Status Store::State::seal_all(std::int64_t ended_before_ms) {
  if (!options.rolls_up) return {};
  auto due = sealable(ended_before_ms);
  // Where samples are added to stored windows, the next slot must find the sum of the last one.
  const auto dropped =
      std::ranges::stable_partition(due, [this](const SlotKey& s) { return !runs->slots.at(s).mark.dropped; });
  const std::vector<SlotKey> late(dropped.begin(), dropped.end());
  due.erase(dropped.begin(), dropped.end());
  VARVE_CHECK_OK(in_parts(due, [this](std::span<const SlotKey> part) { return seal(part); }));
  for (const SlotKey& slot : late) VARVE_CHECK_OK(seal({&slot, 1}));
  // Each granularity is made of the one before, so they follow one another.
  for (std::size_t level = 1; level < options.rollups.levels.size(); ++level) {
    const auto coarse = coarse_due(ended_before_ms);
    if (coarse.empty()) break;
    std::vector<CoarseWindow> finest;
    for (const auto& window : coarse) {
      if (window.slot.granularity_ms == coarse.front().slot.granularity_ms) finest.push_back(window);
    }
    VARVE_CHECK_OK(in_parts(finest, [this](std::span<const CoarseWindow> part) { return seal_coarse(part); }));
  }
  return {};
}

// What a running spill holds, then what the head holds.
Status Store::State::spill_all() {
  for (int heads = 0; heads < 2; ++heads) {
    bool has_frozen = false;
    {
      const std::lock_guard lock(append_mutex);
      if (frozen == nullptr && head->rows() > 0) VARVE_CHECK_OK(freeze());
      has_frozen = frozen != nullptr;
    }
    if (has_frozen) VARVE_CHECK_OK(spill_frozen());
  }
  return {};
}

}  // namespace varve::engine::rocksdb
