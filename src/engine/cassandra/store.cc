// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/store.h"

#include <algorithm>
#include <map>

#include "base/check.h"
#include "base/mutex.h"
#include "engine/cassandra/replica_parts.h"
#include "model/time_ranges.h"

namespace varve::engine::cassandra {

struct Store::State : ReplicaParts {
  using ReplicaParts::ReplicaParts;

  Mutex erasing;
  Mutex mutex;
  Condition idle;
  std::size_t appends VARVE_GUARDED_BY(mutex) = 0;  // under way
  storage::SlotCounts counts VARVE_GUARDED_BY(mutex);

  // The latest of these pending slots first.
  [[nodiscard]] std::vector<storage::SlotState> states_of(std::span<const model::Timestamp> starts,
                                                          std::size_t limit) const {
    std::vector<storage::SlotState> list;
    const std::int64_t now_ms = servers.clock.now_ms();
    for (auto slot = starts.rbegin(); slot != starts.rend() && list.size() < limit; ++slot) {
      const model::Timestamp end = *slot + slot_ms;
      list.push_back({*slot, end, end > now_ms ? storage::SlotPhase::hot : storage::SlotPhase::pending, 0, 0, 0, 0});
    }
    return list;
  }
};

Store::Store(const Options& options, const SharedServers& servers)
    : state_(std::make_unique<State>(options, servers)) {}

Store::~Store() {
  state_->message_watch.close();
  state_->missed_touches.close();
  {
    const MutexLock lock(state_->mutex);
    while (state_->appends > 0) state_->idle.wait(state_->mutex);
  }
  state_->watermark.close();
}

storage::SeriesStore& Store::series() { return state_->series; }

Result<std::uint64_t> Store::delete_messages(std::string_view tenant, std::int64_t first_us, std::int64_t last_us,
                                             const message::Condition& condition, const storage::GoOn& go_on) {
  return state_->message_eraser.erase(tenant, first_us, last_us, condition, go_on);
}

std::function<void(Status)> Store::counted(std::function<void(Status)> done) {
  State* const state = state_.get();
  {
    const MutexLock lock(state->mutex);
    ++state->appends;
  }
  return [state, done = std::move(done)](Status status) {
    done(std::move(status));
    const MutexLock lock(state->mutex);
    check(state->appends > 0, "an append ends once");
    if (--state->appends == 0) state->idle.notify_all();
  };
}

void Store::append(const model::RowBatch& batch, storage::SampleStore::AppendDone done) {
  const auto append = [this](const model::RowBatch& fitting, storage::SampleStore::AppendDone fitting_done) {
    state_->appender.append(fitting, std::move(fitting_done));
  };
  storage::append_fitting(state_->series.directory().row_check(), batch, counted(std::move(done)), append);
}

void Store::append_messages(std::string_view tenant, const message::Batch& batch,
                            storage::MessageStore::AppendDone done) {
  state_->message_appender.append(tenant, batch, counted(std::move(done)));
}

Result<std::vector<storage::MessagePart>> Store::message_parts(std::string_view tenant, std::int64_t first_us,
                                                               std::int64_t last_us) const {
  return state_->message_reader.parts(tenant, first_us, last_us);
}

Result<storage::MessageNames> Store::message_names(std::string_view tenant) const {
  return state_->message_reader.names(tenant);
}

storage::MessageArrivals* Store::arrivals_elsewhere() { return &state_->message_watch; }

Status Store::scan(model::TenantId tenant, std::span<const model::SeriesId> series, const storage::ScanOptions& options,
                   storage::PieceSink& sink) {
  return state_->scanner.scan(tenant, series, options, sink);
}

Result<storage::EraseReport> Store::erase(model::TenantId tenant, std::span<const model::SeriesId> series,
                                          model::TimeRange range, const std::atomic<bool>* cancelled) {
  const MutexLock only_one(state_->erasing);
  storage::EraseReport report;
  if (series.empty() || range.empty()) return report;
  // What is gone already is not found again: the report adds up.
  const auto try_once = [&] { return try_erase(tenant, series, range, cancelled, report); };
  VARVE_RETURN_IF_ERROR(patiently(state_->options.patience, try_once));
  return report;
}

Status Store::try_erase(model::TenantId tenant, std::span<const model::SeriesId> series, model::TimeRange range,
                        const std::atomic<bool>* cancelled, storage::EraseReport& report) {
  State& s = *state_;
  VARVE_ASSIGN_OR_RETURN(const TimeRanges active, s.scanner.active(tenant, series, range, {cancelled, 0}));
  VARVE_ASSIGN_OR_RETURN(const Pending pending, s.pending.pending(tenant, range));
  std::map<model::GroupId, std::vector<std::uint16_t>> groups;
  s.series.directory().read([&](const index::SeriesIndex& index) {
    std::vector<index::Place> places;
    for (const model::SeriesId one : series) {
      if (index.series_tenant(one) != tenant) continue;
      index.places(one, places);
      for (const index::Place& place : places) groups[place.group].push_back(place.column);
    }
    return 0;
  });
  for (auto& [group, columns] : groups) {
    std::ranges::sort(columns);
    VARVE_RETURN_IF_ERROR(
        erase_group(tenant, group, columns, model::without_limits(range), active, pending.slots, cancelled, report));
  }
  return {};
}

Status Store::erase_group(model::TenantId tenant, model::GroupId group, std::vector<std::uint16_t> columns,
                          model::TimeRange range, const std::vector<model::TimeRange>& active,
                          std::span<const model::Timestamp> hot, const std::atomic<bool>* cancelled,
                          storage::EraseReport& report) {
  State& s = *state_;
  const std::uint32_t partition = s.series.directory().name(group).partition;
  const EraseWork work{group_ref(s.series.directory(), group), std::move(columns)};
  // Others that share a series with it count what it no longer has.
  const auto touch = [&](const EraseWork&, std::size_t level, model::Timestamp start) -> Status {
    std::vector<tracker::Touch> touches;
    for (const auto& place : s.plan.dependants({{tenant, model::to_int(group)}, partition, start, 0, 0})) {
      touches.push_back({place.member, place.partition, start});
    }
    return s.pending.rollup_blocks(level).touch(touches, s.servers.clock.now_ms());
  };
  const auto rollup_block_work = [&](std::size_t level, model::Timestamp start) -> Result<RollupBlockWork> {
    const tracker::Due due{{tenant, model::to_int(group)}, partition, start, 0, 0};
    if (level == 0) VARVE_RETURN_IF_ERROR(s.plan.load_index({&due, 1}, s.pending.rollup_block_ms(0), true));
    return s.plan.rollup_block_work(due, level == 0);
  };
  return s.eraser.erase(work, range, active, hot, {touch, rollup_block_work}, cancelled, report);
}

Result<storage::SettleReport> Store::settle() {
  return patiently(state_->options.patience, [this] { return state_->worker.settle(); });
}

std::uint64_t Store::hot_slots_dropped() const { return state_->dropper.slots_dropped(); }

std::size_t Store::series_met() const {
  return state_->series.directory().read([](const index::SeriesIndex& index) { return index.series_end(); });
}

storage::SlotCounts Store::slot_counts() const {
  const MutexLock lock(state_->mutex);
  return state_->counts;
}

std::vector<storage::SetAsideWork> Store::set_aside() const {
  auto list = state_->worker.set_aside().value_or(std::vector<storage::SetAsideWork>{});
  const auto messages = state_->message_worker.set_aside();
  if (messages) list.insert(list.end(), messages->begin(), messages->end());
  return list;
}

std::vector<storage::SlotState> Store::slots(model::TenantId tenant, std::size_t limit) const {
  const auto pending = state_->pending.pending(tenant, {});
  return pending ? state_->states_of(pending->slots, limit) : std::vector<storage::SlotState>();
}

std::vector<storage::SlotState> Store::message_slots(model::TenantId tenant, std::size_t limit) const {
  const auto pending = state_->message_worker.pending_slots(tenant);
  return pending ? state_->states_of(*pending, limit) : std::vector<storage::SlotState>();
}

Status Store::listen() {
  const Status heard = state_->series.listen();
  const Status marked = state_->mark.write(state_->servers.clock.now_ms());
  const Status recovered = state_->missed_touches.turn();
  const auto counts = state_->worker.counts();
  {
    const MutexLock lock(state_->mutex);
    state_->counts.clock_jumps = state_->trackers->clock_jumps();
  }
  if (const auto messages = state_->message_worker.counts(); counts && messages) {
    const MutexLock lock(state_->mutex);
    const std::uint64_t jumps = state_->counts.clock_jumps;
    state_->counts = *counts;
    state_->counts.clock_jumps = jumps;
    state_->counts.pending += messages->pending;
    state_->counts.set_aside += messages->set_aside;
    state_->counts.sealed += state_->message_worker.sealed();
  }
  for (const Status* const status : {&heard, &marked}) {
    if (!*status) return *status;
  }
  return recovered;
}

Status Store::renew() { return state_->watermark.renew(); }

double Store::watermark_age_s() const {
  return static_cast<double>(state_->servers.clock.now_ms() * 1000 - state_->watermark.reached_us()) / 1e6;
}

void Store::tell_heard() { state_->missed_touches.tell_heard(); }

Status Store::work(tracker::Ownership& ownership, const std::function<bool()>& may_go_on) {
  if (!state_->options.rolls_up) return {};
  VARVE_RETURN_IF_ERROR(state_->worker.run(ownership, may_go_on));
  const auto own = ownership.partitions();
  const bool is_first = std::ranges::find(own, 0U) != own.end();
  if (!is_first || !state_->options.drops_hot_rows) return {};
  Status dropped = state_->dropper.run_when_due(may_go_on);
  VARVE_RETURN_IF_ERROR(state_->message_worker.drop_when_due(may_go_on));
  return dropped;
}

}  // namespace varve::engine::cassandra
