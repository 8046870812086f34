// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/beside.h"

#include "engine/rocksdb/head/fragment_stats.h"

namespace varve::engine::rocksdb {
namespace {

static_assert(index::SkippedSeries::kPage == StatsPage::kSeries, "a page of stats is left out as one");

bool has_rows_in(const Head::Fragment* first, model::TimeRange range) {
  for (const auto* at = first; at != nullptr; at = at->next) {
    if (at->first_time() < range.last && at->last_time() >= range.first) return true;
  }
  return false;
}

// Keeps the series of which the head has samples in the range.
void keep_those_of(const Head& head, const Catalog& catalog, model::TimeRange range, index::SkippedSeries& skipped) {
  std::vector<std::uint32_t> groups;
  for (std::uint32_t from = 0;;) {
    {
      const MutexLock lock(head.mutex);
      if (!head.next_groups(from, kGroupsUnderLock, groups)) return;
      std::size_t kept = 0;
      for (const std::uint32_t group : groups) {
        if (has_rows_in(head.fragments(model::GroupId{group}), range)) groups[kept++] = group;
      }
      groups.resize(kept);
    }
    const ReaderLock lock(catalog.mutex);
    for (const std::uint32_t group : groups) {
      for (const model::SeriesId series : catalog.index.group_series(model::GroupId{group})) skipped.keep(series);
    }
  }
}

}  // namespace

index::SkippedSeries series_beside(const View& view, const Catalog& catalog, model::TimeRange range) {
  index::SkippedSeries skipped;
  for (std::uint32_t number = 0; number < view.stats->page_count(); ++number) {
    const StatsPage* const page = view.stats->page(number);
    if (page != nullptr && page->is_beside(range)) skipped.add_page(number);
  }
  if (skipped.empty()) return skipped;
  for (const auto& head : {view.immutable, view.head}) {
    if (head != nullptr) keep_those_of(*head, catalog, range, skipped);
  }
  return skipped;
}

}  // namespace varve::engine::rocksdb
