// SPDX-License-Identifier: Apache-2.0
// SlotSealer: folds new samples of one raw slot into the windows of every granularity that is made of samples. Of a
// stratum only the hours to which something came are done again.
//
// A group that cannot be read is set aside and stays open in the slot's mark, so that a damaged chunk does not stop the
// rest. Groups of partitions that other processes seal stay open, too.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "engine/rocksdb/env/options.h"
#include "engine/rocksdb/scan/window_reader.h"
#include "engine/rocksdb/settle/rollup_writer.h"
#include "engine/rocksdb/settle/set_aside.h"
#include "engine/rocksdb/settle/slot_folder.h"
#include "rollup/levels.h"

namespace varve::engine::rocksdb {

// What the sealer uses of the store.
struct SealContext {
  const Options& options;
  const Catalog& catalog;
  std::shared_ptr<const Runs> runs;
  ScanSource source;  // of the slot's tenant
  SetAside& set_aside;
};

// A line group of the slots that are sealed together, and what the catalog knows of it.
struct SealedGroup {
  std::uint32_t group = 0;
  std::span<const model::SeriesId> series;
  std::vector<model::SeriesId> counters;                                   // the series that are no gauges
  std::vector<std::pair<model::SeriesId, counter::Declaration>> declared;  // and those whose windows say how they grew
  bool shared = false;                                                     // another group holds one of its series, too
  bool ours = true;                                                        // its partition is sealed here

  [[nodiscard]] rollup::Kind kind_of(model::SeriesId one) const {
    const bool counts = !counters.empty() && std::ranges::find(counters, one) != counters.end();
    return counts ? rollup::Kind::counter : rollup::Kind::gauge;
  }
  [[nodiscard]] const counter::Declaration* counter_of(model::SeriesId one) const {
    const auto found = std::ranges::find(declared, one, &decltype(declared)::value_type::first);
    return found == declared.end() ? nullptr : &found->second;
  }
};

// Placeholder for the number of the commit's last run, until it is known.
inline constexpr std::uint64_t kThisCommit = ~std::uint64_t{0};

// For one thread, under the maintenance lock. Seals one slot: start(), add() in ascending order of groups, finish(). An
// error concerns the whole slot.
class SlotSealer {
 public:
  SlotSealer(const SealContext& context, const SlotKey& slot, RollupWriter& writer);
  SlotSealer(const SlotSealer&) = delete;
  SlotSealer& operator=(const SlotSealer&) = delete;

  // Lists the groups to be sealed.
  Status start();
  // The groups of runs that are not rolled up yet, and open groups; ascending, each once.
  [[nodiscard]] std::span<const std::uint32_t> groups() const { return groups_; }
  // How many a series can have in the slot.
  [[nodiscard]] std::size_t windows_of_series() const;
  // Writes the windows of the slot's groups in the batch, which ascends by group.
  Status add(std::span<const SealedGroup> batch);
  // Adds the slot's new mark to the commit and, if retention dropped the slot before, the removal of its late runs.
  void finish(Database::Commit& commit);
  [[nodiscard]] const SlotKey& slot() const { return slot_; }
  // Did retention drop its earlier samples, so that what is new is added to stored windows, once?
  [[nodiscard]] bool has_lost_samples() const { return of_slot_.mark.dropped; }
  // After this, add() does nothing, and finish() must not be called.
  void give_up() { gave_up_ = true; }
  [[nodiscard]] bool has_given_up() const { return gave_up_; }

 private:
  // Where the windows of a series' numbers, or of its texts, are stored (rollup/columns.h).
  struct RollupGroup {
    std::uint32_t group;
    rollup::Kind kind;
  };
  Status list_groups(const Run& run);
  Status add(const SealedGroup& group);
  Status group(const SealedGroup& group);
  Status fold(const SealedGroup& group, model::SeriesId series, bool text, const rollup::Windows& finest);
  Status fold_part(const RollupGroup& of, const rollup::Windows& finest, model::TimeRange part);
  Result<const rollup::Windows*> with_emptied(std::int64_t width, std::uint32_t group, const rollup::Windows& windows,
                                              model::TimeRange part);
  [[nodiscard]] bool takes_late(std::size_t level, model::Timestamp time) const;
  Status add_late(const RollupGroup& of, std::span<const rollup::Window> finest);
  Status add_to_stored(std::int64_t width, const RollupGroup& of, std::span<const rollup::Window> finest);

  const SealContext context_;
  const SlotKey slot_;
  RollupWriter& writer_;
  const Runs::OfSlot& of_slot_;
  const rollup::Retention& kept_;  // of the tenant
  const std::int64_t now_ms_;
  const std::vector<std::int64_t> widths_;  // of the granularities that are made of the slot's samples
  const std::int64_t part_width_ms_;        // what is folded at once: no level slot ends in it
  // Are stored windows over this slot made of samples that are not in its runs? Then samples are added to the windows
  // wider than the slot (and, if the slot's earlier samples were dropped, to all), instead of making them again.
  const bool adds_;
  // If the slot was sealed before: its stored windows, by granularity and start of their level slot.
  std::map<std::pair<std::int64_t, model::Timestamp>, WindowReader> stored_in_;
  model::TimeRange folded_;  // begins and ends at edges of chunks
  SlotFolder folder_;
  std::vector<std::uint32_t> open_;  // groups that stay open
  std::vector<std::uint32_t> groups_;
  std::size_t next_ = 0;  // of groups_
  bool gave_up_ = false;
  rollup::Windows part_, windows_, coarser_, stored_, complete_;
  rollup::PartPool parts_;    // of the current series
  std::set<SlotKey> coarse_;  // windows wider than the slot that samples were added to
};

}  // namespace varve::engine::rocksdb
