// SPDX-License-Identifier: Apache-2.0
// Merge: the runs of one tenant and slot become one. Several slots share a commit.
#include <algorithm>

#include "engine/rocksdb/commit_size.h"
#include "engine/rocksdb/jobs.h"
#include "engine/rocksdb/run_merger.h"
#include "engine/rocksdb/runs/level_slots.h"

namespace varve::engine::rocksdb {
namespace {

// A run is written again with later ones when they have at least one in so many of its bytes.
constexpr std::uint64_t kRewritten = 4;

// Have all slots that give windows to a level slot ended?
bool is_full(const JobContext& job, const SlotKey& slot) {
  return slot.start + level_slot_width_ms(slot.granularity_ms, job.env.chunk_width_ms) <= job.env.clock.now_ms();
}

// A chunk of so many samples is long enough: to make it longer saves neither room nor time to speak of.
constexpr std::uint64_t kSamplesOfLongChunk = 2048;
constexpr std::size_t kRunsOfStratumMax = 16;  // with long chunks

// On average.
bool has_long_chunks(const Run& run) { return run.samples >= kSamplesOfLongChunk * run.chunks; }

// The runs of a slot that become one now. What came late to a stratum lies beside it, until there is enough of it to be
// worth writing the stratum again; until then it is merged among itself. Likewise what a level slot gets until it is
// full: windows of an hour come for twelve days. Of a stratum, runs with long chunks stay as they are, and what is
// older than such a run with it.
std::span<const std::shared_ptr<const Run>> merging_of(const JobContext& job, const SlotKey& slot,
                                                       const Runs::OfSlot& of_slot, bool whole) {
  if (slot.is_stratum() ? whole : slot.is_raw() || is_full(job, slot)) return of_slot.runs;
  const bool leaves_long = slot.is_stratum() && of_slot.runs.size() < kRunsOfStratumMax;
  auto first = of_slot.runs.end();
  for (std::uint64_t later = 0; first != of_slot.runs.begin(); --first) {
    const Run& run = **std::prev(first);
    if (first != of_slot.runs.end() && run.bytes > later * kRewritten) break;
    if (leaves_long && has_long_chunks(run)) break;
    later += run.bytes;
  }
  return {first, of_slot.runs.end()};
}

}  // namespace

Status merge(const JobContext& job, std::span<const SlotKey> slots, bool whole) {
  return without_damaged(job, slots, kMergeOfSlot, [&](std::span<const SlotKey> sound, SlotKey& at) -> Status {
    VARVE_RETURN_IF_ERROR(job.env.step("merge.begin"));
    RunMerger merger(job, "merge");
    for (const SlotKey& slot : sound) {
      at = slot;
      const Runs::OfSlot& of_slot = merger.runs().slots.at(slot);
      const auto merging = merging_of(job, slot, of_slot, whole);
      VARVE_RETURN_IF_ERROR(merger.add(slot, {merging.begin(), merging.end()}, of_slot.mark));
    }
    return merger.commit();
  });
}

std::vector<SlotKey> mergeable(const JobContext& job, bool all) {
  const std::int64_t quiet_before = job.quiet_before_ns();
  const bool rolls_up = !job.env.options.rollups.levels.empty();
  const auto current = job.tables.runs();
  std::vector<SlotKey> due;
  for (const auto& [slot, _] : current->fragmented()) {
    const Runs::OfSlot& of_slot = current->slots.at(slot);
    // Of a merged run all groups would be sealed again: what came late is sealed first.
    if (slot.is_stratum() && rolls_up && of_slot.mark.sealed > 0 && !of_slot.is_sealed()) continue;
    if (merging_of(job, slot, of_slot, all).size() < 2) continue;
    // What is sealed is done but for late samples. A level slot grows with each slot that is sealed: it waits until it
    // is full, or has many runs.
    const bool raw = slot.is_raw();
    const bool done = raw ? rolls_up && of_slot.is_sealed() : is_full(job, slot);
    const bool quiet = of_slot.grown_steady_ns <= quiet_before && (raw || done);
    const bool due_now = quiet || (raw && done) || of_slot.runs.size() >= job.env.options.runs_per_slot_max;
    if (!all && !due_now) continue;
    if (!job.set_aside.holds(slot, kMergeOfSlot)) due.push_back(slot);
  }
  return due;
}

}  // namespace varve::engine::rocksdb
