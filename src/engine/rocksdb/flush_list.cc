// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/flush_list.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "base/sort_unique.h"
#include "engine/rocksdb/runs/strata.h"

namespace varve::engine::rocksdb {
namespace {

constexpr std::uint32_t kGroupsListed = 4096;  // under the lock, while queries wait
constexpr std::size_t kHoursOfGroup = 4;       // that many on average are written as one chunk

// May the day be a stratum from now on, or does it lie in one? What is beyond the retention goes hour by hour.
bool takes_days(const Env& env, const Runs& runs, const SlotKey& stratum) {
  const model::TimeRange range = stratum.raw_range(env.chunk_width_ms);
  const std::int64_t now = env.clock.now_ms();
  if (range.last > now || range.first < shared::kept_from(env.options.raw_retention_ms, now)) return false;
  bool takes = true;
  for_each_raw_slot(runs, stratum.tenant, range, env.chunk_width_ms, [&](const SlotKey& slot, const Runs::OfSlot&) {
    takes = takes && slot.granularity_ms >= stratum.granularity_ms;
  });
  return takes;
}

}  // namespace

std::span<const FlushList::Item> FlushList::OfRun::of(std::uint32_t group) const {
  const auto found = std::ranges::equal_range(items, group, {}, &Item::group);
  return {found.begin(), found.end()};
}

FlushList::FlushList(const Head& head, const index::SeriesIndex& index) {
  std::vector<std::uint32_t> groups;
  for (std::uint32_t from = 0;;) {
    const MutexLock lock(head.mutex);
    if (!head.next_groups(from, kGroupsListed, groups)) break;
    for (const std::uint32_t g : groups) {
      const std::uint32_t tenant = model::to_int(index.group_tenant(model::GroupId{g}));
      for (const auto* at = head.fragments(model::GroupId{g}); at != nullptr; at = at->next) {
        items_.push_back({tenant, g, at, index.group_series(model::GroupId{g})});
      }
    }
  }
  std::sort(items_.begin(), items_.end(), [](const Item& a, const Item& b) {
    return std::tie(a.tenant, a.fragment->slot, a.group) < std::tie(b.tenant, b.fragment->slot, b.group);
  });
  rest_ = items_;
}

FlushList::OfRun FlushList::next(const Env& env, const Runs& runs) {
  check(!rest_.empty(), "there is something to be flushed");
  if (auto day = next_day(env, runs)) return *day;
  const Item& first = rest_[0];
  const SlotKey slot{model::TenantId{first.tenant}, 0, first.fragment->slot};
  const auto end = std::ranges::find_if_not(
      rest_, [&](const Item& item) { return item.tenant == first.tenant && item.fragment->slot == slot.start; });
  const auto items = rest_.first(static_cast<std::size_t>(end - rest_.begin()));
  rest_ = rest_.subspan(items.size());
  return {slot, items};
}

std::optional<FlushList::OfRun> FlushList::next_day(const Env& env, const Runs& runs) {
  const auto strata = env.strata();
  if (strata.empty()) return std::nullopt;
  const std::int64_t width = strata[0].width_ms;  // a day
  const Item& first = rest_[0];
  const SlotKey stratum = stratum_slot(model::TenantId{first.tenant}, width, first.fragment->slot);
  if (stratum == by_hours_ || !takes_days(env, runs, stratum)) return std::nullopt;
  const auto end = std::ranges::find_if_not(rest_, [&](const Item& item) {
    return item.tenant == first.tenant && item.fragment->slot < stratum.start + width;
  });
  const auto items = rest_.first(static_cast<std::size_t>(end - rest_.begin()));
  std::vector<std::uint32_t> groups;
  for (const Item& item : items) groups.push_back(item.group);
  sort_unique(groups);
  if (items.size() < kHoursOfGroup * groups.size() && stratum != follows_) {
    by_hours_ = stratum;
    return std::nullopt;
  }
  follows_ = stratum_slot(stratum.tenant, width, stratum.start + width);
  std::ranges::sort(items, {}, [](const Item& item) { return std::pair(item.group, item.fragment->slot); });
  rest_ = rest_.subspan(items.size());
  return OfRun{stratum, items};
}

}  // namespace varve::engine::rocksdb
