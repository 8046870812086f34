// SPDX-License-Identifier: Apache-2.0
// SlotSealer: folds what is new in one raw slot into the windows of every granularity that is made of samples.
//
// A group that cannot be read is set aside and left open in the slot's mark, so that one damaged chunk stops nothing
// else; so are groups of partitions that are not ours.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <shared_mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/rocksdb/options.h"
#include "engine/rocksdb/scan/window_reader.h"
#include "engine/rocksdb/series/shared_groups.h"
#include "engine/rocksdb/settle/rollup_writer.h"
#include "engine/rocksdb/settle/set_aside.h"
#include "engine/rocksdb/settle/slot_folder.h"

namespace varve::engine::rocksdb {

// A group as the sealer needs it, asked of the index for many at once: nobody who defines series waits for each.
struct SealedGroup {
  std::uint32_t group = 0;
  std::span<const model::SeriesId> series;
  bool shared = false;  // one of its series stands in another group too
};

// What the sealer needs of the store.
struct SealContext {
  const Options& options;
  std::shared_mutex& index_mutex;
  const index::SeriesIndex& index;
  const SharedGroups& shared_groups;
  const std::shared_ptr<const Runs>& runs;
  std::span<const std::uint32_t> partitions;  // that are ours, ascending
  ScanSource source;                          // of the slot's tenant
  SetAside& set_aside;
};

// Stands for the number of the last run of the commit, until that is known.
inline constexpr std::uint64_t kThisCommit = ~std::uint64_t{0};

// One thread, under the maintenance lock. Made for one slot.
class SlotSealer {
 public:
  SlotSealer(const SealContext& context, const SlotKey& slot, RollupWriter& writer);

  // Adds the slot's windows to the writer, its mark (and what is to go) to the commit. Error: of the whole slot.
  Status seal(Database::Commit& commit);

 private:
  Result<std::vector<std::uint32_t>> groups_to_seal();
  Status list_groups(const Run& run, std::vector<std::uint32_t>& groups);
  Status batch(std::span<const std::uint32_t> groups);
  Status group(const SealedGroup& group, const SlotFolder::Out& out);
  [[nodiscard]] bool is_ours(std::uint32_t group);
  Status fold(model::SeriesId series, bool text, const rollup::Windows& finest);
  Result<const rollup::Windows*> with_emptied(std::int64_t width, std::uint32_t group, const rollup::Windows& windows);
  [[nodiscard]] bool is_wanted(std::size_t level, model::Timestamp time) const;
  Status add_to_stored(std::int64_t width, std::uint32_t group, rollup::Kind kind, const rollup::Windows& windows);

  const SealContext& context_;
  const SlotKey slot_;
  RollupWriter& writer_;
  const Runs::OfSlot& of_slot_;
  const std::int64_t now_ms_;
  const std::vector<std::int64_t> widths_;  // of the granularities that are made of the slot's samples
  // Are the windows that its samples go into made of other samples, too, which are not here? Then those wider than the
  // slot (and, where the slot's own samples are gone, all) are not made again but added to.
  const bool adds_;
  // Where the slot has been sealed before: what is stored of it, by granularity.
  std::map<std::int64_t, WindowReader> stored_in_;
  SlotFolder folder_;
  std::vector<std::uint32_t> open_;  // groups that stay open
  std::vector<SealedGroup> batch_;
  std::unordered_map<std::uint32_t, rollup::Kind> kinds_;  // of the batch's series that are no gauges
  std::vector<index::Place> places_;
  model::TagViews tags_;
  rollup::Windows windows_, coarser_, stored_, complete_;
  std::deque<std::string> texts_;
  std::set<SlotKey> coarse_;  // windows wider than the slot that were added to
};

}  // namespace varve::engine::rocksdb
