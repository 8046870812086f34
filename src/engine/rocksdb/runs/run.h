// SPDX-License-Identifier: Apache-2.0
// Run: what one flush, one merge or one sealing wrote for one slot: blocks in ascending order of their groups.
// docs/formats/run.md: version:varint content:varint blocks:varint (first group − the one before:varint)* bytes:varint
//                      samples:varint chunks:varint first time:zigzag varint, last time − first time:varint
//                      [blocks:varint (sections:varint messages:varint first µs:zigzag varint, last − first:varint)*]
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "engine/rocksdb/runs/checkpoint.h"
#include "engine/rocksdb/runs/keys.h"
#include "engine/rocksdb/runs/slot_map.h"
#include "model/ids.h"
#include "model/time.h"

namespace varve::engine::rocksdb {

// A block of sealed messages (message/block/block.h). Its sections are blocks of the run, behind those of the one
// before.
struct SealedMessages {
  std::uint32_t sections = 0;
  std::uint64_t messages = 0;
  std::int64_t first_us = 0;  // both inclusive
  std::int64_t last_us = 0;
  bool operator==(const SealedMessages&) const = default;
};

struct Run {
  RunKey key;
  std::uint64_t content = 0;                // highest number of the runs that it was merged from; else its own
  std::vector<std::uint32_t> first_groups;  // of each block, ascending; of messages: the number of each section
  std::uint64_t samples = 0;                // or messages
  std::uint64_t chunks = 0;                 // series in it
  std::uint64_t bytes = 0;                  // of its blocks
  model::Timestamp first_time = 0;          // both inclusive
  model::Timestamp last_time = 0;
  std::vector<SealedMessages> sealed = {};  // of messages; empty: they are in frames
  bool has_old_keys = false;                // its record had version 1 or 2 (keys.h)
  std::uint32_t edition = 0;                // grows whenever blocks of it are exchanged; since the start, not stored

  [[nodiscard]] std::string block_prefix() const {
    return has_old_keys ? old_block_prefix(key) : rocksdb::block_prefix(key);
  }
  [[nodiscard]] std::string block_key(std::uint32_t first_group) const {
    return rocksdb::block_key(block_prefix(), model::GroupId{first_group});
  }

  // Position of the block in which the group would be, or -1 if it lies before the first.
  [[nodiscard]] std::ptrdiff_t block_of(std::uint32_t group) const;
};

using RunList = std::vector<std::shared_ptr<const Run>>;

// The highest content of the runs; 0 if there are none.
inline std::uint64_t content_of(const RunList& runs) {
  std::uint64_t most = 0;
  for (const auto& run : runs) most = most > run->content ? most : run->content;
  return most;
}

std::string encode_run(const Run& run);
Result<Run> decode_run(std::string_view key, std::string_view value);

// How far a slot is rolled up.
struct Mark {
  std::uint64_t sealed = 0;  // runs with at most this content are in the windows
  bool dropped = false;      // retention has dropped the samples; late samples are added to the windows
  // Of the windows that say what it held, ascending; also some that are not configured any more.
  std::vector<std::int64_t> granularities_ms;
  // Groups, ascending, that are not in the windows although their runs are: their samples changed, could not be read,
  // or belong to a partition that another process seals. Queries read samples for them. Empty if the samples are
  // dropped.
  std::vector<std::uint32_t> open;
  [[nodiscard]] bool has_windows_of(std::span<const std::int64_t> widths_ms) const {
    return std::ranges::includes(granularities_ms, widths_ms);
  }
  bool operator==(const Mark&) const = default;
};

std::string encode_mark(const Mark& mark);
Result<Mark> decode_mark(std::string_view value);

// A window of a granularity wider than a slot, to be made of the next finer one.
struct CoarseWindow {
  SlotKey slot;               // its granularity and start
  std::int64_t finer_ms = 0;  // the granularity that it is made of
  std::uint64_t content = 0;  // highest content of the finer runs that overlap it
};

// All runs and marks of a store. Copy-on-write: queries keep their version. It maintains lists of pending work, so that
// jobs need not scan all slots for the few that changed.
class Runs {
 public:
  struct OfSlot {
    RunList runs;                      // in ascending order of number; a stratum's also of the slots in it
    std::int64_t grown_steady_ns = 0;  // when the last run came that was not merged of others in it
    Mark mark;
    [[nodiscard]] std::uint64_t content() const { return content_of(runs); }
    [[nodiscard]] bool is_sealed() const { return content() <= mark.sealed; }
  };

  struct Nothing {};
  using Slots = SlotMap<Nothing>;

  // Which granularities are made of samples, and which of finer windows.
  struct Plan {
    std::vector<std::int64_t> of_raw_ms;                             // ascending
    std::vector<std::pair<std::int64_t, std::int64_t>> of_finer_ms;  // (granularity, the finer one), ascending
  };

  Runs() = default;
  explicit Runs(Plan plan) : plan_(std::move(plan)) {}

  SlotMap<OfSlot> slots;     // of samples and windows; read only, changed by the following methods
  SlotMap<OfSlot> messages;  // slots of messages; likewise

  // The slot whose list has the runs of `slot`: if that lies in a stratum, the stratum; else itself.
  [[nodiscard]] SlotKey home_of(const SlotKey& slot) const;
  // The widths of all strata that there have been, descending.
  [[nodiscard]] const std::vector<std::int64_t>& strata_ms() const { return strata_; }

  // A run of a stratum that is new takes over all that there is in its time; its marks go. Whoever commits it removes
  // them in the database, too. What a run was merged from is removed after it: then nothing has grown.
  void add(std::shared_ptr<const Run> run, std::int64_t now_steady_ns);
  void remove(const RunKey& key);
  void replace(std::shared_ptr<const Run> run);   // by one with other blocks
  void set_mark(const SlotKey& slot, Mark mark);  // Mark{}: removes it

  // Raw slots with samples that are not in their windows.
  [[nodiscard]] const Slots& pending() const { return pending_; }
  // Windows wider than a slot to be made of finer ones, for the first time or again; by granularity and start.
  [[nodiscard]] const SlotMap<CoarseWindow>& coarse_pending() const { return coarse_pending_; }
  // Slots with several runs.
  [[nodiscard]] const Slots& fragmented() const { return fragmented_; }
  // Slots of messages that are not one sealed run.
  [[nodiscard]] const Slots& unsealed_messages() const { return unsealed_messages_; }

  // Is it a raw slot that is pending or fragmented? What lies beside a stratum may stay there.
  [[nodiscard]] bool is_unsettled(const SlotKey& slot) const;
  // What is shown of all slots again and again is kept: there are hundreds of thousands. Unsettled
  // ones: how many, and does one of them hold this time?
  [[nodiscard]] std::uint64_t unsettled() const { return unsettled_; }
  [[nodiscard]] bool is_unsettled_at(model::Timestamp start) const;
  [[nodiscard]] std::uint64_t rollup_bytes() const { return rollup_bytes_; }
  [[nodiscard]] std::uint64_t message_bytes() const { return message_bytes_; }
  // In the database.
  [[nodiscard]] RecordCounts records() const { return {runs_, marks_ + left_marks_.size()}; }

 private:
  void adopt(const SlotKey& stratum);
  void look_at(const SlotKey& slot);
  void look_at_messages(const SlotKey& slot);
  void look_at_coarse(const Run& run);
  static SlotKey of_any_tenant(SlotKey slot) { return {model::TenantId{}, slot.granularity_ms, slot.start}; }
  void count_unsettled(const SlotKey& slot, bool more);
  // Of the runs of a slot; nullptr: they are not counted apart.
  std::uint64_t* bytes_of(const SlotKey& slot);

  Plan plan_;
  std::vector<std::int64_t> strata_;
  Slots pending_;
  SlotMap<CoarseWindow> coarse_pending_;
  Slots fragmented_;
  Slots unsealed_messages_;
  SlotMap<std::uint32_t> unsettled_at_;  // by of_any_tenant(): how many tenants have one there
  std::uint64_t unsettled_ = 0;
  std::uint64_t rollup_bytes_ = 0;
  std::uint64_t message_bytes_ = 0;
  std::uint64_t runs_ = 0;
  std::uint64_t marks_ = 0;  // of `slots`
  Slots left_marks_;         // that a stratum has taken over, until set_mark() removes them
};

}  // namespace varve::engine::rocksdb
