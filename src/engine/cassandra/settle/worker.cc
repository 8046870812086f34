// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/settle/worker.h"

#include <algorithm>

#include "base/check.h"
#include "base/log.h"
#include "engine/shared/stored_for.h"

namespace varve::engine::cassandra {

using model::Timestamp;
using tracker::When;

namespace {

constexpr std::size_t kErrorsMax = 1000;  // that are kept for people
constexpr std::size_t kShownMax = 1000;

}  // namespace

Status Worker::run(tracker::Ownership& ownership, const std::function<bool()>& may_go_on) {
  const auto alive = [&] {
    ownership.heartbeat();
    return may_go_on();
  };
  while (may_go_on()) {
    VARVE_ASSIGN_OR_RETURN(const auto task, ownership.next());
    if (!task) return {};
    if (const Status status = turn(task->turn.partition, alive); !status) {
      log::warn("settling ended early", {{"partition", task->turn.partition}, {"error", status.error().message}});
    }
    // Lost meanwhile: somebody else does the same, which does no harm.
    if (const Status status = ownership.finish(*task); !status && status.error().code != Code::conflict) return status;
  }
  return {};
}

Status Worker::turn(std::uint32_t partition, const std::function<bool()>& alive) {
  Turn turn{When::quiet, alive, {}};
  return take(partition, turn);
}

Result<storage::SettleReport> Worker::settle() {
  const MutexLock only_one(settling_);
  const std::function<bool()> alive = [] { return true; };
  Turn turn{When::ended, alive, {}};
  for (std::uint32_t partition = 0; partition < options_.partitions; ++partition)
    VARVE_RETURN_IF_ERROR(take(partition, turn));
  return turn.report;
}

Status Worker::take(std::uint32_t partition, Turn& turn) {
  for (std::size_t s = 0; s <= trackers_.levels(); ++s) VARVE_RETURN_IF_ERROR(stage(s, partition, turn));
  return {};
}

// What has ended and is not quiet comes again with each question: it is asked for once.
Status Worker::stage(std::size_t stage, std::uint32_t partition, Turn& turn) {
  const std::size_t limit = turn.when == When::ended ? tracker::kNoLimit : kDueAtOnce;
  std::vector<Due> before;
  while (turn.alive()) {
    VARVE_ASSIGN_OR_RETURN(auto due, tracker(stage).due(clock_.now_ms(), {&partition, 1}, limit, turn.when));
    works_.put_together(due);
    const bool again = std::ranges::equal(due, before, {}, &Due::generation, &Due::generation);
    if (due.empty() || again) return {};  // the same again: somebody else has it, or it cannot be completed
    VARVE_RETURN_IF_ERROR(in_batches(stage, due, turn));
    if (due.size() < limit || turn.when == When::ended) return {};
    before = std::move(due);
  }
  return {};
}

Status Worker::in_batches(std::size_t stage, std::span<const Due> works, Turn& turn) {
  while (!works.empty() && turn.alive()) {
    std::size_t count = 0, columns = 0;
    while (count < std::min(works.size(), kWorksAtOnce)) {
      columns += works_.columns(works[count]);
      if (count > 0 && columns > kColumnsAtOnce) break;
      ++count;
    }
    check(count > 0, "a batch has work");
    const auto batch = works.first(count);
    VARVE_RETURN_IF_ERROR(stage == 0 ? seal(batch, turn) : make(stage - 1, batch, turn));
    works = works.subspan(count);
  }
  return {};
}

// Too old to be sealed, or nearly.
bool Worker::is_late(Timestamp slot) const {
  return shared::is_kept(slot + options_.slot_ms, options_.samples_stored_ms, clock_.now_ms(), kGoneMarginMs) !=
         shared::Kept::kept;
}

Status Worker::seal(std::span<const Due> dues, Turn& turn) {
  std::vector<Due> late, timely;
  for (const Due& due : dues) (is_late(due.slot) ? late : timely).push_back(due);
  if (!late.empty()) VARVE_RETURN_IF_ERROR(make_late(late, turn));
  if (timely.empty()) return {};
  std::vector<SealWork> works;
  for (const Due& due : timely) {
    VARVE_RETURN_IF_ERROR(works_.know({&due, 1}, {due.slot, due.slot + options_.slot_ms}, turn.when == When::ended));
    works.push_back(works_.seal(due));
  }
  VARVE_ASSIGN_OR_RETURN(const auto sealed, sealer_.seal(works));
  check(sealed.size() == timely.size(), "each slot is sealed or says why not");
  std::vector<Due> good;
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    if (!sealed[i].status) {
      VARVE_RETURN_IF_ERROR(give_up(0, timely[i], sealed[i].status.error()));
      continue;
    }
    good.push_back(timely[i]);
    turn.report.chunks_written += sealed[i].chunks;
    turn.report.samples += sealed[i].samples;
    turn.report.bytes += sealed[i].bytes;
  }
  turn.report.slots_sealed += good.size();
  sealed_ += good.size();
  if (trackers_.levels() > 0) VARVE_RETURN_IF_ERROR(touch_finest(good, turn));
  return finish(0, good);
}

// All units over them, finest first, before they are complete: until then their hot rows are read.
Status Worker::make_late(std::span<const Due> dues, Turn& turn) {
  std::vector<Due> good(dues.begin(), dues.end());
  for (std::size_t level = 0; level < trackers_.levels(); ++level) {
    VARVE_ASSIGN_OR_RETURN(good, make_late(level, good, turn));
  }
  return finish(0, good);
}

// Returns those of which it could be made.
Result<std::vector<Worker::Due>> Worker::make_late(std::size_t level, std::span<const Due> dues, Turn& turn) {
  const std::int64_t unit_ms = trackers_.unit_ms(level);
  std::map<Key, std::size_t> units;
  std::vector<UnitWork> works;
  for (const Due& due : dues) {
    Due unit = due;
    unit.slot = model::window_start(due.slot, unit_ms);
    if (!units.try_emplace({unit.member, unit.slot}, works.size()).second) continue;
    if (level == 0) {
      VARVE_RETURN_IF_ERROR(works_.know({&unit, 1}, {unit.slot, unit.slot + unit_ms}, turn.when == When::ended));
    }
    works.push_back(works_.unit(unit, level == 0));
  }
  VARVE_ASSIGN_OR_RETURN(const auto made, maker_.make(level, works));
  std::vector<Due> good;
  for (const Due& due : dues) {
    const MadeUnit& unit = made[units.at({due.member, model::window_start(due.slot, unit_ms)})];
    if (unit.status) {
      good.push_back(due);
    } else {
      VARVE_RETURN_IF_ERROR(give_up(0, due, unit.status.error()));
    }
  }
  return good;
}

Status Worker::make(std::size_t level, std::span<const Due> dues, Turn& turn) {
  const std::int64_t unit_ms = trackers_.unit_ms(level);
  if (level == 0) {
    for (const Due& due : dues) {
      VARVE_RETURN_IF_ERROR(works_.know({&due, 1}, {due.slot, due.slot + unit_ms}, turn.when == When::ended));
    }
  }
  std::vector<UnitWork> works;
  for (const Due& due : dues) works.push_back(works_.unit(due, level == 0));
  VARVE_ASSIGN_OR_RETURN(const auto made, maker_.make(level, works));
  check(made.size() == dues.size(), "each unit is made or says why not");
  std::vector<Due> good;
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (!made[i].status) {
      VARVE_RETURN_IF_ERROR(give_up(level + 1, dues[i], made[i].status.error()));
      continue;
    }
    good.push_back(dues[i]);
    windows_ += made[i].windows;
  }
  if (level + 1 < trackers_.levels()) VARVE_RETURN_IF_ERROR(touch_coarser(level, good));
  return finish(level + 1, good);
}

// Also those of other groups that leave out what this one counts.
Status Worker::touch_finest(std::span<const Due> dues, Turn& turn) {
  std::vector<tracker::Touch> touches;
  for (const Due& due : dues) {
    VARVE_RETURN_IF_ERROR(works_.know({&due, 1}, {due.slot, due.slot + options_.slot_ms}, turn.when == When::ended));
    const Timestamp unit = model::window_start(due.slot, trackers_.unit_ms(0));
    for (const Works::Place& place : works_.concerned(due)) touches.push_back({place.member, place.partition, unit});
  }
  return trackers_.units(0).touch(touches, clock_.now_ms());
}

// One unit lies in one coarser unit (spans.h).
Status Worker::touch_coarser(std::size_t level, std::span<const Due> dues) {
  check(level + 1 < trackers_.levels(), "there is a coarser granularity");
  const std::int64_t coarser = trackers_.unit_ms(level + 1);
  std::vector<tracker::Touch> touches;
  for (const Due& due : dues) {
    touches.push_back({due.member, due.partition, model::window_start(due.slot, coarser)});
  }
  return trackers_.units(level + 1).touch(touches, clock_.now_ms());
}

Status Worker::finish(std::size_t stage, std::span<const Due> works) {
  if (works.empty()) return {};
  VARVE_RETURN_IF_ERROR(tracker(stage).complete_all(works));
  const MutexLock lock(mutex_);
  if (errors_[stage].empty()) return {};
  for (const Due& work : works) errors_[stage].erase({work.member, work.slot});
  return {};
}

Status Worker::give_up(std::size_t stage, const Due& work, const Error& error) {
  {
    const MutexLock lock(mutex_);
    auto& errors = errors_[stage];
    if (errors.size() >= kErrorsMax) errors.clear();
    if (errors.insert_or_assign({work.member, work.slot}, error.message).second) {
      log::error(stage == 0 ? "a slot cannot be sealed" : "windows cannot be made",
                 {{"series", works_.shown(work.member)}, {"slot", work.slot}, {"error", error.message}});
    }
  }
  return tracker(stage).fail(work, clock_.now_ms());
}

Result<storage::SlotCounts> Worker::counts() const {
  storage::SlotCounts counts;
  for (std::size_t stage = 0; stage <= trackers_.levels(); ++stage) {
    VARVE_ASSIGN_OR_RETURN(const tracker::Counts of, tracker(stage).counts());
    (stage == 0 ? counts.pending : counts.units_pending) += of.pending;
    counts.set_aside += of.set_aside;
  }
  counts.sealed = sealed_;
  counts.windows = windows_;
  return counts;
}

Result<std::vector<storage::SetAsideWork>> Worker::set_aside() const {
  std::vector<storage::SetAsideWork> list;
  for (std::size_t stage = 0; stage <= trackers_.levels(); ++stage) {
    VARVE_ASSIGN_OR_RETURN(const auto found, tracker(stage).set_aside(kShownMax));
    const MutexLock lock(mutex_);
    for (const tracker::SetAside& one : found) {
      const auto error = errors_[stage].find({one.member, one.slot});
      list.push_back({one.member.tenant, one.slot, stage == 0 ? 0 : maker_.width_ms(stage - 1),
                      stage == 0 ? "seal" : "coarsen", works_.shown(one.member), one.failures, one.retry_ms,
                      error == errors_[stage].end() ? "" : error->second});
    }
  }
  return list;
}

}  // namespace varve::engine::cassandra
