// SPDX-License-Identifier: Apache-2.0
#include "snmp/inventory/device_counters.h"

#include <algorithm>
#include <utility>

#include "codec/hash.h"

namespace varve::snmp::inventory {
namespace {

constexpr std::string_view kMetricPrefix = "snmp.";

bool counts_octets(std::string_view object) { return object.find("Octets") != std::string_view::npos; }

std::uint64_t device_hash(std::string_view tenant, std::string_view device) {
  return codec::hash64(device, codec::hash64(tenant));
}

}  // namespace

counter::Declaration declaration_of(ObjectType type, std::int64_t frequency_ms) {
  return {frequency_ms,
          {.gap_ms = counter::kGapBins * frequency_ms,
           .fall = type == ObjectType::counter32 ? counter::Fall::wrap32 : counter::Fall::unknown,
           .max_per_second = {},
           .is_unsigned = type == ObjectType::counter64}};
}

std::optional<counter::Declaration> DeviceCounters::find(std::string_view tenant, std::string_view metric,
                                                         const counter::TagOf& tag) const {
  if (!metric.starts_with(kMetricPrefix)) return std::nullopt;
  const std::string_view object = metric.substr(kMetricPrefix.size());
  const std::string_view set_name = tag("oidset");
  counter::Declaration out;
  {
    const ReaderLock lock(mutex_);
    const auto own = inventories_->find(tenant);
    const Oidset* const set = find_oidset(own == inventories_->end() ? built_in() : *own->second, set_name);
    const auto type = set == nullptr ? std::nullopt : set->type_of(object);
    if (!type || !is_counter(*type)) return std::nullopt;
    out = declaration_of(*type, set->frequency_ms);
  }
  const bool wraps = out.rules.fall == counter::Fall::wrap32;
  if (wraps && counts_octets(object)) out.ceilings = ceilings(tenant, tag("device"), tag("interface"));
  return out;
}

std::vector<counter::Ceiling> DeviceCounters::ceilings(std::string_view tenant, std::string_view device,
                                                       std::string_view interface) const {
  const ReaderLock lock(mutex_);
  const auto speeds = speeds_.find(device_hash(tenant, device));
  std::vector<counter::Ceiling> out;
  if (speeds == speeds_.end()) return out;
  const auto [first, last] = std::ranges::equal_range(speeds->second, codec::hash64(interface), {}, &Speed::interface);
  for (auto one = first; one != last; ++one) out.push_back(one->ceiling);
  return out;
}

void DeviceCounters::set_inventories(std::shared_ptr<const Inventories> inventories) {
  const MutexLock lock(mutex_);
  inventories_ = std::move(inventories);
}

void DeviceCounters::set_history(std::string_view tenant, std::string_view device, std::span<const HistoryRow> rows) {
  Speeds speeds;
  for (const HistoryRow& row : rows) {
    const std::uint64_t bits = bits_per_second(row);
    if (bits == 0) continue;
    speeds.push_back({codec::hash64(row.name), {row.begin, kSpeedTolerance * static_cast<double>(bits) / 8}});
  }
  std::ranges::stable_sort(speeds, {}, &Speed::interface);
  // Where only another attribute has changed, the speed has not.
  const auto repeats = std::ranges::unique(speeds, [](const Speed& a, const Speed& b) {
    return a.interface == b.interface && a.ceiling.per_second == b.ceiling.per_second;
  });
  speeds.erase(repeats.begin(), repeats.end());
  speeds.shrink_to_fit();
  const MutexLock lock(mutex_);
  speeds_.insert_or_assign(device_hash(tenant, device), std::move(speeds));
}

bool DeviceCounters::has_history(std::string_view tenant, std::string_view device) const {
  const ReaderLock lock(mutex_);
  return speeds_.contains(device_hash(tenant, device));
}

}  // namespace varve::snmp::inventory
