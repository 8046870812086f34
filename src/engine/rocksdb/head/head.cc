// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/head/head.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/check.h"
#include "engine/rocksdb/head/message_record.h"

namespace varve::engine::rocksdb {
namespace {

constexpr std::size_t kBlockBytesMin = 32;    // a trickle of one sample a minute must not cost a page
constexpr std::size_t kBlockBytesMax = 8192;  // what a full fragment wastes at most, by half

}  // namespace

std::unique_ptr<std::byte[]> SlabPool::take() {
  const MutexLock lock(mutex_);
  if (free_.empty()) return std::make_unique_for_overwrite<std::byte[]>(kSlabBytes);
  auto slab = std::move(free_.back());
  free_.pop_back();
  least_ = std::min(least_, free_.size());
  return slab;
}

void SlabPool::give(std::unique_ptr<std::byte[]> slab) {
  check(slab != nullptr, "a slab that is given back was taken");
  const MutexLock lock(mutex_);
  if (free_.size() < keep_max_) free_.push_back(std::move(slab));
}

void SlabPool::shrink(std::int64_t steady_ns) {
  std::vector<std::unique_ptr<std::byte[]>> unused;  // freed without the lock
  const MutexLock lock(mutex_);
  if (steady_ns - since_ns_ < kNeededNs) return;
  for (; least_ > 0; --least_) {
    unused.push_back(std::move(free_.back()));
    free_.pop_back();
  }
  least_ = free_.size();
  since_ns_ = steady_ns;
}

std::size_t SlabPool::kept() const {
  const MutexLock lock(mutex_);
  return free_.size();
}

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

std::size_t Head::FragmentHash::operator()(const FragmentKey& key) const {
  // Slots are multiples of their width: a product spreads them (Knuth, multiplicative hashing).
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
  const std::uint64_t mixed = (static_cast<std::uint64_t>(key.slot) ^ (std::uint64_t{key.group} << 40)) * kOdd;
  return mixed ^ (mixed >> 32);
}

Head::Fragment* Head::find(std::uint32_t group, model::Timestamp slot) const {
  if (first_of(group) == nullptr) return nullptr;
  if (is_far(group)) {
    const auto found = far_.find({group, slot});
    return found == far_.end() ? nullptr : found->second;
  }
  for (Fragment* fragment = first_of(group); fragment != nullptr; fragment = fragment->next) {
    if (fragment->slot == slot) return fragment;
  }
  return nullptr;
}

void Head::put_first(std::uint32_t group, Fragment* fragment) {
  Fragment*& first = place_of(group);
  fragment->previous = nullptr;
  fragment->next = first;
  if (first != nullptr) first->previous = fragment;
  first = fragment;
}

void Head::put_second(Fragment* first, Fragment* fragment) {
  check(first != nullptr && first->previous == nullptr, "what is put second follows the first");
  fragment->previous = first;
  fragment->next = first->next;
  if (fragment->next != nullptr) fragment->next->previous = fragment;
  first->next = fragment;
}

void Head::move_first(std::uint32_t group, Fragment* fragment) {
  if (fragment->previous == nullptr) return;
  fragment->previous->next = fragment->next;
  if (fragment->next != nullptr) fragment->next->previous = fragment->previous;
  put_first(group, fragment);
}

Head::Fragment*& Head::place_of(std::uint32_t group) {
  const std::uint32_t number = group / kPageGroups;
  if (number >= by_group_.size()) by_group_.resize(number + 1);
  auto& page = by_group_[number];
  if (page == nullptr) {
    page = std::make_unique<GroupPage>();
    ++pages_;
  }
  return page->newest[group % kPageGroups];
}

bool Head::next_groups(std::uint32_t& from, std::size_t most, std::vector<std::uint32_t>& out) const {
  out.clear();
  while (from / kPageGroups < by_group_.size() && out.size() < most) {
    const auto& page = by_group_[from / kPageGroups];
    if (page == nullptr) {
      from = (from / kPageGroups + 1) * kPageGroups;
      continue;
    }
    if (page->newest[from % kPageGroups] != nullptr) out.push_back(from);
    ++from;
  }
  return !out.empty();
}

Head::Fragment* Head::add(std::uint32_t group, model::Timestamp slot) {
  auto* const fragment = new (allocate(sizeof(Fragment))) Fragment{.slot = slot,
                                                                   .next = nullptr,
                                                                   .previous = nullptr,
                                                                   .first = nullptr,
                                                                   .last = nullptr,
                                                                   .first_time = slot + chunk_width_ms_,
                                                                   .last_time = slot};
  ++slots_[slot];
  Fragment* const first = first_of(group);
  if (first != nullptr && is_far(group)) {
    // What comes late must not stand before the slot that most rows go to.
    slot < first->slot ? put_second(first, fragment) : put_first(group, fragment);
    far_.emplace(FragmentKey{group, slot}, fragment);
    return fragment;
  }
  put_first(group, fragment);
  std::size_t count = 0;
  for (const Fragment* at = fragment; at != nullptr; at = at->next) ++count;
  check(count <= kNearMax + 1, "a group with many fragments has them in the table");
  if (count > kNearMax) make_far(group);
  return fragment;
}

void Head::make_far(std::uint32_t group) {
  by_group_[group / kPageGroups]->is_far.set(group % kPageGroups);
  Fragment* latest = first_of(group);
  for (Fragment* at = latest; at != nullptr; at = at->next) {
    far_.emplace(FragmentKey{group, at->slot}, at);
    if (at->slot > latest->slot) latest = at;
  }
  move_first(group, latest);
}

Head::Fragment* Head::fragment_for(std::uint32_t group, model::Timestamp time) {
  const model::Timestamp slot = slot_of(time);
  Fragment* const fragment = find(group, slot);
  if (fragment == nullptr) return add(group, slot);
  // Of few fragments the one written last comes first. Of many, to move one, its neighbours would have to be fetched.
  if (!is_far(group)) move_first(group, fragment);
  return fragment;
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
  std::array<Late, kLateMax> late;  // rows of far groups that are not of their first slot
  std::size_t waiting = 0;
  while (at != end) {
    const model::RowView row{at};
    const std::uint32_t group = model::to_int(row.group());
    const model::Timestamp time = row.time();
    Fragment* const first = first_of(group);
    if (first != nullptr && time >= first->slot && time < first->slot + chunk_width_ms_) [[likely]] {
      append_row(*first, row);
    } else if (first == nullptr || !is_far(group)) {
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
  fragment.first_time = std::min(fragment.first_time, time);
  fragment.last_time = std::max(fragment.last_time, time);
  GroupPage& page = *by_group_[model::to_int(row.group()) / kPageGroups];
  page.first_time = std::min(page.first_time, time);
  page.last_time = std::max(page.last_time, time);
  ++rows_;
}

void Head::pieces(const Fragment& fragment, Pieces& out) const {
  for (const Block* block = fragment.first; block != nullptr; block = block->next) {
    out.emplace_back(block->rows(), block->used);
  }
}

}  // namespace varve::engine::rocksdb
