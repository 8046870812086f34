// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/beside.h"

#include "engine/rocksdb/head/fragment_stats.h"

namespace varve::engine::rocksdb {
namespace {

static_assert(index::SkippedSeries::kPage == StatsPage::kSeries, "a page of stats is left out as one");

// Keeps the series of which the head has samples in the range.
void keep_those_of(const Head& head, const index::SeriesIndex& index, model::TimeRange range,
                   index::SkippedSeries& skipped) {
  std::vector<std::uint32_t> groups;
  for (std::uint32_t group = 0, end = 1; group < end;) {
    groups.clear();
    {
      const MutexLock lock(head.mutex);
      end = head.groups_end();
      group = head.next_group(group);
      for (std::size_t i = 0; i < kGroupsUnderLock && group < end; ++i, group = head.next_group(group + 1)) {
        for (const auto* at = head.fragments(model::GroupId{group}); at != nullptr; at = at->next) {
          if (at->first_time >= range.last || at->last_time < range.first) continue;
          groups.push_back(group);
          break;
        }
      }
    }
    for (const std::uint32_t one : groups) {
      for (const model::SeriesId series : index.group_series(model::GroupId{one})) skipped.keep(series);
    }
  }
}

}  // namespace

index::SkippedSeries series_beside(const View& view, const index::SeriesIndex& index, model::TimeRange range) {
  index::SkippedSeries skipped;
  for (std::uint32_t number = 0; number < view.stats->page_count(); ++number) {
    const StatsPage* const page = view.stats->page(number);
    if (page != nullptr && page->is_beside(range)) skipped.add_page(number);
  }
  if (skipped.empty()) return skipped;
  for (const auto& head : {view.immutable, view.head}) {
    if (head != nullptr) keep_those_of(*head, index, range, skipped);
  }
  return skipped;
}

}  // namespace varve::engine::rocksdb
