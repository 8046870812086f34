// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/erase/erasure.h"

#include <algorithm>
#include <tuple>

#include "base/check.h"
#include "base/sort_unique.h"

namespace varve::engine::rocksdb {

Erasure::Erasure(const Catalog& catalog, model::TenantId tenant, std::span<const model::SeriesId> series,
                 model::TimeRange range)
    : tenant_(tenant), range_(range) {
  const auto count = [&] {
    const ReaderLock lock(catalog.mutex);
    return catalog.index.series_count(tenant);
  };
  const std::size_t before = count();
  for_each_in_pieces(catalog.mutex, series.size(), [&](std::size_t i) VARVE_REQUIRES_SHARED(catalog.mutex) {
    if (catalog.index.series_tenant(series[i]) == tenant) series_.push_back(model::to_int(series[i]));
  });
  sort_unique(series_);
  std::vector<index::Place> places;
  std::vector<index::Place> all;
  std::size_t listed = 0;  // others have no data
  for_each_in_pieces(catalog.mutex, series_.size(), [&](std::size_t i) VARVE_REQUIRES_SHARED(catalog.mutex) {
    const model::SeriesId one{series_[i]};
    listed += catalog.index.is_forgotten(one) ? 0 : 1;
    catalog.index.places(one, places);
    all.insert(all.end(), places.begin(), places.end());
  });
  // Not if any was defined, revived or forgotten meanwhile.
  whole_tenant_ = listed == before && listed == count();
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
