// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/flush_list.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "engine/rocksdb/runs/strata.h"

namespace varve::engine::rocksdb {
namespace {

constexpr std::uint32_t kGroupsListed = 4096;  // under a lock, while queries or definitions wait
constexpr std::size_t kHoursOfGroup = 4;       // that many on average are written as one chunk

}  // namespace

std::span<const FlushList::Item> FlushList::OfRun::of(std::uint32_t group) const {
  const auto found = std::ranges::equal_range(items, group, {}, &Item::group);
  return {found.begin(), found.end()};
}

FlushList::FlushList(const Env& env, const Head& head, const Catalog& catalog) : env_(env), catalog_(catalog) {
  const auto strata = env.strata(env.classes.longest());
  has_strata_ = !strata.empty();
  day_ms_ = has_strata_ ? strata[0].width_ms : env.chunk_width_ms;
  for (std::uint32_t from = 0; add_groups(head, catalog, from);) continue;
}

bool FlushList::add_groups(const Head& head, const Catalog& catalog, std::uint32_t& from) {
  std::vector<std::uint32_t> groups;
  {
    const MutexLock lock(head.mutex);
    if (!head.next_groups(from, kGroupsListed, groups)) return false;
  }
  std::vector<std::pair<std::uint32_t, std::span<const model::SeriesId>>> owners;  // tenant and series
  {
    const ReaderLock lock(catalog.mutex);
    for (const std::uint32_t g : groups) {
      const model::GroupId id{g};
      owners.emplace_back(model::to_int(catalog.index.group_tenant(id)), catalog.index.group_series(id));
    }
  }
  const MutexLock lock(head.mutex);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const auto& [tenant, series] = owners[i];
    for (const auto* at = head.fragments(model::GroupId{groups[i]}); at != nullptr; at = at->next) {
      days_[{tenant, model::window_start(at->slot, day_ms_)}].push_back({groups[i], at->slot, at, series});
    }
  }
  return true;
}

FlushList::OfRun FlushList::next(const Runs& runs) {
  check(!empty(), "there is something to be flushed");
  if (rest_.empty()) {
    if (const auto day = next_day(runs)) return *day;
  }
  const SlotKey slot{model::TenantId{day_.first}, 0, rest_[0].slot};
  const auto end = std::ranges::find_if_not(rest_, [&](const Item& item) { return item.slot == slot.start; });
  const std::span<const Item> items(rest_.begin(), end);
  rest_ = rest_.subspan(items.size());
  return {slot, items};
}

std::optional<FlushList::OfRun> FlushList::next_day(const Runs& runs) {
  const auto first = days_.begin();
  day_ = first->first;
  items_ = std::move(first->second);
  days_.erase(first);
  const SlotKey stratum = stratum_slot(model::TenantId{day_.first}, day_ms_, day_.second);
  if (!has_strata_ || !is_stratum(runs, stratum)) {
    std::ranges::sort(items_, {}, [](const Item& item) { return std::pair(item.slot, item.group); });
    rest_ = items_;
    return std::nullopt;
  }
  follows_ = stratum_slot(stratum.tenant, day_ms_, stratum.start + day_ms_);
  for (std::span<Item> rest = items_; !rest.empty();) {  // they come by group
    const auto end = std::ranges::find_if_not(rest, [&](const Item& item) { return item.group == rest[0].group; });
    std::ranges::sort(rest.begin(), end, {}, &Item::slot);
    rest = {end, rest.end()};
  }
  return OfRun{stratum, items_};
}

bool FlushList::takes_days(const Runs& runs, const SlotKey& stratum) const {
  const model::TimeRange range = stratum.raw_range(env_.chunk_width_ms);
  const std::int64_t now = env_.expiry.now_ms();
  const rollup::Retention& kept = catalog_.kept(stratum.tenant);
  if (range.last > now || range.first < shared::kept_from(kept.raw_ms, now) || env_.strata(kept).empty()) return false;
  bool takes = true;
  for_each_raw_slot(runs, stratum.tenant, range, env_.chunk_width_ms, [&](const SlotKey& slot, const Runs::OfSlot&) {
    takes = takes && slot.granularity_ms >= stratum.granularity_ms;
  });
  return takes;
}

bool FlushList::is_stratum(const Runs& runs, const SlotKey& stratum) const {
  if (!takes_days(runs, stratum)) return false;
  std::size_t groups = 1;
  for (std::size_t i = 1; i < items_.size(); ++i) groups += items_[i].group != items_[i - 1].group ? 1 : 0;
  return items_.size() >= kHoursOfGroup * groups || stratum == follows_;
}

}  // namespace varve::engine::rocksdb
