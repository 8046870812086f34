// SPDX-License-Identifier: Apache-2.0
// Widen: the raw slots of a day that has long been sealed become one slot, a stratum, and later the days of some weeks
// (runs/strata.h).
#include <algorithm>
#include <iterator>
#include <optional>

#include "engine/rocksdb/commit_size.h"
#include "engine/rocksdb/jobs.h"
#include "engine/rocksdb/run_merger.h"
#include "engine/rocksdb/runs/strata.h"

namespace varve::engine::rocksdb {
namespace {

// The slots of a stratum that is to be made.
struct Narrow {
  std::vector<SlotKey> slots;
  RunList runs;  // of all of them, ascending by number
  Mark mark;     // of the stratum
  std::uint64_t bytes = 0;
  std::int64_t grown_steady_ns = 0;
  bool settled = true;
};

std::vector<std::int64_t> both(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
  std::vector<std::int64_t> in_both;
  std::ranges::set_intersection(a, b, std::back_inserter(in_both));
  return in_both;
}

Narrow narrow_of(const JobContext& job, const Runs& runs, const SlotKey& stratum) {
  Narrow narrow;
  const auto add = [&](const SlotKey& slot, const Runs::OfSlot& of_slot) {
    narrow.slots.push_back(slot);
    narrow.runs.insert(narrow.runs.end(), of_slot.runs.begin(), of_slot.runs.end());
    narrow.mark.granularities_ms = narrow.slots.size() == 1
                                       ? of_slot.mark.granularities_ms
                                       : both(narrow.mark.granularities_ms, of_slot.mark.granularities_ms);
    narrow.mark.sealed = std::max(narrow.mark.sealed, of_slot.content());
    narrow.grown_steady_ns = std::max(narrow.grown_steady_ns, of_slot.grown_steady_ns);
    narrow.settled = narrow.settled && !of_slot.runs.empty() && !of_slot.mark.dropped &&
                     !runs.pending().contains(slot) && !job.set_aside.holds(slot, kMergeOfSlot);
  };
  const std::int64_t chunk_width = job.env.chunk_width_ms;
  for_each_raw_slot(runs, stratum.tenant, stratum.raw_range(chunk_width), chunk_width, add);
  std::ranges::stable_sort(narrow.runs, {}, [](const auto& run) { return run->key.run; });
  for (const auto& run : narrow.runs) narrow.bytes += run->bytes;
  // The stratum itself, or one that it lies in, is one slot.
  narrow.settled = narrow.settled && narrow.slots.size() > 1;
  return narrow;
}

bool is_made(const Env& env, const rollup::Retention& kept, const Options::Stratum& kind) {
  return std::ranges::count(env.strata(kept), kind.width_ms, &Options::Stratum::width_ms) > 0;
}

// The strata of one kind that can be made of slots that have been quiet since then. `of`: the granularity of the
// narrower slots, one of which there must be.
std::vector<Widening> widenable_to(const JobContext& job, const Runs& runs, const Options::Stratum& kind,
                                   std::int64_t of, std::int64_t quiet_before_ns) {
  const std::int64_t now = job.env.expiry.now_ms();
  std::vector<Widening> due;
  std::optional<SlotKey> looked_at;
  for (const auto& [slot, of_slot] : runs.slots) {
    if (slot.granularity_ms != of) continue;
    const SlotKey stratum = stratum_slot(slot.tenant, kind.width_ms, slot.start);
    if (looked_at == stratum) continue;
    looked_at = stratum;
    const rollup::Retention& kept = job.catalog.kept(slot.tenant);
    if (stratum.start < shared::kept_from(kept.raw_ms, now) || stratum.start + kind.width_ms > now) continue;
    if (!is_made(job.env, kept, kind)) continue;
    if (job.set_aside.holds(stratum, kMergeOfSlot)) continue;
    const Narrow narrow = narrow_of(job, runs, stratum);
    const bool is_due = narrow.settled && narrow.grown_steady_ns <= quiet_before_ns;
    if (is_due && narrow.bytes <= kind.bytes_max) due.push_back({stratum, narrow.slots.size(), narrow.bytes});
  }
  return due;
}

}  // namespace

// Those of one width, the narrowest first: no two of them are made of the same slots.
std::vector<Widening> widenable(const JobContext& job, bool all) {
  const std::int64_t steady = job.env.clock.steady_ns();
  const auto current = job.tables.runs();
  std::int64_t of = 0;
  for (const Options::Stratum& kind : job.env.strata(job.env.classes.longest())) {
    const bool at_once = all && of == 0;
    auto due = widenable_to(job, *current, kind, of, at_once ? steady : steady - kind.quiet_ms * 1'000'000);
    if (!due.empty()) return due;
    of = kStratumGranularity + kind.width_ms;
  }
  return {};
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
