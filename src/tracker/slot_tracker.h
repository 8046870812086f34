// SPDX-License-Identifier: Apache-2.0
// SlotTracker: what was written and is not sealed yet, by member and time slot.
//
// Lost updates are the danger: a sample that arrives while its slot is being sealed must make it pending again. So each
// touch raises the entry's generation, due() tells it *before* the data is read, and complete() deletes the entry only
// if it still has that generation:
//
//   writer:  make samples visible → touch            sealer:  due (generation g) → read → seal → complete (g)
//
// An entry is ready at max(slot's end, last touch) + quiet, each for itself: a series that trickles delays no other.
// The tracker does not claim: of one partition, due() is to be called by whoever owns it (ownership.h). Two workers on
// one entry do the work twice and nothing worse.
//
// Implementations pass testing/tracker_contract.h. All methods are thread-safe; `now_ms` never comes from inside. Where
// an implementation asks another server, any method may fail with `unavailable`.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "model/ids.h"
#include "model/time.h"

namespace varve::tracker {

// What an engine seals as one: a line group or a series, by the engine's number of it.
struct Member {
  model::TenantId tenant{};
  std::uint32_t id = 0;
  auto operator<=>(const Member&) const = default;
};

// Samples of `member` were written into the slot that starts at `slot`. `partition`: of partition.h, always the same
// for a member (a line group stands in that of its first series); engines keep it beside the member.
struct Touch {
  Member member;
  std::uint32_t partition = 0;
  model::Timestamp slot = 0;
};

// Work: an entry as it was when due() looked. Hand it back to complete() or fail() as it is.
struct Due {
  Member member;
  std::uint32_t partition = 0;
  model::Timestamp slot = 0;
  std::uint64_t generation = 0;
  model::Timestamp ready_ms = 0;
};

// An entry whose sealing failed: not due again before `retry_ms`, however often it is touched.
struct SetAside {
  Member member;
  std::uint32_t partition = 0;
  model::Timestamp slot = 0;
  std::uint32_t failures = 0;  // in a row
  model::Timestamp retry_ms = 0;
};

struct Counts {
  std::uint64_t pending = 0;    // entries, those set aside included
  std::uint64_t set_aside = 0;  // failed at least once and not completed since
  // When the first of all entries is (or was) ready, to a 64th of the quiet time; nullopt: nothing is pending.
  std::optional<model::Timestamp> oldest_due_ms;
};

enum class When {
  quiet,  // ready, as said above
  ended,  // every slot that has ended, however recently it was touched: to settle. Never what is set aside.
};

inline constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

class SlotTracker {
 public:
  virtual ~SlotTracker() = default;

  // Makes entries pending, or raises the generation of those that are. Call it when the samples are visible to reads,
  // before they are acknowledged. A batch with equal (tenant, slot) side by side is cheapest.
  virtual Status touch(std::span<const Touch> touches, model::Timestamp now_ms) = 0;

  // At most `limit` entries of these partitions, those that were ready first coming first (to a 64th of the quiet
  // time). An entry comes again with the next call unless it was completed or set aside: when settling, take each
  // partition once, without a limit.
  virtual Result<std::vector<Due>> due(model::Timestamp now_ms, std::span<const std::uint32_t> partitions,
                                       std::size_t limit, When when = When::quiet) = 0;

  // Sealed. True: the entry is gone. False: it was touched since `work` was given out (or may have been, where touches
  // are coalesced), and stays; or it was gone already.
  virtual Result<bool> complete(const Due& work) = 0;

  // Many at once: for each of them what complete() says. An error: some may be complete.
  virtual Result<std::vector<bool>> complete_all(std::span<const Due> works) {
    std::vector<bool> done;
    for (const Due& work : works) {
      VARVE_ASSIGN_OR_RETURN(const bool one, complete(work));
      done.push_back(one);
    }
    return done;
  }

  // Could not be sealed: sets it aside with exponential back-off, also if it was touched meanwhile.
  virtual Status fail(const Due& work, model::Timestamp now_ms) = 0;

  // Is anything of this tenant pending in this slot? What is not pending is sealed whole.
  virtual Result<bool> pending(model::TenantId tenant, model::Timestamp slot) = 0;

  // The same of each of these entries.
  virtual Result<std::vector<bool>> pending_of(std::span<const Touch> entries) = 0;

  // The starts, ascending, of this tenant's pending slots that overlap the range.
  virtual Result<std::vector<model::Timestamp>> pending_slots(model::TenantId tenant, model::TimeRange range) = 0;

  virtual Result<Counts> counts() = 0;

  // For people: at most `limit` of those set aside.
  virtual Result<std::vector<SetAside>> set_aside(std::size_t limit) = 0;
};

// What every implementation is told.
struct TrackerOptions {
  std::int64_t width_ms = 3'600'000;  // of a slot
  std::int64_t quiet_ms = 300'000;
  std::uint32_t partitions = 64;
  std::int64_t backoff_ms = 10'000;  // after the first failure; doubles with each one more
  std::int64_t backoff_ms_max = 3'600'000;
};

// Until when an entry is set aside after its nth failure (n ≥ 1) in a row.
inline model::Timestamp retry_at(const TrackerOptions& options, std::uint32_t failures, model::Timestamp now_ms) {
  std::int64_t wait = options.backoff_ms;
  while (--failures > 0 && wait < options.backoff_ms_max) wait *= 2;
  return now_ms + (wait < options.backoff_ms_max ? wait : options.backoff_ms_max);
}

}  // namespace varve::tracker
