// SPDX-License-Identifier: Apache-2.0
// series_stats(): what the store knows of series, of which a part may still be in the heads: that is counted there.
#include <algorithm>

#include "engine/rocksdb/head/fragment_stats.h"
#include "engine/rocksdb/store_state.h"
#include "engine/shared/stored_for.h"

namespace varve::engine::rocksdb {
namespace {

using storage::SeriesStats;

// A wanted series in one of its groups.
struct Wanted {
  std::uint32_t group;
  std::uint16_t column;
  std::uint32_t series;  // position in the caller's list
};

}  // namespace

Result<std::vector<SeriesStats>> Store::series_stats(model::TenantId tenant,
                                                     std::span<const model::SeriesId> series) const {
  std::vector<SeriesStats> out(series.size());
  std::vector<Wanted> wanted;
  std::vector<model::Timestamp> alive(series.size(), model::kTimestampMax);  // since when something may be left
  const std::int64_t now_ms = state_->env.expiry.now_ms();
  std::vector<index::Place> places;
  const Catalog& catalog = state_->catalog;
  for_each_in_pieces(catalog.mutex, series.size(), [&](std::size_t i) VARVE_REQUIRES_SHARED(catalog.mutex) {
    if (catalog.index.series_tenant(series[i]) != tenant) return;
    catalog.index.places(series[i], places);
    for (const auto& place : places) {
      wanted.push_back({model::to_int(place.group), place.column, static_cast<std::uint32_t>(i)});
      alive[i] = std::min(alive[i], shared::alive_from(place.ttl_s, now_ms));
    }
    if (!catalog.retentions.any()) return;
    const auto kept_ms =
        state_->env.classes.retention(catalog.retentions.class_of(catalog.index, series[i])).longest_ms();
    alive[i] = std::max(alive[i], shared::kept_from(kept_ms, now_ms));
  });
  std::ranges::sort(wanted, {}, &Wanted::group);
  const View now = state_->visible.now();  // of one moment: what is flushed later is still in these heads
  for (const Wanted& one : wanted) out[one.series] = now.stats->of(series[one.series]);

  FragmentStats counter;
  std::vector<HeadFragment> fragments;
  std::vector<std::uint16_t> columns;
  for (std::span<const Wanted> rest(wanted); !rest.empty();) {
    fragments.clear();
    std::size_t used = 0;
    for (const Head* const head : {now.immutable.get(), now.head.get()}) {
      if (head == nullptr) continue;
      const MutexLock lock(head->mutex);
      used = 0;
      for (std::size_t groups = 0; groups < kGroupsUnderLock && used < rest.size(); ++groups) {
        const std::uint32_t group = rest[used].group;
        list_fragments(*head, group, fragments);
        while (used < rest.size() && rest[used].group == group) ++used;
      }
    }
    const auto batch = rest.first(used);
    for (const HeadFragment& fragment : fragments) {
      const auto of_group = std::ranges::equal_range(batch, fragment.group, {}, &Wanted::group);
      columns.clear();
      for (const Wanted& one : of_group) columns.push_back(one.column);
      counter.count(fragment, columns);
      for (std::size_t i = 0; i < columns.size(); ++i) out[of_group[i].series].add(counter.of(i));
    }
    rest = rest.subspan(used);
  }
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = out[i].since(alive[i]);
  return out;
}

Result<std::vector<index::TagCount>> Store::tag_counts(model::TenantId tenant, std::string_view metric,
                                                       const index::TagPage& page) const {
  const ReaderLock lock(state_->catalog.mutex);
  return state_->catalog.index.tag_counts(tenant, metric, page);
}

Result<std::vector<index::TaggedSeries>> Store::tagged_series(model::TenantId tenant, std::string_view metric,
                                                              const index::TagPage& page) const {
  const ReaderLock lock(state_->catalog.mutex);
  return state_->catalog.index.tagged_series(tenant, metric, page);
}

std::uint64_t Store::series_defined() const {
  const ReaderLock lock(state_->catalog.mutex);
  return state_->catalog.index.series_end();
}

}  // namespace varve::engine::rocksdb
