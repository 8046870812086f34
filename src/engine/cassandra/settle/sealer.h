// SPDX-License-Identifier: Apache-2.0
// Sealer: writes the samples of line groups in slots as sealed rows, one block for each column shard. Sealing again
// writes the same rows; if two replicas seal at once, the rows of the one that read later stay
// (tables/write_versions.h). Many successive slots of a group that are sealed at once share rows (tables/strata.h).
//
// The caller has taken the work from a tracker, and completes it afterwards only if nobody has touched it since.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/clock.h"
#include "engine/cassandra/scan/slot_reader.h"
#include "engine/cassandra/settle/sealed_rows.h"
#include "engine/cassandra/tables/write_versions.h"

namespace varve::engine::cassandra {

struct SealWork {
  GroupRef group;
  model::Timestamp slot = 0;
  // One of its series stands in another group, too: the rows' arrivals are kept, which tell whose sample came later.
  bool shared = false;
};

struct SealedSlot {
  Status status;              // of its data (is_of_data): this one cannot be sealed, the others are
  RowsMade made;              // of a stratum they are its first slot's, but samples
  bool day_may_widen = true;  // it has a row of its own, or had one before (settle/widener.h)
};

// Thread-safe.
class Sealer {
 public:
  // `clock`: the one that all replicas share.
  Sealer(RowStore& rows, const SlotReader& reader, WriteVersions& versions, const Clock& clock)
      : rows_(rows), reader_(reader), versions_(versions), clock_(clock) {}

  // In their order; slots of one group that stand side by side are read and written together. Nothing is written of
  // slots whose samples are over and have no sealed row. Errors: those of the store and of WriteVersions::draw().
  Result<std::vector<SealedSlot>> seal(std::span<const SealWork> works) const;
  // Is the slot of such a group too old to be sealed, or nearly?
  [[nodiscard]] bool is_late(GroupRetentions::Number group, model::Timestamp slot) const {
    return reader_.sealed().kept(group, slot, clock_.now_ms()) != shared::Kept::kept;
  }

 private:
  struct Reading {
    std::int64_t version = 0;
    std::vector<std::vector<SlotData>> slots;
  };
  Result<Reading> read(std::span<const SealWork> works) const;
  Result<std::vector<SealedSlot>> seal_together(std::span<const SealWork> works) const;
  [[nodiscard]] std::size_t run_length(std::span<const SealWork> works, std::span<const SlotData* const> data,
                                       std::size_t first) const;
  [[nodiscard]] bool add_as_stratum(SealedRows& rows, std::span<const SealWork> works,
                                    std::span<const SlotData* const> data, std::span<SealedSlot> sealed) const;

  RowStore& rows_;
  const SlotReader& reader_;
  WriteVersions& versions_;
  const Clock& clock_;
};

}  // namespace varve::engine::cassandra
