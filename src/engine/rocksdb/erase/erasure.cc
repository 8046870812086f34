// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/erase/erasure.h"

#include <algorithm>
#include <tuple>

#include "base/check.h"
#include "base/sort_unique.h"

namespace varve::engine::rocksdb {

Erasure::Erasure(const index::SeriesIndex& index, model::TenantId tenant, std::span<const model::SeriesId> series,
                 model::TimeRange range)
    : tenant_(tenant), range_(range) {
  for (const model::SeriesId one : series) {
    if (index.series_tenant(one) == tenant) series_.push_back(model::to_int(one));
  }
  sort_unique(series_);
  const auto listed = std::ranges::count_if(
      series_, [&](std::uint32_t one) { return !index.is_forgotten(model::SeriesId{one}); });  // others have no data
  whole_tenant_ = static_cast<std::size_t>(listed) == index.series_count(tenant);

  std::vector<index::Place> places;
  std::vector<index::Place> all;
  for (const std::uint32_t one : series_) {
    index.places(model::SeriesId{one}, places);
    all.insert(all.end(), places.begin(), places.end());
  }
  std::ranges::sort(all, [](const index::Place& a, const index::Place& b) {
    return std::tie(a.group, a.column) < std::tie(b.group, b.column);
  });
  for (const index::Place& place : all) {
    const std::uint32_t group = model::to_int(place.group);
    if (groups_.empty() || groups_.back() != group) {
      groups_.push_back(group);
      firsts_.push_back(static_cast<std::uint32_t>(columns_.size()));
    }
    columns_.push_back(place.column);
  }
  firsts_.push_back(static_cast<std::uint32_t>(columns_.size()));
  check(firsts_.size() == groups_.size() + 1, "every group knows where its columns begin and end");
}

bool Erasure::has_series(std::uint32_t series) const { return std::ranges::binary_search(series_, series); }

std::span<const std::uint16_t> Erasure::columns(std::uint32_t group) const {
  const auto found = std::ranges::lower_bound(groups_, group);
  if (found == groups_.end() || *found != group) return {};
  const auto i = static_cast<std::size_t>(found - groups_.begin());
  return std::span(columns_).subspan(firsts_[i], firsts_[i + 1] - firsts_[i]);
}

}  // namespace varve::engine::rocksdb
