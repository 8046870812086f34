// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/head/message_head.h"

#include <algorithm>

#include "base/check.h"
#include "message/row.h"

namespace varve::engine::rocksdb {
namespace {

constexpr std::size_t kMessageBlockBytesMin = std::size_t{4} << 10;
constexpr std::size_t kMessageBlockBytesMax = std::size_t{1} << 20;
constexpr std::int64_t kUsPerMs = 1000;

}  // namespace

// Rounds down, also before 1970.
model::Timestamp MessageHead::slot_of(std::int64_t time_us) const {
  const std::int64_t ms = time_us / kUsPerMs - (time_us % kUsPerMs < 0 ? 1 : 0);
  return model::window_start(ms, slot_width_ms_);
}

MessageHead::SlotOfClass MessageHead::slot_of(message::RowView row) const {
  const bool many = classes_ != nullptr && !classes_->are_one();
  return {many ? classes_->of(row) : message::kDefaultClass, slot_of(row.time_us())};
}

std::byte* MessageHead::reserve(Slot& slot, std::size_t bytes) {
  if (slot.blocks.empty() || slot.blocks.back().capacity - slot.blocks.back().used < bytes) {
    const std::size_t grown =
        slot.blocks.empty() ? kMessageBlockBytesMin : std::min(slot.blocks.back().capacity * 2, kMessageBlockBytesMax);
    Block block;
    block.capacity = std::max(grown, bytes);
    block.bytes = std::make_unique_for_overwrite<std::byte[]>(block.capacity);
    memory_bytes_ += block.capacity;
    slot.blocks.push_back(std::move(block));
  }
  Block& block = slot.blocks.back();
  std::byte* const at = block.bytes.get() + block.used;
  block.used += bytes;
  return at;
}

std::size_t MessageHead::append(model::TenantId tenant, std::span<const std::byte> rows, std::uint64_t arrival) {
  const MutexLock lock(mutex_);
  Slots& slots = tenants_[tenant];
  auto at_slot = slots.end();
  std::size_t count = 0;
  for (const std::byte *at = rows.data(), *const end = at + rows.size(); at != end; ++count) {
    const message::RowView row{at};
    const std::size_t bytes = row.bytes();
    const std::int64_t time = row.time_us();
    if (const auto key = slot_of(row); at_slot == slots.end() || at_slot->first != key) {
      at_slot = slots.try_emplace(key).first;
    }
    Slot& slot = at_slot->second;
    std::byte* const to = reserve(slot, bytes);
    std::memcpy(to, at, bytes);
    message::set_arrival(to, arrival + count);
    slot.first_us = slot.messages == 0 ? time : std::min(slot.first_us, time);
    slot.last_us = slot.messages == 0 ? time : std::max(slot.last_us, time);
    ++slot.messages;
    at += bytes;
  }
  return count;
}

std::vector<MessageHead::Fragment> MessageHead::fragments(model::TenantId tenant, std::int64_t first_us,
                                                          std::int64_t last_us) const {
  std::vector<Fragment> out;
  const MutexLock lock(mutex_);
  const auto of_tenant = tenants_.find(tenant);
  if (of_tenant == tenants_.end() || first_us > last_us) return out;
  const Slots& slots = of_tenant->second;
  for (const auto& [key, slot] : slots) {
    if (slot.first_us > last_us || slot.last_us < first_us) continue;
    Fragment fragment{key.first, key.second, slot.first_us, slot.last_us, slot.messages, {}};
    for (const Block& block : slot.blocks) fragment.rows.emplace_back(block.bytes.get(), block.used);
    out.push_back(std::move(fragment));
  }
  return out;
}

bool MessageHead::has_ended(model::Timestamp before_ms) const {
  const MutexLock lock(mutex_);
  return std::ranges::any_of(tenants_, [&](const auto& of_tenant) {
    return std::ranges::any_of(of_tenant.second,
                               [&](const auto& slot) { return slot.first.second + slot_width_ms_ <= before_ms; });
  });
}

std::vector<model::TenantId> MessageHead::tenants() const {
  std::vector<model::TenantId> out;
  const MutexLock lock(mutex_);
  for (const auto& [tenant, slots] : tenants_) out.push_back(tenant);
  return out;
}

}  // namespace varve::engine::rocksdb
