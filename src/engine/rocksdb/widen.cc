// SPDX-License-Identifier: Apache-2.0
// Widen: the raw slots of a day that has long been sealed become one slot, a stratum (runs/strata.h).
#include <algorithm>
#include <optional>

#include "engine/rocksdb/commit_size.h"
#include "engine/rocksdb/jobs.h"
#include "engine/rocksdb/run_merger.h"
#include "engine/rocksdb/runs/strata.h"

namespace varve::engine::rocksdb {
namespace {

// A delete or many late samples make it necessary to write a stratum again: larger days stay in their slots.
constexpr std::uint64_t kStratumBytesMax = std::uint64_t{512} << 20;

// The slots of a stratum that is to be made.
struct Narrow {
  std::vector<SlotKey> slots;
  RunList runs;  // of all of them, ascending by number
  Mark mark;     // of the stratum
  std::uint64_t bytes = 0;
  std::int64_t grown_steady_ns = 0;
  bool settled = true;
};

Narrow narrow_of(const JobContext& job, const Runs& runs, const SlotKey& stratum) {
  const std::int64_t now = job.env.clock.now_ms();
  Narrow narrow;
  const auto add = [&](const SlotKey& slot, const Runs::OfSlot& of_slot) {
    narrow.slots.push_back(slot);
    narrow.runs.insert(narrow.runs.end(), of_slot.runs.begin(), of_slot.runs.end());
    narrow.mark.granularities_ms = of_slot.mark.granularities_ms;
    narrow.mark.sealed = std::max(narrow.mark.sealed, of_slot.content());
    narrow.grown_steady_ns = std::max(narrow.grown_steady_ns, of_slot.grown_steady_ns);
    narrow.settled = narrow.settled && !slot.is_stratum() && !of_slot.runs.empty() && !of_slot.mark.dropped &&
                     !runs.pending().contains(slot) && !job.set_aside.holds(slot, kMergeOfSlot, now);
  };
  const std::int64_t chunk_width = job.env.chunk_width_ms;
  for_each_raw_slot(runs, stratum.tenant, stratum.raw_range(chunk_width), chunk_width, add);
  std::ranges::stable_sort(narrow.runs, {}, [](const auto& run) { return run->key.run; });
  for (const auto& run : narrow.runs) narrow.bytes += run->bytes;
  narrow.settled = narrow.settled && narrow.slots.size() > 1 && narrow.bytes <= kStratumBytesMax;
  return narrow;
}

}  // namespace

std::vector<Widening> widenable(const JobContext& job, bool all) {
  const std::int64_t width = job.env.stratum_width_ms();
  if (width == 0) return {};
  const std::int64_t now = job.env.clock.now_ms();
  const std::int64_t steady = job.env.clock.steady_ns();
  const std::int64_t quiet_before = all ? steady : steady - job.env.options.stratum_quiet_ms * 1'000'000;
  const auto current = job.tables.runs();
  std::vector<Widening> due;
  std::optional<SlotKey> looked_at;
  for (const auto& [slot, of_slot] : current->slots) {
    if (slot.granularity_ms != 0) continue;
    const SlotKey stratum = stratum_slot(slot.tenant, width, slot.start);
    if (looked_at == stratum) continue;
    looked_at = stratum;
    if (stratum.start + width > now || job.set_aside.holds(stratum, kMergeOfSlot, now)) continue;
    const Narrow narrow = narrow_of(job, *current, stratum);
    const bool is_due = narrow.settled && narrow.grown_steady_ns <= quiet_before;
    if (is_due) due.push_back({stratum, narrow.slots.size(), narrow.bytes});
  }
  return due;
}

std::vector<SlotKey> next_to_widen(std::span<const Widening>& list) {
  std::vector<SlotKey> strata;
  std::size_t slots = 0;
  for (std::uint64_t bytes = 0; !list.empty(); list = list.subspan(1)) {
    slots += list.front().slots;
    bytes += list.front().bytes;
    if (!strata.empty() && (bytes > kBytesPerCommit || slots > kSlotsPerCommit)) break;
    strata.push_back(list.front().stratum);
  }
  return strata;
}

Status widen(const JobContext& job, std::span<const SlotKey> strata) {
  return without_damaged(job, strata, kMergeOfSlot, [&](std::span<const SlotKey> sound, SlotKey& at) -> Status {
    VARVE_RETURN_IF_ERROR(job.env.step("widen.begin"));
    RunMerger merger(job, "widen");
    for (const SlotKey& stratum : sound) {
      at = stratum;
      const Narrow narrow = narrow_of(job, merger.runs(), stratum);
      if (!narrow.settled) continue;  // something came since it was found to be due
      for (const SlotKey& slot : narrow.slots) merger.set_mark(slot, {});
      merger.set_mark(stratum, narrow.mark);
      VARVE_RETURN_IF_ERROR(merger.add(stratum, narrow.runs, narrow.mark));
    }
    return merger.commit();
  });
}

}  // namespace varve::engine::rocksdb
