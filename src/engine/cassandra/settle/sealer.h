// SPDX-License-Identifier: Apache-2.0
// Sealer: writes what stands of line groups in slots as sealed rows: one block for each 32 series. Done again it writes
// the same; done by two at once, the row of the one that read later counts, as its write timestamp is when it read.
//
// Whoever calls it took the work from a tracker before, and completes it afterwards only if nobody has touched it
// since.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/clock.h"
#include "engine/cassandra/scan/slot_reader.h"
#include "engine/cassandra/series/stamps.h"

namespace varve::engine::cassandra {

struct SealWork {
  GroupRef group;
  model::Timestamp slot = 0;
  // One of its series stands in another group, too: the rows' arrivals are kept, which tell whose sample came later.
  bool shared = false;
};

struct SealedSlot {
  Status status;  // corrupt: this one cannot be sealed, the others are
  std::uint64_t chunks = 0;
  std::uint64_t samples = 0;
  std::uint64_t bytes = 0;  // of its chunks
};

// Thread-safe.
class Sealer {
 public:
  // `clock`: the one that all replicas share.
  Sealer(RowStore& rows, const SlotReader& reader, Stamps& stamps, const Clock& clock)
      : rows_(rows), reader_(reader), stamps_(stamps), clock_(clock) {}

  // In their order. Slots whose samples are over (raw.retention) must not be among them. Errors: those of the store.
  Result<std::vector<SealedSlot>> seal(std::span<const SealWork> works) const;

 private:
  Result<std::vector<std::vector<SlotData>>> read(std::span<const SealWork> works) const;
  Status encode(const SealWork& work, const SlotData& data, std::int64_t read_us, std::vector<RowWrite>& rows,
                SealedSlot& sealed) const;

  RowStore& rows_;
  const SlotReader& reader_;
  Stamps& stamps_;
  const Clock& clock_;
};

}  // namespace varve::engine::cassandra
