// SPDX-License-Identifier: Apache-2.0
// Slots: how far they have settled, for people and metrics.
#include <algorithm>
#include <map>
#include <set>

#include "engine/rocksdb/store_state.h"

namespace varve::engine::rocksdb {
namespace {

using storage::SlotPhase;
using storage::SlotState;

std::string describe(const index::SeriesIndex& index, std::uint32_t group) {
  const auto series = index.group_series(model::GroupId{group});
  if (series.empty()) return {};  // it has left the index
  std::string text(index.metric(series[0]));
  text += '{';
  for (const auto& [key, value] : index.tags(series[0])) {
    if (text.back() != '{') text += ',';
    text += key + '=' + value;
  }
  return text + '}';
}

SlotState state_of(const Runs& runs, const SlotKey& slot, const Runs::OfSlot& of_slot, std::int64_t chunk_width_ms) {
  SlotState state{slot.start, slot.start + slot.raw_width_ms(chunk_width_ms), SlotPhase::sealed, 0, 0, 0, 0};
  for (const auto& run : of_slot.runs) {
    state.samples += run->samples;
    state.bytes += run->bytes;
  }
  state.fragments = static_cast<std::uint32_t>(of_slot.runs.size());
  state.open_groups = static_cast<std::uint32_t>(of_slot.mark.open.size());
  if (runs.is_unsettled(slot)) {
    state.phase = SlotPhase::pending;
  } else if (of_slot.mark.dropped) {
    state.phase = SlotPhase::dropped;
  }
  return state;
}

// Starts of the slots of which memory holds samples of one tenant. Its groups are looked for a few at a time, so that
// no append waits for all of them.
std::set<model::Timestamp> hot_slots(const Visible& visible, const Catalog& catalog, model::TenantId tenant) {
  constexpr std::uint32_t kAtOnce = 4096;
  std::set<model::Timestamp> starts;
  std::vector<std::uint32_t> groups;
  const View now = visible.now();
  for (const Head* const head : {now.head.get(), now.immutable.get()}) {
    for (std::uint32_t from = 0; head != nullptr;) {
      const ReaderLock in_index(catalog.mutex);
      const MutexLock lock(head->mutex);
      if (!head->next_groups(from, kAtOnce, groups)) break;
      for (const std::uint32_t group : groups) {
        if (catalog.index.group_tenant(model::GroupId{group}) != tenant) continue;
        for (const auto* at = head->fragments(model::GroupId{group}); at != nullptr; at = at->next)
          starts.insert(at->slot);
      }
    }
  }
  return starts;
}

// A slot of messages is shown with all its classes.
void add_class(SlotState& state, const SlotState& more) {
  state.samples += more.samples;
  state.bytes += more.bytes;
  state.fragments += more.fragments;
  if (more.phase == SlotPhase::pending) state.phase = SlotPhase::pending;
}

}  // namespace

storage::SlotCounts Store::slot_counts() const {
  const View now = state_->visible.now();
  storage::SlotCounts counts;
  counts.set_aside = state_->maintenance.set_aside().size();
  counts.sealed = state_->tables.slots_sealed();
  counts.windows = state_->tables.windows_written();
  counts.clock_jumps = state_->env.expiry.jumps();
  counts.clock_held_ms = state_->env.expiry.held_ms();
  constexpr auto first = std::numeric_limits<model::Timestamp>::min();
  constexpr auto last = std::numeric_limits<model::Timestamp>::max();
  counts.pending = now.runs->unsettled() + now.runs->unsealed_messages().size();
  for (const model::Timestamp start : hot_slots(now, first, last)) {
    if (!now.runs->is_unsettled_at(start)) ++counts.pending;
  }
  return counts;
}

std::vector<SlotState> Store::slots(model::TenantId tenant, std::size_t limit) const {
  const auto in_heads = hot_slots(state_->visible, state_->catalog, tenant);
  const auto runs = state_->visible.runs();
  const std::int64_t width = state_->env.chunk_width_ms;
  std::map<model::Timestamp, SlotState, std::greater<>> found;
  const auto add_latest = [&](std::int64_t granularity_ms) {
    const auto [first, last] = model::TimeRange{};
    auto at = runs->slots.lower_bound({tenant, granularity_ms, last});
    for (std::size_t n = 0; n < limit && at != runs->slots.begin(); ++n) {
      const auto& [slot, of_slot] = *--at;
      if (slot.tenant != tenant || slot.granularity_ms != granularity_ms) break;
      found[slot.start] = state_of(*runs, slot, of_slot, width);
    }
  };
  add_latest(0);
  for (const std::int64_t stratum : runs->strata_ms()) add_latest(kStratumGranularity + stratum);
  for (const model::Timestamp start : in_heads) {
    const SlotKey home = runs->home_of({tenant, 0, start});
    const SlotState fresh{home.start, home.raw_range(width).last, SlotPhase::hot, 0, 0, 0, 0};
    found.try_emplace(home.start, fresh).first->second.phase = SlotPhase::hot;
  }
  std::vector<SlotState> list;
  for (const auto& [start, state] : found) {
    if (list.size() < limit) list.push_back(state);
  }
  return list;
}

std::vector<SlotState> Store::message_slots(model::TenantId tenant, std::size_t limit) const {
  constexpr std::int64_t kFirst = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();
  const View now = state_->visible.now();
  const std::int64_t width = state_->env.chunk_width_ms;
  std::map<model::Timestamp, SlotState, std::greater<>> found;
  for (auto at = now.runs->messages.lower_bound(before_messages(tenant)); at != now.runs->messages.end(); ++at) {
    const auto& [slot, of_slot] = *at;
    if (slot.tenant != tenant) break;
    SlotState of_class = state_of(*now.runs, slot, of_slot, width);
    if (now.runs->unsealed_messages().contains(slot)) of_class.phase = SlotPhase::pending;
    const auto [state, is_new] = found.try_emplace(slot.start, of_class);
    if (!is_new) add_class(state->second, of_class);
    if (found.size() > limit) found.erase(std::prev(found.end()));  // the earliest
  }
  for (const Head* const head : {now.head.get(), now.immutable.get()}) {
    if (head == nullptr) continue;
    for (const auto& fragment : head->messages.fragments(tenant, kFirst, kLast)) {
      SlotState& state = found[fragment.slot];
      state.start = fragment.slot;
      state.end = fragment.slot + width;
      state.phase = SlotPhase::hot;
    }
  }
  std::vector<SlotState> list;
  for (const auto& [start, state] : found) {
    if (list.size() < limit) list.push_back(state);
  }
  return list;
}

std::vector<storage::SetAsideWork> Store::set_aside() const {
  std::vector<storage::SetAsideWork> list;
  const std::int64_t now_ms = state_->env.clock.now_ms();
  const ReaderLock lock(state_->catalog.mutex);
  for (SetAside::Entry& entry : state_->maintenance.set_aside().list()) {
    storage::SetAsideWork work;
    work.tenant = entry.slot.tenant;
    work.slot = entry.slot.start;
    work.granularity_ms = entry.slot.is_raw() ? 0 : entry.slot.granularity_ms;
    work.work = entry.work == kMergeOfSlot ? "merge" : entry.work == kCoarseWindow ? "coarsen" : "seal";
    if (entry.work < kWorkNumbersFrom) work.series = describe(state_->catalog.index, entry.work);
    work.failures = entry.failures;
    work.retry_ms = now_ms + (entry.retry_ms - state_->env.steady_ms());
    work.error = std::move(entry.error);
    list.push_back(std::move(work));
  }
  return list;
}

void Store::trust_clock() { state_->env.expiry.trust(); }

}  // namespace varve::engine::rocksdb
