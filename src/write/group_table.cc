// SPDX-License-Identifier: Apache-2.0
#include "write/group_table.h"

#include <algorithm>
#include <string>

#include "codec/hash.h"
#include "model/row.h"

namespace varve::write {
namespace {

using model::LineGroup;

// A slot: the group's address in the low 48 bits (what user space has on x86-64 and, by default, on arm64), 16 bits of
// its hash above.
constexpr unsigned kMarkShift = 48;

LineGroup* group_of(std::uint64_t slot) {
  return reinterpret_cast<LineGroup*>(slot & ((std::uint64_t{1} << kMarkShift) - 1));
}

constexpr std::size_t kSeriesMax = 1024;  // of a group

}  // namespace

GroupTable::GroupTable(TableContext& context, model::TenantId tenant, std::string_view name)
    : context_(context), tenant_(tenant), name_(name), generation_(context.series.group_generation()) {}

GroupTable::~GroupTable() {
  const MutexLock lock(memory_mutex_);
  context_.name_bytes_left += name_bytes_;
  for (auto& shard : shards_) delete shard.slots.load();
}

GroupTable::Key GroupTable::key_of(std::string_view name, std::string_view fields) {
  const auto hash = codec::hash128(name);
  return {hash, fields.empty() ? hash.low : codec::hash64(fields, hash.low)};
}

// Bits: 60..63 the shard, 16..47 the place in it, 0..15 the mark.
std::uint32_t GroupTable::place(std::uint64_t mixed, std::uint32_t size) {
  return static_cast<std::uint32_t>((mixed >> 16 & 0xffffffff) * size >> 32);
}

LineGroup* GroupTable::find(std::string_view name, std::string_view fields) {
  return find(key_of(name, fields), name, fields);
}

LineGroup* GroupTable::find(const Key& key, std::string_view name, std::string_view fields) const {
  const Slots* slots = shards_[key.mixed >> 60].slots.load(std::memory_order_acquire);
  if (slots == nullptr) return nullptr;
  for (std::uint32_t i = place(key.mixed, slots->size);; i = i + 1 == slots->size ? 0 : i + 1) {
    const std::uint64_t slot = slots->at[i].load(std::memory_order_acquire);
    if (slot == 0) return nullptr;
    if (slot >> kMarkShift != (key.mixed & 0xffff)) continue;
    LineGroup* group = group_of(slot);
    if (group->hash == key.name && group->name_bytes == name.size() && group->fields == fields) return group;
  }
}

std::uint8_t TableContext::kept(std::string_view tenant, const model::TagViews& tags,
                                std::span<const std::string_view> metrics) const {
  if (!kept_of) return 0;
  if (!limits.cleans()) return kept_of(tenant, tags, metrics);
  model::TagViews cleaned = tags;
  model::clean(cleaned, limits);
  return kept_of(tenant, cleaned, metrics);
}

template <class Todo>
auto GroupTable::with_clean_tags(const model::TagViews& tags, std::span<const std::string_view> metrics,
                                 const Todo& todo) -> decltype(todo(tags)) {
  if (metrics.empty() || metrics.size() > kSeriesMax) {
    return fail(Code::invalid, std::to_string(metrics.size()) + " series in one line; at most 1024");
  }
  // Only here, where a name is seen for the first time: what is known was cleaned when it was defined.
  if (context_.limits.cleans()) {
    model::TagViews cleaned = tags;
    model::clean(cleaned, context_.limits);
    for (const auto metric : metrics) VARVE_RETURN_IF_ERROR(model::check_limits(metric, cleaned, context_.limits));
    return todo(cleaned);
  }
  for (const auto metric : metrics) VARVE_RETURN_IF_ERROR(model::check_limits(metric, tags, context_.limits));
  return todo(tags);
}

Status GroupTable::check(const model::TagViews& tags, std::span<const std::string_view> metrics) {
  return with_clean_tags(tags, metrics, [](const model::TagViews&) { return Status(); });
}

Result<bool> GroupTable::knows(const model::TagViews& tags, std::span<const std::string_view> metrics) {
  return with_clean_tags(tags, metrics, [&](const model::TagViews& cleaned) -> Result<bool> {
    for (const std::string_view metric : metrics) {
      VARVE_ASSIGN_OR_RETURN(const bool is_there, context_.series.has_series(tenant_, metric, cleaned));
      if (is_there) return true;
    }
    return false;
  });
}

Result<LineGroup*> GroupTable::define(std::string_view name, std::string_view fields, const model::TagViews& tags,
                                      std::span<const std::string_view> metrics, std::uint32_t ttl_s) {
  return with_clean_tags(tags, metrics, [&](const model::TagViews& cleaned) {
    return define_clean(name, fields, cleaned, metrics, ttl_s);
  });
}

Result<LineGroup*> GroupTable::define_clean(std::string_view name, std::string_view fields, const model::TagViews& tags,
                                            std::span<const std::string_view> metrics, std::uint32_t ttl_s) {
  const Key key = key_of(name, fields);
  Shard& shard = shards_[key.mixed >> 60];
  // Held over define_group: two threads that see one new name at once must not make two groups of it.
  const MutexLock lock(shard.mutex);
  if (LineGroup* known = find(key, name, fields)) return known;
  VARVE_ASSIGN_OR_RETURN(const model::GroupId id, context_.series.define_group(tenant_, tags, metrics, ttl_s));
  LineGroup* group = new_group(name, fields);
  group->id = id;
  group->count = static_cast<std::uint16_t>(metrics.size());
  group->kept = context_.kept(name_, tags, metrics);
  group->ttl_s = ttl_s;
  group->hash = key.name;
  make_room(shard);
  insert(*shard.slots.load(std::memory_order_relaxed), key.mixed, group);
  ++shard.used;
  return group;
}

void GroupTable::insert(Slots& slots, std::uint64_t mixed, const LineGroup* group) {
  std::uint32_t i = place(mixed, slots.size);
  while (slots.at[i].load(std::memory_order_relaxed) != 0) i = i + 1 == slots.size ? 0 : i + 1;
  const std::uint64_t slot = reinterpret_cast<std::uintptr_t>(group) | mixed << kMarkShift;
  slots.at[i].store(slot, std::memory_order_release);
}

void GroupTable::make_room(Shard& shard) {
  Slots* old = shard.slots.load(std::memory_order_relaxed);
  if (old != nullptr && shard.used + 1 <= old->size - old->size / 8) return;
  auto slots = std::make_unique<Slots>(old == nullptr ? 8 : old->size + old->size / 2);
  for (std::uint32_t i = 0; old != nullptr && i < old->size; ++i) {
    const std::uint64_t slot = old->at[i].load(std::memory_order_relaxed);
    if (slot == 0) continue;
    const LineGroup* group = group_of(slot);
    const auto low = group->hash.low;
    insert(*slots, group->fields.empty() ? low : codec::hash64(group->fields, low), group);
  }
  shard.slots.store(slots.release(), std::memory_order_release);
  if (old != nullptr) context_.retired.add(std::shared_ptr<Slots>(old));
}

LineGroup* GroupTable::new_group(std::string_view name, std::string_view fields) {
  const MutexLock lock(memory_mutex_);
  if (slab_used_ == slab_size_) {
    slab_size_ = std::clamp<std::size_t>(slab_size_ * 2, 8, 1024);
    slab_used_ = 0;
    slabs_.push_back(std::make_unique<LineGroup[]>(slab_size_));
    memory_bytes_ += slab_size_ * sizeof(LineGroup);
  }
  LineGroup* group = &slabs_.back()[slab_used_++];
  group->name_bytes = static_cast<std::uint32_t>(name.size());
  const std::size_t room = std::max(name.size(), LineGroup::kReadable);
  const auto bytes = static_cast<std::int64_t>(room);
  if (context_.name_bytes_left.fetch_sub(bytes, std::memory_order_relaxed) >= bytes) {
    group->raw_name = keep(name, room);
    name_bytes_ += bytes;
  } else {
    context_.name_bytes_left.fetch_add(bytes, std::memory_order_relaxed);
  }
  if (fields.empty()) return group;
  auto known = field_lists_.find(fields);
  if (known == field_lists_.end())
    known = field_lists_.emplace(keep(fields, fields.size() + LineGroup::kReadable), fields.size()).first;
  group->fields = *known;
  return group;
}

// A copy that has `room` ≥ its size to itself.
const char* GroupTable::keep(std::string_view bytes, std::size_t room) {
  if (chunk_used_ + room > chunk_size_) {
    chunk_size_ = std::max(std::clamp<std::size_t>(chunk_size_ * 2, 1024, 256 * 1024), room);
    chunk_used_ = 0;
    chunks_.push_back(std::make_unique<char[]>(chunk_size_));
    memory_bytes_ += chunk_size_;
  }
  char* at = chunks_.back().get() + chunk_used_;
  std::copy(bytes.begin(), bytes.end(), at);
  chunk_used_ += room;
  return at;
}

std::size_t GroupTable::memory_bytes() const {
  std::size_t bytes = sizeof *this;
  for (const auto& shard : shards_) {
    const Slots* slots = shard.slots.load(std::memory_order_acquire);
    if (slots != nullptr) bytes += slots->size * sizeof(std::uint64_t);
  }
  const MutexLock lock(memory_mutex_);
  return bytes + memory_bytes_;
}

}  // namespace varve::write
