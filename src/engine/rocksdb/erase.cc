// SPDX-License-Identifier: Apache-2.0
// Erase: samples go by being left out when their slots are written again; no query ever sees a tombstone.
//
// First everything is flushed, so that what is to go lies in runs up to a number N. Then, stretch of time after
// stretch, the raw slots that hold some of it are written again, and the level slots with their windows; each stretch
// is one commit, so at any moment windows and samples say the same. Meanwhile only flushes change the runs of this
// tenant: what they write has higher numbers than N, and is not touched. Between two stretches other tenants' slots are
// merged, sealed and so on. docs/decisions/0012-deletes-rewrite.md.
#include "engine/rocksdb/erase.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "base/log.h"
#include "engine/rocksdb/erase/edge_windows.h"
#include "engine/rocksdb/erase/slot_erasers.h"
#include "engine/rocksdb/runs/level_slots.h"
#include "engine/rocksdb/runs/strata.h"
#include "engine/rocksdb/settle/rollup_writer.h"

namespace varve::engine::rocksdb {
namespace {

constexpr std::uint64_t kCompactBytes = std::uint64_t{4} << 20;  // less than that is not worth a compaction of its own

// What batches begin and end at: no window and no slot lies in two of them.
std::int64_t batch_align_ms(const Runs& runs, const rollup::Levels& rollups, std::int64_t chunk_width_ms) {
  std::int64_t align =
      rollups.levels.empty() ? chunk_width_ms : std::max(chunk_width_ms, rollups.levels.back().width_ms);
  for (const std::int64_t stratum : runs.strata_ms()) align = std::lcm(align, stratum);
  return align;
}

// The stretches of time, ascending, in which the tenant has samples or windows that overlap the range.
std::vector<model::TimeRange> batches_of(const Runs& runs, const Erasure& erasure, const Env& env,
                                         std::int64_t align_ms) {
  const std::int64_t chunk_width_ms = env.chunk_width_ms;
  std::map<model::Timestamp, std::uint64_t> bytes;  // of raw runs, by start
  const auto range = erasure.range();
  for (auto at = runs.slots.lower_bound({erasure.tenant(), 0, std::numeric_limits<model::Timestamp>::min()});
       at != runs.slots.end() && at->first.tenant == erasure.tenant(); ++at) {
    const auto& [slot, of_slot] = *at;
    if (slot.is_raw()) {
      if (of_slot.runs.empty() || !erasure.range().overlaps(slot.raw_range(chunk_width_ms))) continue;
      auto& sum = bytes[model::window_start(slot.start, align_ms)];
      for (const auto& run : of_slot.runs) sum += run->bytes;
      continue;
    }
    for (const auto& run : of_slot.runs) {
      const auto first = std::max(run->first_time, model::window_start(range.first, slot.granularity_ms));
      const auto last = std::min(run->last_time, range.last - 1);
      for (auto start = model::window_start(first, align_ms); start <= last; start += align_ms) bytes[start] += 0;
    }
  }
  std::vector<model::TimeRange> batches;
  std::uint64_t open = 0;  // bytes of the last batch
  for (const auto& [start, size] : bytes) {
    if (batches.empty() || open + size > env.options.erase_step_bytes) {
      batches.push_back({start, start + align_ms});
      open = 0;
    }
    check(batches.back().last <= start + align_ms, "batches ascend");
    batches.back().last = start + align_ms;
    open += size;
  }
  return batches;
}

std::vector<SlotKey> slots_of(const Runs& runs, model::TenantId tenant) {
  std::vector<SlotKey> slots;
  for (auto at = runs.slots.lower_bound({tenant, 0, std::numeric_limits<model::Timestamp>::min()});
       at != runs.slots.end() && at->first.tenant == tenant; ++at) {
    slots.push_back(at->first);
  }
  return slots;
}

// A raw slot that holds nothing any more needs no mark.
void unmark_empty(const Runs& runs, Database::Commit& commit) {
  std::map<SlotKey, std::size_t> left;
  for (const auto& run : commit.removed) {
    const SlotKey home = runs.home_of(run->key.slot);
    --left.try_emplace(home, runs.slots.at(home).runs.size()).first->second;
  }
  for (const auto& run : commit.added) ++left[runs.home_of(run->key.slot)];
  for (const auto& [slot, count] : left) {
    if (slot.is_raw() && count == 0 && !runs.slots.at(slot).mark.dropped) commit.marks.emplace_back(slot, Mark{});
  }
}

// Nobody makes windows anew of granularities that are not configured any more: where samples that they hold are erased,
// they are made again if they come back. Where those samples are gone, what is left of the windows stays.
void forget_former_windows(const JobContext& job, const EraseContext& context, Database::Commit& commit) {
  const auto& levels = job.env.options.rollups.levels;
  const auto is_former = [&](std::int64_t width) {
    return std::ranges::find(levels, width, &rollup::Level::width_ms) == levels.end();
  };
  const Runs& runs = *context.runs;
  for (auto at = runs.slots.lower_bound({context.erasure.tenant(), 0, context.batch.first}); at != runs.slots.end();
       ++at) {
    const auto& [slot, of_slot] = *at;
    if (slot.tenant != context.erasure.tenant()) break;
    if (!context.batch.contains(slot.start)) continue;
    const auto range = slot.is_raw() ? slot.raw_range(job.env.chunk_width_ms)
                                     : model::TimeRange{slot.start, slot.start + slot.granularity_ms};
    if (!context.erasure.range().overlaps(range)) continue;
    Mark mark = of_slot.mark;
    if (slot.is_raw()) {
      if (!mark.dropped) std::erase_if(mark.granularities_ms, is_former);
    } else if (is_former(slot.granularity_ms) && !any_dropped(runs, slot.tenant, range, job.env.chunk_width_ms)) {
      mark = {};
    }
    if (mark != of_slot.mark) commit.marks.emplace_back(slot, std::move(mark));
  }
}

// Nothing is known any more of what is erased over all time.
void forget_stats(const Erasure& erasure, StatsChanges& stats) {
  for (const std::uint32_t series : erasure.series()) stats.forget(model::SeriesId{series});
}

std::uint64_t bytes_of(const RunList& runs) {
  std::uint64_t bytes = 0;
  for (const auto& run : runs) bytes += run->bytes;
  return bytes;
}

// Adds to `freed` what it gave back.
Status commit_erase(Tables& tables, Change change, Database::Draft& draft, Freed& freed) {
  const Database::Commit& what = change.commit;
  const bool same_runs = what.removed.empty() && what.added.empty() && what.edited.empty();
  if (same_runs && what.marks.empty() && change.stats.empty()) return {};
  change.what = "erase";
  change.empties_series = true;
  const std::uint64_t gone = bytes_of(what.removed) - std::min(bytes_of(what.removed), bytes_of(what.added));
  const RunList removed = what.removed;
  VARVE_RETURN_IF_ERROR(tables.commit(std::move(change), draft));
  freed.bytes += gone;
  freed.runs.insert(freed.runs.end(), removed.begin(), removed.end());
  return {};
}

// Everything of a tenant: its runs and marks, unread.
Status erase_tenant(const JobContext& job, const Erasure& erasure, storage::EraseReport& report, Freed& freed) {
  const auto current = job.tables.runs();
  Change change;
  Database::Commit& commit = change.commit;
  for (const SlotKey& slot : slots_of(*current, erasure.tenant())) {
    const Runs::OfSlot& of_slot = current->slots.at(slot);
    commit.removed.insert(commit.removed.end(), of_slot.runs.begin(), of_slot.runs.end());
    if (of_slot.mark != Mark{}) commit.marks.emplace_back(slot, Mark{});
    job.set_aside.forget(slot);
    if (!slot.is_raw() || of_slot.runs.empty()) continue;
    ++report.slots;
    for (const auto& run : of_slot.runs) report.samples += run->samples;
  }
  forget_stats(erasure, change.stats);
  Database::Draft nothing(job.tables.database());
  return commit_erase(job.tables, std::move(change), nothing, freed);
}

Status erase_batch(const JobContext& job, const EraseContext& context, std::uint64_t raw_number, Change& change,
                   storage::EraseReport& report) {
  Database::Commit& commit = change.commit;
  RawEraser raw(context, raw_number);
  const auto slots = slots_of(*context.runs, context.erasure.tenant());
  for (const SlotKey& slot : slots) {
    if (!slot.is_raw() || !context.batch.contains(slot.start)) continue;
    if (!context.erasure.range().overlaps(slot.raw_range(job.env.chunk_width_ms))) continue;
    VARVE_RETURN_IF_ERROR(raw.slot(slot, commit, report));
  }
  EdgeWindows edges(context);
  VARVE_RETURN_IF_ERROR(edges.find(raw.touched()));
  LevelEraser levels(context, edges, job.tables.numbers().draw());
  for (const SlotKey& slot : slots) {
    if (!slot.is_raw()) VARVE_RETURN_IF_ERROR(levels.slot(slot, commit));
  }
  RollupWriter writer(context.draft, job.env.chunk_width_ms, job.tables.numbers());
  VARVE_RETURN_IF_ERROR(edges.write(writer));
  VARVE_ASSIGN_OR_RETURN(const auto made, writer.finish());
  for (const auto& run : made) {
    // They are not news to the granularities made of them: those were folded, too.
    Run as_known = *run;
    const auto known = context.runs->slots.find(run->key.slot);
    if (known != context.runs->slots.end()) as_known.content = known->second.content();
    commit.added.push_back(std::make_shared<const Run>(std::move(as_known)));
  }
  for (const auto& [series, points] : raw.lost()) change.stats.subtract(model::SeriesId{series}, points);
  keep_coarse_fresh(job.env, *context.runs, commit);
  forget_former_windows(job, context, commit);
  unmark_empty(*context.runs, commit);
  return context.draft.flush();  // before anything is committed: a full disk refuses all of it
}

// Blocks that were erased take room until they are compacted away.
void give_back(Database& database, const RunList& erased) {
  if (auto status = database.compact(erased); !status) {
    log::warn("the room of what was deleted is not given back yet", {{"error", status.error().message}});
  }
}

Status check_cancelled(const std::atomic<bool>* cancelled) {
  if (cancelled == nullptr || !cancelled->load(std::memory_order_relaxed)) return {};
  return fail(Code::cancelled, "the delete was cancelled");
}

}  // namespace

Status Erase::run(const JobContext& job, Flush& flush, const std::function<void()>& between) {
  VARVE_RETURN_IF_ERROR(job.tables.finish_commit());
  // What is acknowledged later is not touched: it comes with flushes after these.
  MutexLock flushing(flush.mutex);
  VARVE_RETURN_IF_ERROR(flush.all_locked());
  const Erasure erasure(job.catalog, tenant_, series_, range_);
  const std::uint64_t raw_number = job.tables.numbers().draw();
  const model::TimeRange all;
  const bool for_ever = range_.first <= all.first && range_.last >= all.last;
  const std::uint64_t first_segment = job.tables.flushed_below();
  if (for_ever && erasure.whole_tenant()) {
    VARVE_RETURN_IF_ERROR(job.env.step("erase.begin"));
    VARVE_RETURN_IF_ERROR(erase_tenant(job, erasure, report_, freed_));
  } else {
    flushing.unlock();
    VARVE_RETURN_IF_ERROR(job.env.step("erase.begin"));
    VARVE_RETURN_IF_ERROR(rewrite(job, erasure, raw_number, between));
    flushing.lock();
    if (for_ever && job.tables.flushed_below() == first_segment) {  // nothing came meanwhile
      Change change;
      forget_stats(erasure, change.stats);
      Database::Draft nothing(job.tables.database());
      VARVE_RETURN_IF_ERROR(commit_erase(job.tables, std::move(change), nothing, freed_));
    }
  }
  flushing.unlock();
  if (auto status = job.tables.database().erase_garbage(); !status) {
    log::warn("blocks of what was deleted are erased later", {{"error", status.error().message}});
  }
  return {};
}

Status Erase::rewrite(const JobContext& job, const Erasure& erasure, std::uint64_t raw_number,
                      const std::function<void()>& between) {
  const auto pause = [this] { return check_cancelled(cancelled_); };
  const auto before = job.tables.runs();
  const std::int64_t align_ms = batch_align_ms(*before, job.env.options.rollups, job.env.chunk_width_ms);
  bool is_first = true;
  for (const model::TimeRange batch : batches_of(*before, erasure, job.env, align_ms)) {
    if (!std::exchange(is_first, false)) {
      VARVE_RETURN_IF_ERROR(job.env.step("erase.next"));
      between();
      VARVE_RETURN_IF_ERROR(job.tables.finish_commit());
    }
    VARVE_RETURN_IF_ERROR(pause());
    const auto current = job.tables.runs();
    const View nothing{nullptr, nullptr, current, nullptr};
    Database::Draft draft(job.tables.database());
    const EraseContext context{
        erasure, batch,           raw_number - 1, current, job.tables.source(nothing, tenant_), job.tables.database(),
        draft,   job.env.options, job.catalog,    pause};
    Change change;
    VARVE_RETURN_IF_ERROR(erase_batch(job, context, raw_number, change, report_));
    VARVE_RETURN_IF_ERROR(commit_erase(job.tables, std::move(change), draft, freed_));
  }
  return {};
}

void Erase::give_back_room(Database& database) const {
  if (freed_.bytes >= kCompactBytes) give_back(database, freed_.runs);
}

}  // namespace varve::engine::rocksdb
