// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/head/head.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "engine/rocksdb/head/message_record.h"

namespace varve::engine::rocksdb {
namespace {

constexpr std::size_t kBlockBytesMin = 32;    // a trickle of one sample a minute must not cost a page
constexpr std::size_t kBlockBytesMax = 8192;  // what a full fragment wastes at most, by half

}  // namespace

Head::~Head() {
  const MutexLock lock(mutex);
  for (auto& slab : slabs_) pool_.give(std::move(slab));
}

std::byte* Head::allocate(std::size_t bytes) {
  bytes = (bytes + 7) & ~std::size_t{7};
  if (bytes > SlabPool::kSlabBytes / 4) {
    large_.push_back(std::make_unique_for_overwrite<std::byte[]>(bytes));
    large_bytes_ += bytes;
    return large_.back().get();
  }
  if (bytes > slab_left_) {
    slabs_.push_back(pool_.take());
    slab_at_ = slabs_.back().get();
    slab_left_ = SlabPool::kSlabBytes;
  }
  check(bytes <= slab_left_, "what is allocated lies in its slab");
  std::byte* at = slab_at_;
  slab_at_ += bytes;
  slab_left_ -= bytes;
  return at;
}

Head::Block* Head::new_block(std::size_t capacity) {
  auto* block = new (allocate(sizeof(Block) + capacity)) Block;
  block->next = nullptr;
  block->used = 0;
  block->capacity = static_cast<std::uint32_t>(capacity);
  return block;
}

void Head::append(std::span<const std::byte> rows, std::uint64_t sequence) {
  if (!holds_messages(rows)) return append_samples(rows);
  const MessageRecord record = decode_messages(rows);
  messages.append(record.tenant, record.rows, first_arrival(sequence));
}

void Head::append_samples(std::span<const std::byte> rows) {
  const MutexLock lock(mutex);
  const std::byte* at = rows.data();
  const std::byte* const end = at + rows.size();
  std::array<Late, kLateMax> late;  // rows of far groups that belong before their first slot
  std::size_t waiting = 0;
  while (at != end) {
    const model::RowView row{at};
    const std::uint32_t group = model::to_int(row.group());
    const model::Timestamp time = row.time();
    Fragment* const first = first_of(group);
    if (first != nullptr && time >= first->slot && time < first->slot + chunk_width_ms_) [[likely]] {
      append_row(*first, row);
    } else if (first == nullptr || time > first->slot || !is_far(group)) {
      append_row(*fragment_for(group, time), row);
    } else {
      late[waiting++] = {row, nullptr};
      if (waiting == kLateMax) append_late({late.data(), std::exchange(waiting, 0)});
    }
    at += row.bytes();
  }
  append_late({late.data(), waiting});
  constexpr std::size_t kFarBytes = 2 * sizeof(decltype(far_)::value_type);  // the table has room for more
  sample_bytes_.store(slabs_.size() * SlabPool::kSlabBytes + large_bytes_ +
                          by_group_.capacity() * sizeof(by_group_[0]) + pages_ * sizeof(GroupPage) +
                          far_.size() * kFarBytes,
                      std::memory_order_relaxed);
}

void Head::append_late(std::span<Late> rows) {
  for (Late& late : rows) {
    const auto found = far_.find({model::to_int(late.row.group()), slot_of(late.row.time())});
    if (found != far_.end()) __builtin_prefetch(late.fragment = found->second, 1);
  }
  for (const Late& late : rows) {
    if (late.fragment != nullptr) __builtin_prefetch(late.fragment->last, 1);
  }
  for (const Late& late : rows) {
    if (const Block* block = late.fragment == nullptr ? nullptr : late.fragment->last) {
      __builtin_prefetch(block->rows() + block->used, 1);
    }
  }
  for (const Late& late : rows) {
    // One before it may have made its fragment.
    Fragment* const fragment =
        late.fragment != nullptr ? late.fragment : fragment_for(model::to_int(late.row.group()), late.row.time());
    append_row(*fragment, late.row);
  }
}

void Head::append_row(Fragment& fragment, model::RowView row) {
  const std::size_t row_bytes = row.bytes();
  const std::size_t bytes = row_bytes + kArrivalBytes;
  const model::Timestamp time = row.time();
  check(time >= fragment.slot && time < fragment.slot + chunk_width_ms_, "a row lies in its slot");
  Block* block = fragment.last;
  if (block == nullptr || block->capacity - block->used < bytes) [[unlikely]] {
    const std::size_t grown =
        block == nullptr ? kBlockBytesMin : std::min<std::size_t>(block->capacity * 2, kBlockBytesMax);
    Block* fresh = new_block(std::max(grown, bytes));
    (block == nullptr ? fragment.first : block->next) = fresh;
    fragment.last = block = fresh;
    check(bytes <= block->capacity, "a row fits into its block");
  }
  std::byte* to = block->rows() + block->used;
  std::memcpy(to, row.at, row_bytes);
  store_le(to + row_bytes, static_cast<std::uint32_t>(rows_));
  block->used += static_cast<std::uint32_t>(bytes);
  GroupPage& page = *by_group_[model::to_int(row.group()) / kPageGroups];
  ++rows_;
  ++page.rows;
  fragment.ascends &= fragment.rows == 0 || time > fragment.last_time();
  fragment.kinds |= Fragment::bit_of(row.kind());
  ++fragment.rows;
  const auto after_ms = static_cast<std::uint32_t>(std::min<std::int64_t>(time - fragment.slot, Fragment::kFarMs));
  fragment.first_ms = std::min(fragment.first_ms, after_ms);
  fragment.last_ms = std::max(fragment.last_ms, after_ms);
  if (row.kind() == model::RowKind::stale_marker) return;
  fragment.first_value_ms = std::min(fragment.first_value_ms, after_ms);
  fragment.last_value_ms = std::max(fragment.last_value_ms, after_ms);
  page.first_time = std::min(page.first_time, time);
  page.last_time = std::max(page.last_time, time);
}

bool Head::holds_values(model::GroupId group) const {
  const MutexLock lock(mutex);
  for (const Fragment* at = fragments(group); at != nullptr; at = at->next) {
    if (at->has_values()) return true;
  }
  return false;
}

void Head::pieces(const Fragment& fragment, Pieces& out) const {
  for (const Block* block = fragment.first; block != nullptr; block = block->next) {
    out.emplace_back(block->rows(), block->used);
  }
}

}  // namespace varve::engine::rocksdb
