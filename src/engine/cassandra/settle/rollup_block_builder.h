// SPDX-License-Identifier: Apache-2.0
// RollupBlockBuilder: computes the windows of one rollup block of one line group, from all of its inputs: sealed rows
// or the rollup blocks of the next finer granularity, the rollup block as it is stored, and hot rows.
//
// The inputs of a window may have expired. Such windows are *closed*: they stay as they are stored, and hot rows that
// they do not contain yet are added. A rollup block names the hot rows that it contains for as long as that may matter,
// so each counts once, whoever makes the block and however often.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/cassandra/hot/pending.h"
#include "engine/cassandra/scan/slot_reader.h"
#include "engine/cassandra/scan/window_rows.h"
#include "engine/cassandra/settle/rollup_block_work.h"
#include "engine/shared/cell_eraser.h"
#include "engine/shared/series_folder.h"

namespace varve::engine::cassandra {

// What is read of the rows that a rollup block is made of.
inline constexpr ChunkFields kRollupBlockFields{.chunk = true, .stats = true, .added = true};

// What all rollup blocks of a granularity have in common.
struct RollupBlockLevel {
  const ChunkTable& table;
  const ChunkTable& finer;  // what it is made of
  bool of_samples = false;  // that is sealed samples
  std::int64_t width_ms = 0;
  std::int64_t slot_ms = 0;
  // How long samples, and rollup blocks that others are made of, are stored: the shortest, by number of
  // GroupRetentions. Hot rows of slots that come near to it are named.
  std::span<const std::int64_t> nearest_ends_ms;
};

// One thread. Rows first, then slots(), then names, then late(), then finish(). Errors: corrupt.
class RollupBlockBuilder {
 public:
  RollupBlockBuilder(const RollupBlockLevel& level, const RollupBlockWork& work, std::int64_t now_ms);

  [[nodiscard]] model::TimeRange range() const { return {work_.start, work_.start + level_.table.row_ms}; }
  [[nodiscard]] std::int64_t version() const { return version_; }  // of the rollup block as it stands

  Status add_stored(unsigned shard, const RowView& view);
  Status add_finer(unsigned shard, const RowView& view);
  // All rows were added.
  Status finish_rows();
  // A delete of samples of the group.
  void add_erasure(const Erasure& erasure) { erasures_.push_back(erasure); }

  // Slots near the end of what groups of this retention have: their hot rows are read beside the sealed ones. Of the
  // group itself they are named.
  [[nodiscard]] std::vector<model::Timestamp> near_slots(GroupRetentions::Number kept) const;
  // What another group has of one of our series, and has later, is left out.
  Status exclude(const RollupBlockWork::Elsewhere& elsewhere, const std::vector<SlotData>& slots);
  Status add_slots(const std::vector<SlotData>& slots);

  // Of windows: slots whose hot rows are to be read, because finer blocks name some. Of these names only those stay
  // whose rows can still be read.
  [[nodiscard]] std::vector<model::Timestamp> named_slots() const;
  void forget_names(const std::vector<SlotData>& slots);

  // Slots of closed windows, of which hot rows are to be read that are not counted().
  [[nodiscard]] std::vector<model::Timestamp> closed_slots();
  [[nodiscard]] const std::vector<Arrival>& counted(unsigned shard) { return counted_[shard]; }
  Status add_late(unsigned shard, const std::vector<SlotData>& slots);

  // Appends the rows; none where there is nothing, and never was.
  void finish(std::int64_t version, std::vector<RowWrite>& rows, std::uint64_t& windows);

 private:
  struct Stored {
    SeriesWindows windows;
    storage::SeriesStats stats;
    std::int64_t version = 0;
  };

  [[nodiscard]] shared::Kept finer_kept(model::Timestamp start) const {
    return level_.finer.kept(work_.group.cells.kept, start, now_ms_);
  }
  [[nodiscard]] std::size_t columns_in(unsigned shard) const;
  void close(model::Timestamp start);
  void name(unsigned shard, const std::vector<Arrival>& arrivals);
  Status add_shard(const SlotData& data, unsigned shard, shared::SeriesFolder& folder);
  void fold_rest(std::size_t number, const chunk::Column& column, std::span<const std::uint64_t> arrivals,
                 shared::SeriesFolder& folder);
  void add(std::size_t column, rollup::Kind kind, const rollup::Windows& numbers, const rollup::Windows& texts);
  void add(rollup::Windows& to, const rollup::Windows& finer);
  void erase_stored(std::size_t column, Stored& stored) const;
  void keep(std::size_t column, Stored& stored);

  const RollupBlockLevel& level_;
  const RollupBlockWork& work_;
  const std::int64_t now_ms_;
  bool found_ = false, stands_ = false;  // anything; the rollup block
  std::int64_t version_ = 0;
  std::vector<SeriesWindows> series_, late_;
  std::vector<storage::SeriesStats> stats_;
  std::vector<std::unordered_map<model::Timestamp, std::uint64_t>> excluded_;  // of each column: up to which rank
  std::unordered_map<std::size_t, Stored> stored_;                             // by column
  std::unordered_map<unsigned, std::vector<Arrival>> counted_;  // by shard: in the rollup block as it stands; ascending
  std::unordered_map<unsigned, std::vector<Arrival>> named_;    // in the rollup block as it is made
  std::unordered_map<model::Timestamp, unsigned> finer_shards_;  // how many shards there are of a finer rollup block
  std::map<std::pair<model::Timestamp, unsigned>, std::shared_ptr<const chunk::Block>> finer_;  // by start and shard
  TimeRanges closed_;                                                                           // whole windows
  std::vector<Erasure> erasures_;
  std::vector<std::shared_ptr<const chunk::Block>> blocks_;
  rollup::PartPool parts_;  // of series_ and late_, but for those that are stored
  shared::Gather gather_;
  shared::CellEraser eraser_;
  rollup::Windows coarser_;
  rollup::PartPool coarser_parts_;
};

}  // namespace varve::engine::cassandra
