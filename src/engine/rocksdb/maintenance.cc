// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/maintenance.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <set>
#include <utility>

#include "base/log.h"
#include "base/sort_unique.h"
#include "engine/rocksdb/commit_size.h"
#include "engine/rocksdb/erase.h"
#include "engine/rocksdb/runs/level_slots.h"
#include "engine/rocksdb/runs/stored_time.h"

namespace varve::engine::rocksdb {
namespace {

// The slots that have a run now which they had not before.
storage::SettleReport what_changed(const Runs& before, const Runs& after) {
  storage::SettleReport report;
  for (const auto& [slot, now] : after.slots) {
    if (!slot.is_raw() || now.runs.empty()) continue;
    const auto then = before.slots.find(slot);
    const auto& run = *now.runs.back();
    const bool known = then != before.slots.end() && !then->second.runs.empty();
    if (known && then->second.runs.back()->key.run == run.key.run && then->second.mark == now.mark) continue;
    ++report.slots_sealed;
    report.chunks_written += run.chunks;
    report.samples += run.samples;
    report.bytes += run.bytes;
  }
  for (const auto& [slot, now] : after.messages) {
    const auto& run = *now.runs.back();
    const auto then = before.messages.find(slot);
    const bool known = then != before.messages.end() && then->second.runs.back()->key.run == run.key.run;
    if (known || run.sealed.empty()) continue;
    ++report.slots_sealed;
    report.messages += run.samples;
    report.bytes += run.bytes;
  }
  return report;
}

// What slots give to one series is written at once, if they are sealed together.
constexpr std::size_t kSlotsSealedTogether = 64;
constexpr std::int64_t kLookForQuietEveryNs = 5'000'000'000;
constexpr std::int64_t kWidenEveryNs = 60'000'000'000;
constexpr std::int64_t kStoreTimeEveryMs = 600'000;

// Takes from a list as much as one commit can hold.
std::span<const SlotKey> next_commit(std::span<const SlotKey>& list, const SlotMap<Runs::OfSlot>& slots,
                                     std::size_t least = 1) {
  const auto now = list.first(commit_size(slots, list, least));
  list = list.subspan(now.size());
  return now;
}

// Of slots that come late, those whose samples are added to stored windows of their own: no two of them to the same.
// The others stay in the list.
std::vector<SlotKey> take_apart(std::vector<SlotKey>& late, std::int64_t widest_ms) {
  std::vector<SlotKey> together;
  std::set<std::pair<model::TenantId, model::Timestamp>> windows;
  std::erase_if(late, [&](const SlotKey& slot) {
    const bool first = windows.emplace(slot.tenant, model::window_start(slot.start, widest_ms)).second;
    if (first) together.push_back(slot);
    return first;
  });
  return together;
}

}  // namespace

Status Maintenance::recover() {
  const MutexLock lock(mutex_);
  job_.tables.note_emptied();  // a search that was broken off begins anew
  living_.count();
  VARVE_ASSIGN_OR_RETURN(stored_ms_, stored_time(job_.tables.database(), kExpiryTimeKey));
  job_.env.expiry.start(stored_ms_);
  if (!stored_ms_) store_time_now();
  return reclaim_.recover();
}

void Maintenance::store_time() {
  const MutexLock lock(mutex_);
  if (stored_ms_) store_time_now();  // else the start was given up before it knew the time
}

void Maintenance::store_time_now() {
  const std::int64_t now = job_.env.expiry.stored_ms();
  if (stored_ms_ && std::abs(now - *stored_ms_) < kStoreTimeEveryMs) return;
  if (auto status = store_time_in(job_.tables.database(), kExpiryTimeKey, now); !status) {
    log::warn("the time is not kept for the next start", {{"error", status.error().message}});
    return;
  }
  stored_ms_ = now;
}

// Each piece of work begins with what an earlier failure left unfinished, and only then looks at the runs; one that
// fails does not keep the others from being tried.
bool Maintenance::attempt(const char* trouble, Status (Maintenance::*work)()) {
  Status status = job_.tables.finish_commit();
  if (status) status = (this->*work)();
  return troubles_.note(trouble, status);
}

// Between two steps of a delete. A mutex is not fair: whoever unlocks it would have it again at once.
void Maintenance::let_others_in() {
  if (waiting_ == 0) return;
  for (const std::uint64_t before = turns_; turns_ == before;) turn_over_.wait(mutex_);
}

bool Maintenance::once() {
  Turn turn(*this);
  const MutexLock lock(mutex_);
  turn.begin();
  const Options& options = job_.env.options;
  job_.env.expiry.observe();
  if (options.owned) static_cast<void>(options.owned());  // keeps what it owns
  bool worked = false;
  if (!troubles_.note("a change cannot be finished", job_.tables.finish_commit())) return false;
  if (job_.tables.database().has_garbage()) {
    worked = attempt("blocks without a run cannot be erased", &Maintenance::erase_garbage) || worked;
  }
  if (round_due()) worked = attempt("ended slots cannot be sealed", &Maintenance::settle_round) || worked;
  if (forget_.due()) forget_.some();
  if (living_.due()) living_.count();
  if (leave_out_.due()) {
    worked = attempt("what has left the index cannot leave the database", &Maintenance::leave_out) || worked;
  }
  if (!job_.tables.finish_commit()) return false;
  if (!mergeable(job_, false).empty()) {
    return attempt("fragments of a slot cannot be merged", &Maintenance::merge_some) || worked;
  }
  if (seals_now()) worked = attempt("ended slots cannot be sealed", &Maintenance::seal_some) || worked;
  if (widens_now()) worked = attempt("slots of a day cannot be made one", &Maintenance::widen_some) || worked;
  // It does not come back to what it left out.
  if (!set_aside_.paused() && reclaim_.due()) {
    worked = attempt("what has outlived its time cannot be given back", &Maintenance::reclaim_some) || worked;
  }
  return worked && (reclaim_.under_way() || !sealing_.empty() || !widening_.empty());
}

Status Maintenance::merge_some() {
  const auto due = mergeable(job_, false);
  std::span<const SlotKey> rest(due);
  return due.empty() ? Status{} : merge(job_, next_commit(rest, job_.tables.runs()->slots), false);
}

Status Maintenance::merge_all() {
  const auto due = mergeable(job_, true);
  for (std::span<const SlotKey> rest(due); !rest.empty();) {
    VARVE_RETURN_IF_ERROR(merge(job_, next_commit(rest, job_.tables.runs()->slots), true));
  }
  return {};
}

// All pending slots are looked at for it: not too often.
bool Maintenance::seals_now() {
  const Options& options = job_.env.options;
  if (!options.rolls_up || options.rollups.levels.empty() || owned_partitions(options).empty()) return false;
  const std::int64_t steady = job_.env.clock.steady_ns();
  if (sealing_.empty() && steady - last_looked_ns_ >= kLookForQuietEveryNs) {
    last_looked_ns_ = steady;
    sealing_ = quiet_sets(job_, job_.env.clock.now_ms() - options.slot_quiet_ms, slots_in_heads());
  }
  return !sealing_.empty();
}

Status Maintenance::seal_some() {
  const auto current = job_.tables.runs();
  // Others did it, or its tenant's samples are being deleted.
  std::erase_if(sealing_, [&](const SlotKey& slot) {
    return !current->pending().contains(slot) || set_aside_.paused() == slot.tenant;
  });
  if (sealing_.empty()) return {};
  std::span<const SlotKey> rest(sealing_);
  const auto next = next_commit(rest, current->slots, kSlotsSealedTogether);
  const std::vector<SlotKey> now(next.begin(), next.end());
  sealing_.erase(sealing_.begin(), sealing_.end() - std::ssize(rest));
  return seal(job_, now);
}

std::vector<model::Timestamp> Maintenance::slots_in_heads() const {
  std::vector<model::Timestamp> starts;
  const auto heads = visible_.now();
  for (const auto* head : {heads.head.get(), heads.immutable.get()}) {
    if (head == nullptr) continue;
    const MutexLock lock(head->mutex);
    for (const auto& [start, _] : head->slots()) starts.push_back(start);
  }
  sort_unique(starts);
  return starts;
}

// All slots are looked at for it: not too often.
bool Maintenance::widens_now() {
  const std::int64_t steady = job_.env.clock.steady_ns();
  if (widening_.empty() && steady - last_widened_ns_ >= kWidenEveryNs) {
    last_widened_ns_ = steady;
    widening_ = widenable(job_, false);
  }
  return !widening_.empty();
}

Status Maintenance::widen_some() {
  std::erase_if(widening_, [&](const Widening& one) { return set_aside_.paused() == one.stratum.tenant; });
  if (widening_.empty()) return {};
  std::span<const Widening> rest(widening_);
  const std::vector<SlotKey> now = next_to_widen(rest);
  widening_.erase(widening_.begin(), widening_.end() - std::ssize(rest));
  return widen(job_, now);
}

Status Maintenance::widen_all() {
  for (std::size_t widths = job_.env.strata(job_.env.classes.longest()).size(); widths > 0; --widths) {
    const auto due = widenable(job_, true);
    for (std::span<const Widening> rest(due); !rest.empty();) VARVE_RETURN_IF_ERROR(widen(job_, next_to_widen(rest)));
  }
  return {};
}

bool Maintenance::round_due() {
  const Options& options = job_.env.options;
  if (job_.env.steady_ms() - last_round_ms_ < options.slot_quiet_ms) return false;
  if (retention_.due()) return true;
  const std::int64_t ended_before = job_.env.clock.now_ms() - options.slot_quiet_ms;
  if (head_has_ended(ended_before) || !sealable_messages(job_, ended_before).empty()) return true;
  if (!options.rolls_up || owned_partitions(options).empty()) return false;
  return !sealable(job_, ended_before).empty() || !coarse_due(job_, ended_before).empty();
}

// Does the head hold messages or samples of a slot that is to be sealed?
bool Maintenance::head_has_ended(std::int64_t ended_before_ms) const {
  const Options& options = job_.env.options;
  const auto head = visible_.now().head;
  if (head->messages.has_ended(ended_before_ms)) return true;
  if (!options.rolls_up || options.rollups.levels.empty()) return false;
  const MutexLock lock(head->mutex);
  return !head->slots().empty() && head->slots().begin()->first + job_.env.chunk_width_ms <= ended_before_ms;
}

Status Maintenance::settle_round() {
  last_round_ms_ = job_.env.steady_ms();
  store_time_now();
  const std::int64_t ended_before = job_.env.clock.now_ms() - job_.env.options.slot_quiet_ms;
  if (head_has_ended(ended_before)) VARVE_RETURN_IF_ERROR(flush_.all());
  const auto growing = growing_sets(job_, ended_before);
  std::vector<SlotKey> left;
  std::ranges::set_difference(growing, left_, std::back_inserter(left));
  left_ = left;
  VARVE_RETURN_IF_ERROR(seal_all(ended_before, left));
  VARVE_RETURN_IF_ERROR(seal_all_messages(ended_before));
  return retention_.drop_expired();
}

Status Maintenance::seal_all(std::int64_t ended_before_ms, std::span<const SlotKey> left) {
  const Options& options = job_.env.options;
  if (!options.rolls_up || owned_partitions(options).empty()) return {};
  auto due = sealable(job_, ended_before_ms);
  std::erase_if(due, [&](const SlotKey& slot) { return std::ranges::binary_search(left, slot); });
  // Where samples are added to stored windows, the next slot must find the sum of the last one.
  const auto current = job_.tables.runs();
  const auto added = std::ranges::stable_partition(due, [&](const SlotKey& s) {
    return !current->slots.at(s).mark.dropped && !comes_late(*current, s, options.rollups, job_.env.chunk_width_ms);
  });
  std::vector<SlotKey> late(added.begin(), added.end());
  due.erase(added.begin(), added.end());
  const auto seal_some = [&](std::span<const SlotKey> rest) -> Status {
    while (!rest.empty()) {
      VARVE_RETURN_IF_ERROR(seal(job_, next_commit(rest, job_.tables.runs()->slots, kSlotsSealedTogether)));
    }
    return {};
  };
  VARVE_RETURN_IF_ERROR(seal_some(due));
  while (!late.empty()) VARVE_RETURN_IF_ERROR(seal_some(take_apart(late, options.rollups.levels.back().width_ms)));
  return seal_coarse_all(ended_before_ms);
}

Status Maintenance::seal_coarse_all(std::int64_t ended_before_ms) {
  for (auto due = coarse_due(job_, ended_before_ms); !due.empty(); due = coarse_due(job_, ended_before_ms)) {
    for (std::span<const CoarseWindow> rest(due); !rest.empty();) {
      const auto now = rest.first(std::min(rest.size(), kSlotsPerCommit));
      VARVE_RETURN_IF_ERROR(seal_coarse(job_, now));
      rest = rest.subspan(now.size());
    }
  }
  return {};
}

Status Maintenance::seal_all_messages(std::int64_t ended_before_ms) {
  const auto due = sealable_messages(job_, ended_before_ms);
  for (std::span<const SlotKey> rest(due); !rest.empty();) {
    VARVE_RETURN_IF_ERROR(seal_messages(job_, next_commit(rest, job_.tables.runs()->messages)));
  }
  return {};
}

Result<storage::SettleReport> Maintenance::settle() {
  const MutexLock alone(erasing_);
  MutexLock lock(mutex_);
  VARVE_RETURN_IF_ERROR(job_.tables.finish_commit());
  job_.env.expiry.observe();
  store_time_now();
  const auto before = job_.tables.runs();
  VARVE_RETURN_IF_ERROR(flush_.all());
  VARVE_RETURN_IF_ERROR(merge_all());
  VARVE_RETURN_IF_ERROR(seal_all(job_.env.clock.now_ms()));
  VARVE_RETURN_IF_ERROR(seal_all_messages(job_.env.clock.now_ms()));
  VARVE_RETURN_IF_ERROR(merge_all());
  VARVE_RETURN_IF_ERROR(reclaim_.all());
  VARVE_RETURN_IF_ERROR(seal_all(job_.env.clock.now_ms()));  // windows of which a part went
  VARVE_RETURN_IF_ERROR(retention_.drop_expired());
  while (forget_.more()) forget_.some();
  living_.count();
  if (leave_out_.due()) VARVE_RETURN_IF_ERROR(leave_out());
  VARVE_RETURN_IF_ERROR(erase_garbage());
  const auto after = job_.tables.runs();
  VARVE_RETURN_IF_ERROR(widen_all());
  VARVE_RETURN_IF_ERROR(erase_garbage());
  lock.unlock();
  VARVE_RETURN_IF_ERROR(job_.tables.database().compact());
  return what_changed(*before, *after);
}

Result<storage::EraseReport> Maintenance::erase(model::TenantId tenant, std::span<const model::SeriesId> series,
                                                model::TimeRange range, const std::atomic<bool>* cancelled) {
  Erase erase(tenant, series, range, cancelled);
  if (series.empty() || range.empty()) return erase.report();
  {
    const MutexLock alone(erasing_);
    const MutexLock lock(mutex_);
    const SetAside::Pause pause(set_aside_, tenant);
    VARVE_RETURN_IF_ERROR(erase.run(job_, flush_, [this]() VARVE_REQUIRES(mutex_) { let_others_in(); }));
  }
  erase.give_back_room(job_.tables.database());
  return erase.report();
}

Result<std::uint64_t> Maintenance::erase_messages(const MessageErasure& what) {
  Turn turn(*this);
  const MutexLock lock(mutex_);
  turn.begin();
  VARVE_RETURN_IF_ERROR(job_.tables.finish_commit());
  VARVE_RETURN_IF_ERROR(flush_.all());
  VARVE_ASSIGN_OR_RETURN(const std::uint64_t erased, rocksdb::erase_messages(job_, what));
  if (auto status = erase_garbage(); !status) {
    log::warn("blocks of what was deleted are erased later", {{"error", status.error().message}});
  }
  return erased;
}

void Maintenance::forget_empty(model::TenantId tenant, std::span<const model::SeriesId> series) {
  Turn turn(*this);
  const MutexLock lock(mutex_);
  turn.begin();
  if (auto status = forget_.empty(tenant, series); !status) {
    log::warn("series without data are not forgotten yet", {{"error", status.error().message}});
  }
}

}  // namespace varve::engine::rocksdb
