// SPDX-License-Identifier: Apache-2.0
// Merge: the runs of one tenant and slot become one.
#include <algorithm>

#include "engine/rocksdb/gather.h"
#include "engine/rocksdb/reconcile.h"
#include "engine/rocksdb/run_writer.h"
#include "engine/rocksdb/scan_range.h"
#include "engine/rocksdb/store_state.h"

namespace varve::engine::rocksdb {
namespace {

// Goes through the groups of one run in ascending order.
class RunCursor {
 public:
  RunCursor(const Database& database, const Run& run) : database_(database), run_(run) {}

  Status start() { return run_.first_groups.empty() ? Status{} : load(); }
  [[nodiscard]] bool done() const { return block_ == nullptr; }
  [[nodiscard]] std::uint32_t group() const { return model::to_int(block_->group(at_)); }
  [[nodiscard]] const chunk::Block& block() const { return *block_; }
  [[nodiscard]] std::size_t at() const { return at_; }
  // The block just left stays readable until the next call.
  Status next() {
    before_ = block_;
    if (++at_ < block_->groups()) return {};
    at_ = 0;
    if (++number_ < run_.first_groups.size()) return load();
    block_ = nullptr;
    return {};
  }

 private:
  Status load() {
    const auto key = block_key(run_.key, model::GroupId{run_.first_groups[number_]});
    VARVE_TRY(const auto bytes, database_.get(key, nullptr));
    VARVE_TRY(block_, chunk::Block::open(std::as_bytes(std::span(*bytes))));
    return {};
  }

  const Database& database_;
  const Run& run_;
  std::size_t number_ = 0;  // of the block
  std::size_t at_ = 0;      // of the group in it
  BlockCache::BlockPtr block_;
  BlockCache::BlockPtr before_;
};

// Opens what shares a series with another group and finds where the runs contradict one another.
class SlotPatches {
 public:
  SlotPatches(const ScanSource& source, std::span<const std::shared_ptr<const Run>> runs) {
    for (const auto& run : runs) readers_.emplace_back(source, *run);
  }

  Status find(std::span<const std::uint32_t> groups, const index::SeriesIndex& index) {
    const auto add = [this](SeriesMerge& merge, std::uint32_t group, std::uint16_t column) -> Status {
      for (RunReader& reader : readers_) {
        VARVE_TRY(const chunk::Block* block, reader.block(group));
        if (block == nullptr) continue;
        const std::size_t at = block->find(model::GroupId{group});
        if (at != block->groups()) VARVE_CHECK_OK(merge.add_chunk(*block, at, column, reader.run().key.run));
      }
      return {};
    };
    VARVE_TRY(patches_, reconcile(index, groups, add));
    return {};
  }

  [[nodiscard]] std::span<const Gather::Patch> of(std::uint32_t group) const {
    const auto at = patches_.find(group);
    return at == patches_.end() ? std::span<const Gather::Patch>{} : std::span(at->second);
  }

 private:
  std::vector<RunReader> readers_;  // keep the blocks that patches point into
  Patches patches_;
};

using RunList = std::vector<std::shared_ptr<const Run>>;

Result<std::vector<RunCursor>> cursors_of(const Database& database, const RunList& runs) {
  std::vector<RunCursor> cursors;
  for (const auto& run : runs) {
    cursors.emplace_back(database, *run);
    VARVE_CHECK_OK(cursors.back().start());
  }
  return cursors;
}

// Calls each(group, cursors that stand on it) for all groups in ascending order.
template <class Each>
Status for_each_group(std::vector<RunCursor>& cursors, const Each& each) {
  std::vector<RunCursor*> same;
  while (true) {
    same.clear();
    for (RunCursor& cursor : cursors) {
      if (cursor.done()) continue;
      if (!same.empty() && cursor.group() < same[0]->group()) same.clear();
      if (same.empty() || cursor.group() == same[0]->group()) same.push_back(&cursor);
    }
    if (same.empty()) return {};
    VARVE_CHECK_OK(each(same[0]->group(), same));
    for (RunCursor* cursor : same) VARVE_CHECK_OK(cursor->next());
  }
}

Result<std::vector<std::uint32_t>> shared_groups_in(const Database& database, const RunList& runs,
                                                    const SharedGroups& shared) {
  std::vector<std::uint32_t> groups;
  VARVE_TRY(auto cursors, cursors_of(database, runs));
  VARVE_CHECK_OK(for_each_group(cursors, [&](std::uint32_t group, const std::vector<RunCursor*>&) -> Status {
    if (shared.contains(group)) groups.push_back(group);
    return {};
  }));
  return groups;
}

}  // namespace

Status Store::State::merge(const Runs::Slot& slot) {
  const RunList merging = runs->slots.at(slot).runs;
  step("merge.begin");
  const View nothing{nullptr, nullptr, runs, nullptr};
  const ScanSource source{nothing, append_mutex, *database, cache, clock, slot.first, chunk_width};
  SlotPatches patches(source, merging);
  {
    const std::shared_lock lock(index_mutex);
    if (shared_groups.any()) {
      VARVE_TRY(const auto groups, shared_groups_in(*database, merging, shared_groups));
      VARVE_CHECK_OK(patches.find(groups, index));
    }
  }
  VARVE_TRY(auto cursors, cursors_of(*database, merging));
  Gather gather;
  RunWriter writer(*database);
  writer.start({slot.first, slot.second, checkpoint.next_run});
  VARVE_CHECK_OK(for_each_group(cursors, [&](std::uint32_t group, const std::vector<RunCursor*>& same) -> Status {
    gather.clear();
    for (const RunCursor* cursor : same) VARVE_CHECK_OK(gather.add_chunk(cursor->block(), cursor->at()));
    gather.finish(patches.of(group));
    return writer.add({model::GroupId{group}, gather.times(), gather.columns()});
  }));
  Database::Commit commit;
  VARVE_TRY(auto run, writer.finish());
  commit.added = {std::move(run)};
  commit.removed = merging;
  commit.checkpoint = {checkpoint.next_run + 1, checkpoint.first_segment, checkpoint.sequence};
  step("merge.written");
  VARVE_CHECK_OK(database->commit(commit));
  step("merge.committed");
  checkpoint = commit.checkpoint;
  publish(commit.added, merging, false);
  ++slots_sealed;
  step("merge.published");
  return database->erase_blocks(merging);
}

}  // namespace varve::engine::rocksdb
