// SPDX-License-Identifier: Apache-2.0
// Widener: the sealed rows of a group in a day become one row (tables/strata.h): what stands is read, written as a
// stratum, and deleted. Whoever reads meanwhile finds either, or both, which say the same. Doing it again, or by two
// replicas at once, does no harm.
//
// The row's version is drawn before it is asked what is pending and before the slots are read, and nothing is done
// where one of them is pending then. So whatever a sealer with a smaller version still writes of them has nothing that
// the stratum does not have: what it was about to add would be pending. And what comes later is sealed under a greater
// version. Slots behind the last one that is sealed may be pending: the day need not have ended.
#pragma once

#include <bitset>
#include <functional>
#include <span>
#include <vector>

#include "base/clock.h"
#include "engine/cassandra/scan/slot_reader.h"
#include "engine/cassandra/settle/sealed_rows.h"
#include "engine/cassandra/tables/write_versions.h"

namespace varve::engine::cassandra {

struct WidenWork {
  GroupRef group;
  model::Timestamp day = 0;  // 24 slots from there
};

struct WidenedDay {
  Status status;            // of its data (is_of_data): this one stays as it is
  bool is_pending = false;  // some of what stands is: nothing was done
  bool is_written = false;  // no: there are few rows, or they are too large together
};

// Which slots of a day are pending, by their number in it.
using PendingSlots = std::bitset<kSlotsPerStratum>;

// Thread-safe.
class Widener {
 public:
  // `clock`: the one that all replicas share.
  Widener(RowStore& rows, const SlotReader& reader, WriteVersions& versions, const Clock& clock)
      : rows_(rows), reader_(reader), versions_(versions), clock_(clock) {}

  using Pending = std::function<Result<std::vector<PendingSlots>>(std::span<const WidenWork>)>;
  // Errors: those of the store, of `pending` and of WriteVersions::draw().
  Result<std::vector<WidenedDay>> widen(std::span<const WidenWork> works, const Pending& pending) const;

  // May slots of the group share rows?
  [[nodiscard]] bool is_wanted(const GroupCells& group) const { return reader_.sealed().makes_strata(group); }

 private:
  struct Day {
    std::vector<SlotData> slots;  // that stand
    std::vector<SealedKey> rows;
    PendingSlots pending;
  };
  struct Reading {
    std::int64_t version = 0;
    std::vector<Day> days;
  };
  Result<Reading> read(std::span<const WidenWork> works, const Pending& pending) const;
  Result<std::vector<WidenedDay>> widen_together(std::span<const WidenWork> works, const Pending& pending) const;
  [[nodiscard]] bool is_pending(const WidenWork& work, const Day& day) const;
  Status replace(const WidenWork& work, Day& day, SealedRows& rows, std::vector<RowDelete>& replaced,
                 WidenedDay& widened) const;

  RowStore& rows_;
  const SlotReader& reader_;
  WriteVersions& versions_;
  const Clock& clock_;
};

}  // namespace varve::engine::cassandra
