// SPDX-License-Identifier: Apache-2.0
#include "index/catalog.h"

#include <algorithm>

#include "base/check.h"
#include "base/random.h"

namespace varve::index {
namespace {

std::string_view bytes_of(std::span<const model::SeriesId> series) {
  return {reinterpret_cast<const char*>(series.data()), series.size_bytes()};
}

}  // namespace

// Seeded anew in each process: nobody can choose names that meet in one slot.
Catalog::Catalog(const CountedFrom& counted_from) : counted_from_(counted_from), seed_(random_number()) {}

std::uint32_t Catalog::find_tenant(std::string_view name) const {
  return tenant_ids_.find(slot(name, 0), [&](std::uint32_t id) { return text(tenants[id].name) == name; });
}

std::uint32_t Catalog::find_metric(std::uint32_t tenant, std::string_view name) const {
  return metric_ids_.find(slot(name, tenant), [&](std::uint32_t id) {
    return metrics[id].tenant == tenant && text(metrics[id].name) == name;
  });
}

std::uint32_t Catalog::find_key(std::uint32_t tenant, std::string_view name) const {
  return key_ids_.find(slot(name, tenant),
                       [&](std::uint32_t id) { return keys[id].tenant == tenant && text(keys[id].name) == name; });
}

std::uint32_t Catalog::find_pair(std::uint32_t key, std::string_view value) const {
  return pair_ids_.find(slot(value, key),
                        [&](std::uint32_t id) { return pairs[id].key == key && text(pairs[id].value) == value; });
}

std::uint32_t Catalog::find_tag_set(std::string_view coded_pairs) const {
  return tag_set_ids_.find(slot(coded_pairs, 0), [&](std::uint32_t id) {
    return !is_tag_set_gap(id) && text(tag_sets[id].pairs) == coded_pairs;
  });
}

std::uint32_t Catalog::find_group(std::span<const model::SeriesId> wanted, std::uint32_t ttl_s) const {
  return group_ids_.find(slot(bytes_of(wanted), ttl_s), [&](std::uint32_t id) {
    return std::ranges::equal(series_of(groups[id]), wanted) && ttl_of(id) == ttl_s;
  });
}

std::uint32_t Catalog::find_series(std::uint32_t metric, std::uint32_t tag_set) const {
  if (tag_sets[tag_set].count > kFewSeries) {
    return series_ids_.find(series_slot(metric, tag_set), [&](std::uint32_t id) {
      return series[id].metric == metric && series[id].tag_set == tag_set;
    });
  }
  std::uint32_t found = kNone;
  walk_series(tag_set, [&](std::uint32_t id) {
    if (series[id].metric == metric) found = id;
    return found == kNone;
  });
  return found;
}

void Catalog::list_series(std::uint32_t tag_set) {
  walk_series(tag_set, [&](std::uint32_t id) {
    const std::uint32_t at = series_slot(series[id].metric, tag_set);
    // It may be there: memory ran out the last time.
    if (series_ids_.find(at, [&](std::uint32_t known) { return known == id; }) == kNone) series_ids_.insert(at, id);
    return true;
  });
}

// Each of these first makes room for all that it adds, and changes nothing when memory runs out meanwhile (but for some
// bytes of the arena).

template <class T>
void Catalog::put_in_order(NameList& list, const Column<T>& of) {
  auto ids = postings.ids(list.ids);
  std::ranges::sort(ids, {}, [&](std::uint32_t id) { return name_of(of[id]); });
  auto order = std::make_unique<SortedIds>();
  for (const std::uint32_t id : ids) order->insert(order->end(), id);
  orders_.push_back(std::move(order));
  list.order = static_cast<std::uint32_t>(orders_.size() - 1);
}

template <class T>
SortedIds::Place Catalog::reserve_name(NameList& list, const Column<T>& of, std::string_view name) {
  postings.reserve(1);
  if (list.order == kNone) {
    if (postings.count(list.ids) < kFewNames) return {};
    put_in_order(list, of);
  }
  SortedIds& order = *orders_[list.order];
  const auto place = order.find_for_new([&](std::uint32_t id) { return name_of(of[id]) < name; });
  order.reserve(place);
  return place;
}

void Catalog::add_name(NameList& list, const SortedIds::Place& place, std::uint32_t id) {
  postings.append(list.ids, id);
  if (list.order != kNone) orders_[list.order]->insert(place, id);
}

std::uint32_t Catalog::add_tenant(std::string_view name) {
  const std::uint32_t id = tenants.size();
  const std::uint32_t at = slot(name, 0);
  tenants.reserve(1);
  tenant_ids_.reserve(at);
  tenants.push_back({texts_.add(name), 0, 0, {}, {}});
  tenant_ids_.insert(at, id);
  return id;
}

std::uint32_t Catalog::add_metric(std::uint32_t tenant, std::string_view name) {
  check(tenant < tenants.size(), "a metric of a tenant that there is");
  const std::uint32_t id = metrics.size();
  const std::uint32_t at = slot(name, tenant);
  metrics.reserve(1);
  metric_ids_.reserve(at);
  const auto place = reserve_name(tenants[tenant].metrics, metrics, name);
  metrics.push_back({tenant, texts_.add(name), kEmptyList, 0});
  metric_ids_.insert(at, id);
  add_name(tenants[tenant].metrics, place, id);
  return id;
}

std::uint32_t Catalog::add_key(std::uint32_t tenant, std::string_view name) {
  check(tenant < tenants.size(), "a tag's name of a tenant that there is");
  const std::uint32_t id = keys.size();
  const std::uint32_t at = slot(name, tenant);
  keys.reserve(1);
  key_ids_.reserve(at);
  const auto place = reserve_name(tenants[tenant].keys, keys, name);
  keys.push_back({tenant, texts_.add(name), {}, 0});
  key_ids_.insert(at, id);
  add_name(tenants[tenant].keys, place, id);
  return id;
}

std::uint32_t Catalog::add_pair(std::uint32_t key, std::string_view value) {
  check(key < keys.size(), "a value of a tag's name that there is");
  const std::uint32_t id = pairs.size();
  const std::uint32_t at = slot(value, key);
  pairs.reserve(1);
  pair_ids_.reserve(at);
  const auto place = reserve_name(keys[key].pairs, pairs, value);
  pairs.push_back({key, texts_.add(value), kEmptyList, 0});
  pair_ids_.insert(at, id);
  add_name(keys[key].pairs, place, id);
  return id;
}

std::uint32_t Catalog::add_tag_set(std::string_view coded_pairs) {
  const std::uint32_t id = tag_sets.size();
  const std::uint32_t at = slot(coded_pairs, 0);
  tag_sets.reserve(1);
  tag_set_ids_.reserve(at);
  postings.reserve(coded_pairs.size());  // a pair has a byte at least
  for_each_coded(coded_pairs, [&](std::uint32_t pair) {
    if (postings.count(pairs[pair].tag_sets) + 1 == counted_from_.tag_sets) large_.reserve_wide(*this, pair);
    return true;
  });
  tag_sets.push_back({texts_.add(coded_pairs), kNone, 0, 0});
  tag_set_ids_.insert(at, id);
  for_each_pair(id, [&](std::uint32_t pair) {
    postings.append(pairs[pair].tag_sets, id);
    return true;
  });
  return id;
}

std::uint32_t Catalog::add_series(std::uint32_t metric, std::uint32_t tag_set) {
  check(metric < metrics.size() && tag_set < tag_sets.size(), "a series of names that there are");
  const std::uint32_t id = series.size();
  TagSet& set = tag_sets[tag_set];
  const std::uint32_t at = series_slot(metric, tag_set);
  series.reserve(1);
  postings.reserve(1);
  runs.reserve(1);
  if (set.count == kFewSeries) list_series(tag_set);
  if (set.count >= kFewSeries) series_ids_.reserve(at);
  series_spans_.reserve(id);
  large_.add_new(*this, metric, tag_set);
  series.push_back({metric, tag_set, kEmptyList});
  series_spans_.add(id, tag_set);
  if (set.count++ >= kFewSeries) series_ids_.insert(at, id);
  postings.append(metrics[metric].series, id);
  count_live(id);
  if (set.last_run != kNone && runs[set.last_run].first + runs[set.last_run].count == id) {
    ++runs[set.last_run].count;
  } else {
    runs.push_back({id, 1, set.last_run});
    set.last_run = runs.size() - 1;
  }
  return id;
}

std::uint32_t Catalog::add_group(std::span<const model::SeriesId> members, std::uint32_t ttl_s) {
  check(!members.empty(), "a group has series");
  const std::uint32_t id = groups.size();
  const std::uint32_t at = slot(bytes_of(members), ttl_s);
  groups.reserve(1);
  group_ids_.reserve(at);
  group_spans_.reserve(id);
  postings.reserve(members.size());
  const std::uint32_t place = group_series_.allocate(members.size_bytes());
  if (ttl_s != 0) mortal_groups.push_back({id, ttl_s});
  std::memcpy(group_series_.at(place), members.data(), members.size_bytes());
  groups.push_back({place, static_cast<std::uint32_t>(members.size())});
  group_ids_.insert(at, id);
  for (const model::SeriesId member : members) {
    group_spans_.add(id, series[model::to_int(member)].tag_set);
    ListRef& list = series[model::to_int(member)].groups;
    // A series may have several columns in one group.
    if (list == kEmptyList || postings.last(list) != id) postings.append(list, id);
  }
  return id;
}

bool Catalog::has_room(std::size_t things, std::size_t bytes) const {
  const std::size_t most = std::max({tenants.size(), metrics.size(), keys.size(), pairs.size(), tag_sets.size(),
                                     runs.size(), series.size(), groups.size()});
  return most + things < kIdsMax && texts_.has_room(bytes + things * 8) && postings.has_room(things * 2) &&
         group_series_.has_room(things * 4);
}

void Catalog::tags(std::uint32_t tag_set, model::TagViews& out) const {
  out.clear();
  for_each_pair(tag_set, [&](std::uint32_t id) {
    const Pair& pair = pairs[id];
    out.push_back({text(keys[pair.key].name), text(pair.value)});
    return true;
  });
}

std::size_t Catalog::memory_bytes() const {
  std::size_t in_order = orders_.capacity() * sizeof(orders_[0]);
  for (const auto& order : orders_) in_order += sizeof(*order) + order->memory_bytes();
  return in_order + tenants.memory_bytes() + metrics.memory_bytes() + keys.memory_bytes() + pairs.memory_bytes() +
         tag_sets.memory_bytes() + runs.memory_bytes() + series.memory_bytes() + groups.memory_bytes() +
         postings.memory_bytes() + texts_.memory_bytes() + group_series_.memory_bytes() + tenant_ids_.memory_bytes() +
         metric_ids_.memory_bytes() + key_ids_.memory_bytes() + pair_ids_.memory_bytes() + tag_set_ids_.memory_bytes() +
         series_ids_.memory_bytes() + group_ids_.memory_bytes() + forgotten_.capacity() / 8 + large_.memory_bytes() +
         series_spans_.memory_bytes() + group_spans_.memory_bytes() +
         mortal_groups.capacity() * sizeof(mortal_groups[0]);
}

}  // namespace varve::index
