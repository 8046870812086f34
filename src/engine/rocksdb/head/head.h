// SPDX-License-Identifier: Apache-2.0
// Head: the rows that are in the log but not yet in RocksDB, by line group and slot, in order of arrival.
//
// A fragment (one group in one slot) is a list of blocks of packed rows, copied verbatim from the batch. Blocks are
// append-only and live as long as the Head, so a reader takes (block, used) under the head's lock and reads without it.
// Each row is followed by its arrival:u32, its sequence number in this head: if a series is in two groups, it tells
// which of two writes was later. One Head is filled at a time; when it is full it becomes immutable, is flushed to
// RocksDB and dropped as a whole.
//
// The head's lock is held while memory is copied, never during file I/O.
#pragma once

#include <array>
#include <atomic>
#include <bitset>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/mutex.h"
#include "engine/rocksdb/head/message_head.h"
#include "engine/rocksdb/head/slab_pool.h"
#include "engine/shared/rows.h"
#include "model/ids.h"
#include "model/row.h"
#include "model/time.h"

namespace varve::engine::rocksdb {

// Rank of a source in order of writing (shared/series_merge.h): runs by their number, then the immutable
// head, then the head.
inline constexpr std::uint64_t kImmutableRank = ~std::uint64_t{0} - 1;
inline constexpr std::uint64_t kHeadRank = ~std::uint64_t{0};

class Head {
 public:
  struct Block {
    Block* next;
    std::uint32_t used;
    std::uint32_t capacity;
    [[nodiscard]] const std::byte* rows() const { return reinterpret_cast<const std::byte*>(this + 1); }
    [[nodiscard]] std::byte* rows() { return reinterpret_cast<std::byte*>(this + 1); }
  };
  struct Fragment {
    model::Timestamp slot;  // start
    Fragment* next;         // of the same group, another slot; of few the one written last comes first, of many the
                            // one of the latest slot
    Fragment* previous;
    Block* first;
    Block* last;
    // Smallest and largest time of its rows, and of those with values, ms from the slot's start; the other way round:
    // there are none. kFarMs: that much or more, in a slot of more than 49 days.
    std::uint32_t first_ms, last_ms, first_value_ms, last_value_ms;
    std::uint32_t rows;
    std::uint8_t kinds;  // bit_of() of each kind that a row has
    bool ascends;        // each row is later than the one before: each has a time of its own
    static constexpr std::uint32_t kFarMs = ~std::uint32_t{0};

    static constexpr std::uint8_t bit_of(model::RowKind kind) {
      return static_cast<std::uint8_t>(1U << static_cast<unsigned>(kind));
    }
    [[nodiscard]] model::Timestamp first_time() const { return slot + first_ms; }
    [[nodiscard]] model::Timestamp last_time() const {
      return last_ms == kFarMs ? model::kTimestampMax : slot + last_ms;
    }
    [[nodiscard]] bool has_values() const { return first_value_ms <= last_value_ms; }
    [[nodiscard]] model::Timestamp first_value_time() const { return slot + first_value_ms; }
    [[nodiscard]] model::Timestamp last_value_time() const { return slot + last_value_ms; }
  };
  static constexpr std::size_t kArrivalBytes = shared::kArrivalBytes;
  static constexpr std::size_t kNearMax = 8;  // a group that has more fragments looks them up in a table
  // Whole rows, each with its arrival; readable without the lock.
  using Pieces = std::vector<std::span<const std::byte>>;

  // `classes` as of MessageHead.
  Head(SlabPool& pool, std::int64_t chunk_width_ms, const message::Classes* classes = nullptr)
      : messages(chunk_width_ms, classes), pool_(pool), chunk_width_ms_(chunk_width_ms) {}
  ~Head();
  Head(const Head&) = delete;
  Head& operator=(const Head&) = delete;

  mutable Mutex mutex;
  MessageHead messages;

  // Copies the rows of the log's record `sequence`, samples or messages, which must be well-formed.
  void append(std::span<const std::byte> rows, std::uint64_t sequence) VARVE_EXCLUDES(mutex);

  [[nodiscard]] bool holds(model::GroupId group) const VARVE_EXCLUDES(mutex) {
    const MutexLock lock(mutex);
    return fragments(group) != nullptr;
  }
  // The same of values, not markers alone.
  [[nodiscard]] bool holds_values(model::GroupId group) const VARVE_EXCLUDES(mutex);
  [[nodiscard]] const Fragment* fragments(model::GroupId group) const VARVE_REQUIRES(mutex) {
    return first_of(model::to_int(group));
  }
  void pieces(const Fragment& fragment, Pieces& out) const VARVE_REQUIRES(mutex);  // appended to `out`
  // The next groups from `from` on that have fragments, ascending and at most `most`, into `out` (cleared first);
  // `from` is behind them then. False: there are no more. To list all groups, the lock is taken anew for each few of
  // them, so that no append waits for all.
  [[nodiscard]] bool next_groups(std::uint32_t& from, std::size_t most, std::vector<std::uint32_t>& out) const
      VARVE_REQUIRES(mutex);
  // The same of groups before `end` alone.
  [[nodiscard]] bool next_groups(std::uint32_t& from, std::uint32_t end, std::size_t most,
                                 std::vector<std::uint32_t>& out) const VARVE_REQUIRES(mutex);
  // Calls f(page, first time, last time) for each kPageGroups groups of which some have values: of all of them.
  static constexpr std::uint32_t kPageGroups = 1024;
  template <class F>
  void for_each_page(F&& f) const VARVE_REQUIRES(mutex) {
    for (std::uint32_t number = 0; number < by_group_.size(); ++number) {
      const GroupPage* const page = by_group_[number].get();
      if (page != nullptr && page->first_time <= page->last_time) f(number, page->first_time, page->last_time);
    }
  }
  // How many rows each page of groups has; 0: there is no page.
  [[nodiscard]] std::vector<std::uint64_t> page_rows() const VARVE_EXCLUDES(mutex);
  // Number of fragments of each slot.
  [[nodiscard]] const std::map<model::Timestamp, std::uint64_t>& slots() const VARVE_REQUIRES(mutex) { return slots_; }

  // Asked more than once for each append; takes no lock.
  [[nodiscard]] std::size_t memory_bytes() const {
    return sample_bytes_.load(std::memory_order_relaxed) + messages.memory_bytes();
  }
  // Of samples.
  [[nodiscard]] std::uint64_t rows() const VARVE_EXCLUDES(mutex) {
    const MutexLock lock(mutex);
    return rows_;
  }

  [[nodiscard]] bool empty() const { return rows() == 0 && messages.memory_bytes() == 0; }

 private:
  struct FragmentKey {
    std::uint32_t group;
    model::Timestamp slot;
    bool operator==(const FragmentKey&) const = default;
  };
  struct FragmentHash {
    std::size_t operator()(const FragmentKey& key) const;
  };
  // The first fragment of each of some groups. Only pages with fragments are there: groups that are no longer written
  // cost nothing.
  struct GroupPage {
    std::array<Fragment*, kPageGroups> newest{};
    std::bitset<kPageGroups> is_far;                     // has it more than kNearMax fragments?
    model::Timestamp first_time = model::kTimestampMax;  // smallest and largest of all their rows with values
    model::Timestamp last_time = model::kTimestampMin;
    std::uint64_t rows = 0;
  };

  // A row that waits until others like it have come: what they touch is fetched side by side then.
  struct Late {
    model::RowView row;
    Fragment* fragment;  // nullptr: not known
  };
  static constexpr std::size_t kLateMax = 32;

  void append_samples(std::span<const std::byte> rows) VARVE_EXCLUDES(mutex);
  void append_late(std::span<Late> rows) VARVE_REQUIRES(mutex);  // of far groups
  void append_row(Fragment& fragment, model::RowView row) VARVE_REQUIRES(mutex);
  [[nodiscard]] model::Timestamp slot_of(model::Timestamp time) const {
    return model::window_start(time, chunk_width_ms_);
  }
  [[nodiscard]] Fragment* first_of(std::uint32_t group) const VARVE_REQUIRES(mutex) {
    const std::uint32_t page = group / kPageGroups;
    return page < by_group_.size() && by_group_[page] != nullptr ? by_group_[page]->newest[group % kPageGroups]
                                                                 : nullptr;
  }
  // Has it, which must have a fragment, more than kNearMax?
  [[nodiscard]] bool is_far(std::uint32_t group) const VARVE_REQUIRES(mutex) {
    return by_group_[group / kPageGroups]->is_far[group % kPageGroups];
  }
  // Makes its page.
  Fragment*& place_of(std::uint32_t group) VARVE_REQUIRES(mutex);
  Fragment* fragment_for(std::uint32_t group, model::Timestamp time) VARVE_REQUIRES(mutex);
  // nullptr: there is none.
  [[nodiscard]] Fragment* find(std::uint32_t group, model::Timestamp slot) const VARVE_REQUIRES(mutex);
  Fragment* add(std::uint32_t group, model::Timestamp slot) VARVE_REQUIRES(mutex);
  void put_first(std::uint32_t group, Fragment* fragment) VARVE_REQUIRES(mutex);
  void move_first(std::uint32_t group, Fragment* fragment) VARVE_REQUIRES(mutex);
  void make_far(std::uint32_t group) VARVE_REQUIRES(mutex);
  void put_second(Fragment* first, Fragment* fragment) VARVE_REQUIRES(mutex);
  Block* new_block(std::size_t capacity) VARVE_REQUIRES(mutex);
  std::byte* allocate(std::size_t bytes) VARVE_REQUIRES(mutex);

  SlabPool& pool_;
  const std::int64_t chunk_width_ms_;
  std::vector<std::unique_ptr<GroupPage>> by_group_ VARVE_GUARDED_BY(mutex);
  std::size_t pages_ VARVE_GUARDED_BY(mutex) = 0;  // of by_group_ that are there
  std::map<model::Timestamp, std::uint64_t> slots_ VARVE_GUARDED_BY(mutex);
  // All fragments of the groups that have more than kNearMax: where a year comes host after host, there are thousands.
  boost::unordered_flat_map<FragmentKey, Fragment*, FragmentHash> far_ VARVE_GUARDED_BY(mutex);
  std::vector<std::unique_ptr<std::byte[]>> slabs_ VARVE_GUARDED_BY(mutex);
  // Blocks for single rows that are larger than a slab.
  std::vector<std::unique_ptr<std::byte[]>> large_ VARVE_GUARDED_BY(mutex);
  std::byte* slab_at_ VARVE_GUARDED_BY(mutex) = nullptr;
  std::size_t slab_left_ VARVE_GUARDED_BY(mutex) = 0;
  std::size_t large_bytes_ VARVE_GUARDED_BY(mutex) = 0;
  std::atomic<std::size_t> sample_bytes_{0};  // written under the lock
  std::uint64_t rows_ VARVE_GUARDED_BY(mutex) = 0;
};

}  // namespace varve::engine::rocksdb
