// SPDX-License-Identifier: Apache-2.0
// Slot reader: reads what stands of line groups in slots: sealed blocks, hot rows, deletes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/cassandra/scan/slot_data.h"
#include "engine/cassandra/series/directory.h"
#include "engine/cassandra/tables/data_rows.h"
#include "engine/cassandra/tables/hot_rows.h"

namespace varve::engine::cassandra {

struct GroupRef {
  GroupCells cells;
  std::size_t columns = 0;  // series in it
};
GroupRef group_ref(const Directory& directory, model::GroupId group);

// A row of the table of sealed rows, whose key says which slots it has (tables/strata.h).
struct SealedKey {
  unsigned shard = 0;
  model::Timestamp key = 0;
};

// What to read of a group: the slots in `range`, of the parts (ascending), and the hot rows of `hot`, which are some of
// those slots, ascending; without the rows that are `counted` (ascending).
struct SlotsWanted {
  const GroupRef* group = nullptr;
  model::TimeRange range;
  std::vector<unsigned> shards;
  std::vector<model::Timestamp> hot;
  const std::vector<Arrival>* counted = nullptr;
  std::vector<SealedKey>* rows = nullptr;  // gets all rows that have one of the slots, also where others count
};

// Thread-safe.
class SlotReader {
 public:
  // `sees_writes`: what was acknowledged is read (tables/apply.h); otherwise hot rows are looked for wherever they may
  // be.
  SlotReader(RowStore& rows, const Tables& tables, const SchemaOptions& schema, std::int64_t slot_ms,
             bool sees_writes = true)
      : rows_(rows),
        tables_(tables),
        slot_ms_(slot_ms),
        sealed_(sealed_table(tables, schema, slot_ms)),
        sees_writes_(sees_writes) {}

  // For each that is wanted its slots in order of time, without those that hold nothing; deletes are applied. Nothing
  // that was written before the call is missing; what is written meanwhile may be there or not. Errors: those of the
  // store, corrupt.
  Result<std::vector<std::vector<SlotData>>> read(std::span<const SlotsWanted> wanted,
                                                  const RowStore::ReadLimits& limits) const;

  // Of each process that has hot rows of the group in these slots, the last of them; ascending by source. Also where
  // they were sealed long ago. Errors: as of read().
  Result<std::vector<Arrival>> last_arrivals(const GroupRef& group, std::span<const model::Timestamp> slots,
                                             const RowStore::ReadLimits& limits) const;

  [[nodiscard]] std::int64_t slot_ms() const { return slot_ms_; }
  [[nodiscard]] bool sees_writes() const { return sees_writes_; }
  [[nodiscard]] const ChunkTable& sealed() const { return sealed_; }

 private:
  class Reading;
  struct HotWanted;
  Status read_hot(std::span<const HotWanted> wanted, const RowStore::ReadLimits& limits,
                  const HotReads::Each& each) const;
  Status read_hot(std::span<const SlotsWanted> wanted, const RowStore::ReadLimits& limits,
                  std::vector<Reading>& readings) const;
  Status read_marks(std::span<const SlotsWanted> wanted, const RowStore::ReadLimits& limits,
                    std::vector<Reading>& readings) const;
  Status read_rest(std::span<const SlotsWanted> wanted, const RowStore::ReadLimits& limits,
                   std::vector<Reading>& readings) const;

  Status add_sealed(const RowView& view, unsigned shard, std::span<const std::size_t> wanted,
                    std::vector<Reading>& readings) const;
  Status note_row(const RowView& view, unsigned shard, std::span<const std::size_t> wanted,
                  std::vector<Reading>& readings) const;

  RowStore& rows_;
  const Tables& tables_;
  const std::int64_t slot_ms_;
  const ChunkTable sealed_;
  const bool sees_writes_;
};

}  // namespace varve::engine::cassandra
