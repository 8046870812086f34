// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/settle/worker.h"

#include <algorithm>

#include "base/check.h"
#include "base/log.h"
#include "engine/cassandra/tables/spans.h"

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
    const Partitions beside = ownership.partitions_beside(*task);
    const bool is_first = !beside.empty() && beside.front() == task->turn.partition;
    Turn turn{When::quiet, alive, {}};
    if (const Status status = take(task->turn.partition, is_first ? beside : Partitions(), turn); !status) {
      log::warn("settling ended early", {{"partition", task->turn.partition}, {"error", status.error().message}});
    }
    // Lost meanwhile: somebody else does the same, which does no harm.
    if (const Status status = ownership.finish(*task); !status && status.error().code != Code::conflict) return status;
  }
  return {};
}

Status Worker::turn(std::uint32_t partition, const std::function<bool()>& alive) {
  Turn turn{When::quiet, alive, {}};
  return take(partition, {&partition, 1}, turn);
}

Result<storage::SettleReport> Worker::settle() {
  const MutexLock only_one(settling_);
  const std::function<bool()> alive = [] { return true; };
  Turn turn{When::ended, alive, {}};
  for (std::uint32_t partition = 0; partition < options_.partitions; ++partition)
    VARVE_RETURN_IF_ERROR(take(partition, {&partition, 1}, turn));
  return turn.report;
}

// What keeps one partition from being worked on keeps no other one: where they fail together each is by itself.
Status Worker::take(std::uint32_t partition, Partitions together, Turn& turn) {
  Status status = other_(partition, turn.when, turn.alive, turn.report);
  Status all = stages(together, turn);
  if (all) return status;
  if (together.size() == 1) return all;
  for (std::size_t i = 0; i < together.size(); ++i) {
    Status one = stages(together.subspan(i, 1), turn);
    if (!one && status) status = std::move(one);
  }
  return status;
}

Status Worker::stages(Partitions partitions, Turn& turn) {
  if (partitions.empty()) return {};
  for (std::size_t s = 0; s <= days(); ++s) VARVE_RETURN_IF_ERROR(stage(s, partitions, turn));
  return {};
}

// What has ended and is not quiet comes again with each question: it is asked for once.
Status Worker::stage(std::size_t stage, Partitions partitions, Turn& turn) {
  const std::size_t of_partition = stage == days() ? kDaysInTurn : kDueAtOnce;
  const std::size_t limit = turn.when == When::ended ? tracker::kNoLimit : of_partition * partitions.size();
  std::vector<Due> before;
  while (turn.alive()) {
    VARVE_ASSIGN_OR_RETURN(auto due, tracker(stage).due(clock_.now_ms(), partitions, limit, turn.when));
    const bool is_all = due.size() < limit || turn.when == When::ended || stage == days();
    if (stage == 0 && turn.when == When::quiet) leave_growing_days(due);
    plan_.sort_by_locality(due, together_ms(stage));
    const bool again = std::ranges::equal(due, before, {}, &Due::generation, &Due::generation);
    if (due.empty() || again) return {};  // the same again: somebody else has it, or it cannot be completed
    VARVE_RETURN_IF_ERROR(in_batches(stage, due, turn));
    if (is_all) return {};
    before = std::move(due);
  }
  return {};
}

// Slots of a day go into one row, and rollup blocks of a partition bucket into one partition, where several of a group
// are due.
std::int64_t Worker::together_ms(std::size_t stage) const {
  return stage == 0 || stage == days() ? stratum_ms(options_.slot_ms)
                                       : rollup_bucket_ms(trackers_.rollup_block_ms(stage - 1));
}

Status Worker::in_batches(std::size_t stage, std::span<const Due> dues, Turn& turn) {
  while (!dues.empty() && turn.alive()) {
    std::size_t count = 0, columns = 0;
    while (count < std::min(dues.size(), kWorksAtOnce)) {
      columns += plan_.columns(dues[count]);
      if (count > 0 && columns > (stage == days() ? kDayColumnsAtOnce : kColumnsAtOnce)) break;
      ++count;
    }
    check(count > 0, "a batch has due");
    const auto batch = dues.first(count);
    if (stage == days()) {
      VARVE_RETURN_IF_ERROR(widen(batch, turn));
    } else {
      VARVE_RETURN_IF_ERROR(stage == 0 ? seal(batch, turn) : make(stage - 1, batch, turn));
    }
    dues = dues.subspan(count);
  }
  return {};
}

Status Worker::seal(std::span<const Due> dues, Turn& turn) {
  std::vector<Due> late, timely;
  for (const Due& due : dues) (sealer_.is_late(plan_.kept(due), due.slot) ? late : timely).push_back(due);
  if (!late.empty()) VARVE_RETURN_IF_ERROR(make_late(late, turn));
  if (timely.empty()) return {};
  VARVE_RETURN_IF_ERROR(plan_.load_index(timely, options_.slot_ms, turn.when == When::ended));
  std::vector<SealWork> works;
  for (const Due& due : timely) works.push_back(plan_.seal_work(due));
  VARVE_ASSIGN_OR_RETURN(const auto sealed, sealer_.seal(works));
  check(sealed.size() == timely.size(), "each slot is sealed or says why not");
  std::vector<Due> good, widening;
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    if (!sealed[i].status) {
      VARVE_RETURN_IF_ERROR(set_aside(0, timely[i], sealed[i].status.error()));
      continue;
    }
    good.push_back(timely[i]);
    if (sealed[i].day_may_widen && widener_.is_wanted(works[i].group.cells)) widening.push_back(timely[i]);
    turn.report.chunks_written += sealed[i].made.chunks;
    turn.report.samples += sealed[i].made.samples;
    turn.report.bytes += sealed[i].made.bytes;
  }
  turn.report.slots_sealed += good.size();
  sealed_ += good.size();
  if (trackers_.levels() > 0) VARVE_RETURN_IF_ERROR(touch_finest(good, turn));
  VARVE_RETURN_IF_ERROR(touch_days(widening));
  return finish(0, good);
}

// All rollup blocks over them, finest first, before they are complete: until then their hot rows are read.
Status Worker::make_late(std::span<const Due> dues, Turn& turn) {
  std::vector<Due> good(dues.begin(), dues.end());
  for (std::size_t level = 0; level < trackers_.levels(); ++level) {
    VARVE_ASSIGN_OR_RETURN(good, make_late(level, good, turn));
  }
  return finish(0, good);
}

// Returns those whose rollup block could be made.
Result<std::vector<Worker::Due>> Worker::make_late(std::size_t level, std::span<const Due> dues, Turn& turn) {
  std::map<Key, std::size_t> numbers;
  std::vector<Due> blocks;
  std::vector<std::size_t> block_of;  // of each due
  for (const Due& due : dues) {
    Due block = due;
    block.slot = model::window_start(due.slot, trackers_.rollup_block_ms(level));
    const auto [at, is_new] = numbers.try_emplace({block.member, block.slot}, blocks.size());
    if (is_new) blocks.push_back(block);
    block_of.push_back(at->second);
  }
  VARVE_ASSIGN_OR_RETURN(const auto made, make_blocks(level, blocks, turn));
  std::vector<Due> good;
  for (std::size_t i = 0; i < dues.size(); ++i) {
    const Status& status = made[block_of[i]].status;
    if (status) {
      good.push_back(dues[i]);
    } else {
      VARVE_RETURN_IF_ERROR(set_aside(0, dues[i], status.error()));
    }
  }
  return good;
}

Status Worker::make(std::size_t level, std::span<const Due> dues, Turn& turn) {
  VARVE_ASSIGN_OR_RETURN(const auto made, make_blocks(level, dues, turn));
  std::vector<Due> good;
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (!made[i].status) {
      VARVE_RETURN_IF_ERROR(set_aside(level + 1, dues[i], made[i].status.error()));
      continue;
    }
    good.push_back(dues[i]);
    windows_ += made[i].windows;
  }
  if (level + 1 < trackers_.levels()) VARVE_RETURN_IF_ERROR(touch_coarser(level, good));
  return finish(level + 1, good);
}

Result<std::vector<MadeRollupBlock>> Worker::make_blocks(std::size_t level, std::span<const Due> dues, Turn& turn) {
  const bool finest = level == 0;
  if (finest) {
    VARVE_RETURN_IF_ERROR(plan_.load_index(dues, trackers_.rollup_block_ms(level), turn.when == When::ended));
  }
  std::vector<RollupBlockWork> works;
  for (const Due& due : dues) works.push_back(plan_.rollup_block_work(due, finest));
  VARVE_ASSIGN_OR_RETURN(auto made, maker_.make(level, works));
  check(made.size() == dues.size(), "each rollup block is made or says why not");
  return made;
}

// Also those of other groups that leave out what this one counts. The index is looked at once more: a group that was
// announced since the samples were read may have made its rollup block without them.
Status Worker::touch_finest(std::span<const Due> dues, Turn& turn) {
  VARVE_RETURN_IF_ERROR(plan_.load_index(dues, options_.slot_ms, turn.when == When::ended));
  std::vector<tracker::Touch> touches;
  for (const Due& due : dues) {
    const Timestamp block = model::window_start(due.slot, trackers_.rollup_block_ms(0));
    for (const WorkPlan::Place& place : plan_.dependants(due))
      touches.push_back({place.member, place.partition, block});
  }
  return trackers_.rollup_blocks(0).touch(touches, clock_.now_ms());
}

// Each rollup block lies in one coarser rollup block (spans.h).
Status Worker::touch_coarser(std::size_t level, std::span<const Due> dues) {
  check(level + 1 < trackers_.levels(), "there is a coarser granularity");
  const std::int64_t coarser_ms = trackers_.rollup_block_ms(level + 1);
  check(coarser_ms % trackers_.rollup_block_ms(level) == 0, "a coarser rollup block holds whole finer ones");
  std::vector<tracker::Touch> touches;
  for (const Due& due : dues) {
    touches.push_back({due.member, due.partition, model::window_start(due.slot, coarser_ms)});
  }
  return trackers_.rollup_blocks(level + 1).touch(touches, clock_.now_ms());
}

Status Worker::finish(std::size_t stage, std::span<const Due> dues) {
  if (dues.empty()) return {};
  VARVE_RETURN_IF_ERROR(tracker(stage).complete_all(dues));
  const MutexLock lock(mutex_);
  check(stage < errors_.size(), "a stage that there is");
  if (errors_[stage].empty()) return {};
  for (const Due& due : dues) errors_[stage].erase({due.member, due.slot});
  return {};
}

Status Worker::set_aside(std::size_t stage, const Due& due, const Error& error) {
  {
    const MutexLock lock(mutex_);
    auto& errors = errors_[stage];
    if (errors.size() >= kErrorsMax) errors.clear();
    if (errors.insert_or_assign({due.member, due.slot}, error.message).second) {
      const char* const failed = stage == 0        ? "a slot cannot be sealed"
                                 : stage == days() ? "the sealed rows of a day cannot be merged"
                                                   : "windows cannot be made";
      log::error(failed, {{"series", plan_.shown(due.member)}, {"slot", due.slot}, {"error", error.message}});
    }
  }
  return tracker(stage).fail(due, clock_.now_ms());
}

Result<storage::SlotCounts> Worker::counts() const {
  storage::SlotCounts counts;
  for (std::size_t stage = 0; stage <= days(); ++stage) {
    VARVE_ASSIGN_OR_RETURN(const tracker::Counts of, tracker(stage).counts());
    if (stage < days()) (stage == 0 ? counts.pending : counts.rollup_blocks_pending) += of.pending;
    counts.set_aside += of.set_aside;
  }
  counts.sealed = sealed_;
  counts.windows = windows_;
  return counts;
}

Result<std::vector<storage::SetAsideWork>> Worker::set_aside() const {
  std::vector<storage::SetAsideWork> list;
  for (std::size_t stage = 0; stage <= days(); ++stage) {
    VARVE_ASSIGN_OR_RETURN(const auto found, tracker(stage).set_aside(kShownMax));
    const MutexLock lock(mutex_);
    for (const tracker::SetAside& one : found) {
      const auto error = errors_[stage].find({one.member, one.slot});
      const bool of_windows = stage > 0 && stage < days();
      list.push_back({one.member.tenant, one.slot, of_windows ? maker_.width_ms(stage - 1) : 0,
                      of_windows   ? "coarsen"
                      : stage == 0 ? "seal"
                                   : "merge",
                      plan_.shown(one.member), one.failures, one.retry_ms,
                      error == errors_[stage].end() ? "" : error->second});
    }
  }
  return list;
}

}  // namespace varve::engine::cassandra
