// SPDX-License-Identifier: Apache-2.0
#include "tracker/local_tracker.h"

#include <algorithm>

#include "base/check.h"

namespace varve::tracker {
namespace {

constexpr std::int64_t kTicksInQuiet = 64;
constexpr std::size_t kAhead = 16;  // members whose memory is asked for at once

}  // namespace

LocalTracker::LocalTracker(TrackerOptions options)
    : options_(options),
      tick_ms_(std::max<std::int64_t>(1, options.quiet_ms / kTicksInQuiet)),
      queues_(options.partitions) {}

Status LocalTracker::touch(std::span<const Touch> touches, model::Timestamp now_ms) {
  const MutexLock lock(mutex_);
  if (++generation_ == 0) ++generation_;
  while (!touches.empty()) {
    const Touch& first = touches.front();
    const auto end = std::ranges::find_if_not(touches, [&first](const Touch& touch) {
      return touch.member.tenant == first.member.tenant && touch.slot == first.slot;
    });
    const auto run = static_cast<std::size_t>(end - touches.begin());
    touch_run(touches.first(run), now_ms);
    touches = touches.subspan(run);
  }
  return {};
}

// All of one tenant and slot.
void LocalTracker::touch_run(std::span<const Touch> run, model::Timestamp now_ms) {
  const model::TenantId tenant = run.front().member.tenant;
  const model::Timestamp slot = run.front().slot;
  SlotTable& table = tenants_[to_int(tenant)].try_emplace(slot, now_ms).first->second;
  for (std::size_t from = 0; from < run.size(); from += kAhead) {
    const auto part = run.subspan(from, std::min(kAhead, run.size() - from));
    for (const Touch& touch : part) table.prefetch_index(touch.member.id);
    for (const Touch& touch : part) table.prefetch_entry(touch.member.id);
    for (const Touch& touch : part) {
      std::uint32_t position = table.find(touch.member.id);
      const bool fresh = position == SlotTable::kNone;
      if (fresh) position = table.add(touch.member.id);
      SlotTable::Entry& entry = table[position];
      if (entry.generation == 0) {
        ++table.live;
        ++pending_;
      }
      entry.generation = generation_;
      table.set_touched(entry, now_ms);
      if (fresh) chain(touch.partition, {0, slot, tenant}, table, position);
    }
  }
}

// Puts the entry into the list of the tick at which it will be ready.
void LocalTracker::chain(std::uint32_t partition, ListKey key, SlotTable& table, std::uint32_t position) {
  check(partition < queues_.size(), "a touch of a partition that there is not");
  SlotTable::Entry& entry = table[position];
  key.tick = model::window_start(ready_ms(key, table, entry), tick_ms_);
  List& list = queues_[partition].try_emplace(key, List{&table, SlotTable::kNone}).first->second;
  entry.next = list.head;
  list.head = position;
}

model::Timestamp LocalTracker::ready_ms(const ListKey& key, const SlotTable& table,
                                        const SlotTable::Entry& entry) const {
  const auto ready = std::max(key.slot + options_.width_ms, table.touched_ms(entry)) + options_.quiet_ms;
  const Failure* failed = failure(key.tenant, entry.id, key.slot);
  return failed == nullptr ? ready : std::max(ready, failed->retry_ms);
}

const LocalTracker::Failure* LocalTracker::failure(model::TenantId tenant, std::uint32_t id,
                                                   model::Timestamp slot) const {
  if (failures_.empty()) return nullptr;
  const auto it = failures_.find({tenant, id, slot});
  return it == failures_.end() ? nullptr : &it->second;
}

Result<std::vector<Due>> LocalTracker::due(model::Timestamp now_ms, std::span<const std::uint32_t> partitions,
                                           std::size_t limit, When when) {
  std::vector<Due> found;
  {
    const MutexLock lock(mutex_);
    for (const std::uint32_t partition : partitions) {
      const std::size_t room = limit < kNoLimit - found.size() ? found.size() + limit : kNoLimit;
      walk(partition, {now_ms, when, room, found});
    }
  }
  std::ranges::stable_sort(found, {}, &Due::ready_ms);
  if (found.size() > limit) found.resize(limit);
  return found;
}

void LocalTracker::walk(std::uint32_t partition, const Look& look) {
  check(partition < queues_.size(), "asked for a partition that there is not");
  Queue& queue = queues_[partition];
  for (auto list = queue.begin(); list != queue.end() && look.found.size() < look.limit;) {
    if (look.when == When::quiet && list->first.tick > look.now_ms) break;
    const auto current = list;
    if (look.when == When::quiet || list->first.slot + options_.width_ms <= look.now_ms) {
      walk_list(partition, *current, look);
    }
    ++list;  // not before the walk: it may have put lists behind this one
    if (current->second.head == SlotTable::kNone) drop_list(queue, current);
  }
}

void LocalTracker::walk_list(std::uint32_t partition, Queue::value_type& list, const Look& look) {
  const ListKey& key = list.first;
  SlotTable& table = *list.second.table;
  std::uint32_t* link = &list.second.head;
  while (*link != SlotTable::kNone && look.found.size() < look.limit) {
    const std::uint32_t position = *link;
    SlotTable::Entry& entry = table[position];
    if (entry.generation == 0) {
      *link = entry.next;
      table.remove(position);
      continue;
    }
    const model::Timestamp ready = ready_ms(key, table, entry);
    const bool ended = look.when == When::ended && failure(key.tenant, entry.id, key.slot) == nullptr;
    if (look.when == When::quiet && model::window_start(ready, tick_ms_) != key.tick) {
      *link = entry.next;  // touched or set aside since it was chained
      chain(partition, key, table, position);
      continue;
    }
    if (ready <= look.now_ms || ended) {
      look.found.push_back({{key.tenant, entry.id}, partition, key.slot, entry.generation, ready});
    }
    link = &entry.next;
  }
}

// An empty list goes, and its table with it if that was the last one.
void LocalTracker::drop_list(Queue& queue, Queue::iterator list) {
  const ListKey key = list->first;
  const bool last = list->second.table->size() == 0;
  queue.erase(list);
  if (!last) return;
  const auto tenant = tenants_.find(to_int(key.tenant));
  check(tenant != tenants_.end(), "a list is of a tenant that has slots");
  tenant->second.erase(key.slot);
  if (tenant->second.empty()) tenants_.erase(tenant);
}

SlotTable* LocalTracker::find_table(model::TenantId tenant, model::Timestamp slot) {
  const auto slots = tenants_.find(to_int(tenant));
  if (slots == tenants_.end()) return nullptr;
  const auto table = slots->second.find(slot);
  return table == slots->second.end() ? nullptr : &table->second;
}

SlotTable::Entry* LocalTracker::find_pending(const Member& member, model::Timestamp slot, SlotTable*& table) {
  table = find_table(member.tenant, slot);
  if (table == nullptr) return nullptr;
  const std::uint32_t position = table->find(member.id);
  if (position == SlotTable::kNone || (*table)[position].generation == 0) return nullptr;
  return &(*table)[position];
}

Result<bool> LocalTracker::complete(const Due& work) {
  const MutexLock lock(mutex_);
  SlotTable* table = nullptr;
  SlotTable::Entry* entry = find_pending(work.member, work.slot, table);
  if (entry == nullptr || entry->generation != work.generation) return false;
  check(table->live > 0 && pending_ > 0, "what is completed was counted");
  entry->generation = 0;
  --table->live;
  --pending_;
  if (!failures_.empty()) failures_.erase({work.member.tenant, work.member.id, work.slot});
  return true;
}

Status LocalTracker::fail(const Due& work, model::Timestamp now_ms) {
  const MutexLock lock(mutex_);
  SlotTable* table = nullptr;
  if (find_pending(work.member, work.slot, table) == nullptr) return {};
  Failure& failed = failures_[{work.member.tenant, work.member.id, work.slot}];
  failed.partition = work.partition;
  failed.retry_ms = retry_at(options_, ++failed.failures, now_ms);
  return {};
}

Result<bool> LocalTracker::pending(model::TenantId tenant, model::Timestamp slot) {
  const MutexLock lock(mutex_);
  const SlotTable* table = find_table(tenant, slot);
  return table != nullptr && table->live > 0;
}

Result<std::vector<bool>> LocalTracker::pending_of(std::span<const Touch> entries) {
  std::vector<bool> list;
  const MutexLock lock(mutex_);
  for (const Touch& entry : entries) {
    SlotTable* table = nullptr;
    list.push_back(find_pending(entry.member, entry.slot, table) != nullptr);
  }
  return list;
}

Result<std::vector<model::Timestamp>> LocalTracker::pending_slots(model::TenantId tenant, model::TimeRange range) {
  std::vector<model::Timestamp> starts;
  if (range.empty()) return starts;
  const MutexLock lock(mutex_);
  const auto slots = tenants_.find(to_int(tenant));
  if (slots == tenants_.end()) return starts;
  for (auto it = slots->second.upper_bound(range.first - options_.width_ms);
       it != slots->second.end() && it->first < range.last; ++it) {
    if (it->second.live > 0) starts.push_back(it->first);
  }
  return starts;
}

Result<Counts> LocalTracker::counts() {
  const MutexLock lock(mutex_);
  Counts counts{pending_, failures_.size(), std::nullopt};
  std::vector<Due> first;
  for (std::uint32_t partition = 0; partition < queues_.size(); ++partition) {
    first.clear();
    // Looking from the end of time at one entry leaves the queue with a real one in front: the work is not lost.
    walk(partition, {std::numeric_limits<model::Timestamp>::max(), When::quiet, 1, first});
    if (first.empty()) continue;
    counts.oldest_due_ms = std::min(counts.oldest_due_ms.value_or(first[0].ready_ms), first[0].ready_ms);
  }
  return counts;
}

Result<std::vector<SetAside>> LocalTracker::set_aside(std::size_t limit) {
  const MutexLock lock(mutex_);
  std::vector<SetAside> list;
  for (const auto& [key, failed] : failures_) {
    if (list.size() == limit) break;
    const auto& [tenant, id, slot] = key;
    list.push_back({{tenant, id}, failed.partition, slot, failed.failures, failed.retry_ms});
  }
  return list;
}

std::size_t LocalTracker::memory_bytes() const {
  const MutexLock lock(mutex_);
  std::size_t bytes = sizeof *this;
  constexpr std::size_t kNodeBytes = 4 * sizeof(void*);  // of a std::map, beside its value
  for (const auto& [tenant, slots] : tenants_) {
    for (const auto& [slot, table] : slots) bytes += table.memory_bytes() + kNodeBytes;
  }
  for (const auto& queue : queues_) bytes += sizeof(Queue) + queue.size() * (sizeof(Queue::value_type) + kNodeBytes);
  return bytes + failures_.size() * (sizeof(decltype(failures_)::value_type) + kNodeBytes);
}

}  // namespace varve::tracker
