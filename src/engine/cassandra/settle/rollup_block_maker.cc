// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/settle/rollup_block_maker.h"

#include <algorithm>
#include <deque>

#include "base/check.h"
#include "engine/cassandra/scan/erasure_rows.h"
#include "engine/cassandra/settle/each_by_itself.h"
#include "engine/cassandra/settle/rollup_block_builder.h"

namespace varve::engine::cassandra {

using model::Timestamp;

namespace {

std::vector<unsigned> shards_of_group(const GroupRef& group) {
  std::vector<unsigned> shards;
  for (unsigned shard = 0; shard < column_shards_of(group.columns); ++shard) shards.push_back(shard);
  return shards;
}

std::vector<std::int64_t> nearest_ends_of(const ChunkTable& sealed, std::span<const ChunkTable> levels) {
  std::vector<std::int64_t> nearest;
  for (std::size_t number = 0; number <= sealed.other_retentions_ms.size(); ++number) {
    const auto kept = static_cast<GroupRetentions::Number>(number);
    std::int64_t& shortest = nearest.emplace_back(sealed.retention_of(kept));
    for (std::size_t l = 0; l + 1 < levels.size(); ++l) shortest = std::min(shortest, levels[l].retention_of(kept));
  }
  return nearest;
}

}  // namespace

RollupBlockMaker::RollupBlockMaker(RowStore& rows, const Tables& tables, const SlotReader& reader,
                                   std::vector<ChunkTable> levels, const SchemaOptions& schema, WriteVersions& versions,
                                   const Clock& clock)
    : rows_(rows),
      tables_(tables),
      reader_(reader),
      levels_(std::move(levels)),
      nearest_ends_ms_(nearest_ends_of(reader.sealed(), levels_)),
      schema_(schema),
      versions_(versions),
      clock_(clock) {}

struct RollupBlockMaker::Batch {
  const RollupBlockLevel level;
  const std::span<const RollupBlockWork> works;
  std::deque<RollupBlockBuilder> makings = {};  // of each
};

// What stands is read before hot rows are: what is added to it meanwhile is among these.
Result<std::int64_t> RollupBlockMaker::read(std::size_t level, Batch& batch) const {
  batch.makings.clear();
  for (const RollupBlockWork& work : batch.works) batch.makings.emplace_back(batch.level, work, clock_.now_ms());
  VARVE_RETURN_IF_ERROR(read_rows(level, batch));
  if (batch.level.of_samples) VARVE_RETURN_IF_ERROR(read_slots(batch));
  if (!batch.level.of_samples && reader_.sees_writes()) VARVE_RETURN_IF_ERROR(read_names(batch));
  VARVE_RETURN_IF_ERROR(read_late(batch));
  std::int64_t greatest = 0;
  for (const RollupBlockBuilder& making : batch.makings) greatest = std::max(greatest, making.version());
  return greatest;
}

// Rows of rollup blocks of one group that follow one another are read at once.
Status RollupBlockMaker::read_rows(std::size_t level, Batch& batch) const {
  struct Purpose {
    std::size_t first = 0, end = 0;  // of works
    unsigned shard = 0;
    bool stored = false;
  };
  const auto follows = [&](std::size_t w) {
    const RollupBlockWork &before = batch.works[w - 1], &next = batch.works[w];
    return before.group.cells == next.group.cells && next.start == before.start + levels_[level].row_ms;
  };
  std::vector<RowRead> reads;
  std::vector<Purpose> purposes;
  for (std::size_t first = 0, end = 0; first < batch.works.size(); first = end) {
    for (end = first + 1; end < batch.works.size() && follows(end);) ++end;
    const GroupRef& group = batch.works[first].group;
    const model::TimeRange range{batch.makings[first].range().first, batch.makings[end - 1].range().last};
    for (const unsigned shard : shards_of_group(group)) {
      add_reads(reads, levels_[level], group.cells, shard, range, kRollupBlockFields);
      purposes.resize(reads.size(), {first, end, shard, true});
      if (level > 0) add_reads(reads, levels_[level - 1], group.cells, shard, range, kRollupBlockFields);
      purposes.resize(reads.size(), {first, end, shard, false});
    }
  }
  check(purposes.size() == reads.size(), "each reading has a purpose");
  VARVE_RETURN_IF_ERROR(rows_.read(reads, {}, [&](std::size_t number, const RowView& view) -> Status {
    const Purpose& purpose = purposes[number];
    VARVE_ASSIGN_OR_RETURN(const ChunkRow row, chunk_row(view, kRollupBlockFields));
    for (std::size_t w = purpose.first; w < purpose.end; ++w) {
      RollupBlockBuilder& making = batch.makings[w];
      // A finer one may begin before it.
      const std::int64_t row_ms = purpose.stored ? levels_[level].row_ms : levels_[level - 1].row_ms;
      if (!making.range().overlaps({row.start, row.start + row_ms})) continue;
      VARVE_RETURN_IF_ERROR(purpose.stored ? making.add_stored(purpose.shard, view)
                                           : making.add_finer(purpose.shard, view));
    }
    return {};
  }));
  for (RollupBlockBuilder& making : batch.makings) VARVE_RETURN_IF_ERROR(making.finish_rows());
  return {};
}

Status RollupBlockMaker::read_slots(Batch& batch) const {
  std::vector<SlotsWanted> wanted;
  std::vector<std::pair<std::size_t, const RollupBlockWork::Elsewhere*>> owners;
  for (std::size_t w = 0; w < batch.works.size(); ++w) {
    const RollupBlockWork& work = batch.works[w];
    const RollupBlockBuilder& making = batch.makings[w];
    for (const RollupBlockWork::Elsewhere& elsewhere : work.elsewhere) {
      wanted.push_back({&elsewhere.group,
                        making.range(),
                        {elsewhere.column_there / kSeriesPerColumnShard},
                        making.near_slots(elsewhere.group.cells.kept)});
      owners.emplace_back(w, &elsewhere);
    }
    wanted.push_back(
        {&work.group, making.range(), shards_of_group(work.group), making.near_slots(work.group.cells.kept)});
    owners.emplace_back(w, nullptr);
  }
  VARVE_ASSIGN_OR_RETURN(const auto lists, reader_.read(wanted, {}));
  check(lists.size() == owners.size(), "a list for each that is wanted");
  for (std::size_t i = 0; i < owners.size(); ++i) {
    const auto& [w, elsewhere] = owners[i];
    RollupBlockBuilder& making = batch.makings[w];
    VARVE_RETURN_IF_ERROR(elsewhere != nullptr ? making.exclude(*elsewhere, lists[i]) : making.add_slots(lists[i]));
  }
  return {};
}

// Without this each granularity would name all that the finer ones do, and keep it.
Status RollupBlockMaker::read_names(Batch& batch) const {
  std::vector<SlotsWanted> wanted;
  std::vector<RollupBlockBuilder*> owners;
  for (std::size_t w = 0; w < batch.works.size(); ++w) {
    std::vector<Timestamp> slots = batch.makings[w].named_slots();
    if (slots.empty()) continue;
    wanted.push_back({&batch.works[w].group, batch.makings[w].range(), {}, std::move(slots)});
    owners.push_back(&batch.makings[w]);
  }
  if (wanted.empty()) return {};
  VARVE_ASSIGN_OR_RETURN(const auto lists, reader_.read(wanted, {}));
  check(lists.size() == owners.size(), "a list for each that is wanted");
  for (std::size_t i = 0; i < owners.size(); ++i) owners[i]->forget_names(lists[i]);
  return {};
}

// Shard by shard: each names what is counted in it.
Status RollupBlockMaker::read_late(Batch& batch) const {
  std::vector<SlotsWanted> wanted;
  std::vector<std::pair<std::size_t, unsigned>> owners;  // work, part
  ErasureReads erasures(tables_);
  for (std::size_t w = 0; w < batch.works.size(); ++w) {
    const RollupBlockWork& work = batch.works[w];
    RollupBlockBuilder& making = batch.makings[w];
    const std::vector<Timestamp> slots = making.closed_slots();
    if (slots.empty()) continue;
    erasures.add(work.group.cells, w);
    for (const unsigned shard : shards_of_group(work.group)) {
      wanted.push_back({&work.group, making.range(), {}, slots, &making.counted(shard)});
      owners.emplace_back(w, shard);
    }
  }
  if (wanted.empty()) return {};
  VARVE_RETURN_IF_ERROR(rows_.read(erasures.reads(), {}, [&](std::size_t number, const RowView& view) {
    return erasures.row(number, view,
                        [&](std::size_t w, const Erasure& erasure) { batch.makings[w].add_erasure(erasure); });
  }));
  VARVE_ASSIGN_OR_RETURN(const auto lists, reader_.read(wanted, {}));
  check(lists.size() == owners.size(), "a list for each that is wanted");
  for (std::size_t i = 0; i < owners.size(); ++i) {
    VARVE_RETURN_IF_ERROR(batch.makings[owners[i].first].add_late(owners[i].second, lists[i]));
  }
  return {};
}

Result<std::vector<MadeRollupBlock>> RollupBlockMaker::make(std::size_t level,
                                                            std::span<const RollupBlockWork> works) const {
  check(level < levels_.size(), "a granularity that there is");
  const auto all = [&](std::span<const RollupBlockWork> together) { return make_together(level, together); };
  return done_together_or_each<MadeRollupBlock>(works, all);
}

Result<std::vector<MadeRollupBlock>> RollupBlockMaker::make_together(std::size_t level,
                                                                     std::span<const RollupBlockWork> works) const {
  Batch batch{{levels_[level], level == 0 ? reader_.sealed() : levels_[level - 1], level == 0, width_ms(level),
               reader_.slot_ms(), nearest_ends_ms_},
              works};
  VARVE_ASSIGN_OR_RETURN(const std::int64_t version, read_versioned(versions_, [&] { return read(level, batch); }));
  check(batch.makings.size() == works.size(), "each rollup block is made");
  std::vector<MadeRollupBlock> list(works.size());
  std::vector<RowWrite> rows;
  for (std::size_t w = 0; w < works.size(); ++w) batch.makings[w].finish(version, rows, list[w].windows);
  VARVE_RETURN_IF_ERROR(rows_.write_now(std::move(rows)));
  return list;
}

}  // namespace varve::engine::cassandra
