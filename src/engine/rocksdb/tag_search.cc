// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/tag_search.h"

#include <algorithm>
#include <utility>

namespace varve::engine::rocksdb {
namespace {

using model::Timestamp;
using storage::SeriesStats;

constexpr std::uint32_t kGroupsAtOnce = 128;  // appends, or definitions, wait while they are looked at
static_assert(StatsPage::kSeries == index::TagSetSpans::kOfPage && Head::kPageGroups == index::TagSetSpans::kOfPage);

}  // namespace

void TagSearch::add_tag(std::uint32_t number, std::size_t position) {
  const ReaderLock lock(catalog_.mutex);
  tags_.push_back({number, position, catalog_.index.span_of_tag(number)});
}

void TagSearch::add_pages(const StatsTable& stats) {
  const ReaderLock lock(catalog_.mutex);
  for (std::uint32_t number = 0; number < stats.page_count(); ++number) {
    const StatsPage* const page = stats.page(number);
    if (page == nullptr || page->all().points == 0) continue;
    const auto& all = page->all();
    areas_.push_back({all.first_ms, all.last_ms, number, page, nullptr, catalog_.index.span_of_series(number)});
  }
}

void TagSearch::add_head(const Head& head) {
  const std::size_t before = areas_.size();
  {
    const MutexLock lock(head.mutex);
    head.for_each_page([&](std::uint32_t number, Timestamp first, Timestamp last) {
      areas_.push_back({first, last, number, nullptr, &head, {}});
    });
  }
  const ReaderLock lock(catalog_.mutex);
  for (auto at = areas_.begin() + static_cast<std::ptrdiff_t>(before); at != areas_.end(); ++at) {
    at->span = catalog_.index.span_of_groups(at->number);
  }
}

std::vector<SeriesStats> TagSearch::run() {
  std::ranges::sort(areas_, {}, &Area::first);
  look_at_all([](const SeriesStats& times, const Area& area) { return times.first_ms <= area.first; });
  std::ranges::sort(areas_, std::ranges::greater(), &Area::last);
  look_at_all([](const SeriesStats& times, const Area& area) { return times.last_ms >= area.last; });
  return std::move(found_);
}

template <class Done>
void TagSearch::look_at_all(Done&& done) {
  open_.clear();
  for (const Tag& tag : tags_) open_.push_back(&tag);
  for (Area& area : areas_) {
    // What is done here is done in all areas that follow.
    std::erase_if(open_, [&](const Tag* tag) {
      const SeriesStats& times = found_[tag->position];
      return times.points > 0 && done(times, area);
    });
    if (open_.empty()) return;
    const auto may_be_here = [&](const Tag* tag) { return tag->span.overlaps(area.span); };
    if (!area.is_known && std::ranges::any_of(open_, may_be_here)) look_at(area);
  }
}

void TagSearch::look_at(Area& area) {
  area.is_known = true;
  here_.clear();
  for (const Tag& tag : tags_) {
    if (tag.span.overlaps(area.span)) here_.push_back(&tag);
  }
  std::ranges::sort(here_, {}, &Tag::number);
  find_bounds();
  area.page != nullptr ? look_at_series(area) : look_at_groups(area);
}

void TagSearch::find_bounds() {
  some_unknown_ = false;
  latest_first_ = model::kTimestampMin;
  earliest_last_ = model::kTimestampMax;
  for (const Tag* tag : here_) {
    const SeriesStats& times = found_[tag->position];
    some_unknown_ = some_unknown_ || times.points == 0;
    latest_first_ = std::max(latest_first_, times.first_ms);
    earliest_last_ = std::min(earliest_last_, times.last_ms);
  }
}

void TagSearch::look_at_series(const Area& area) {
  const ReaderLock lock(catalog_.mutex);
  const std::uint64_t first = std::uint64_t{area.number} * StatsPage::kSeries;
  const std::uint64_t end = std::min<std::uint64_t>(first + StatsPage::kSeries, catalog_.index.series_end());
  for (std::uint64_t id = first; id < end && any_may_count(area); ++id) {
    const model::SeriesId series{static_cast<std::uint32_t>(id)};
    if (catalog_.index.metric_number(series) != metric_) continue;
    add(series, (*area.page)[static_cast<std::size_t>(id - first)]);
  }
}

// In a fragment all columns have the same times, also where rows of it are markers.
void TagSearch::look_at_groups(const Area& area) {
  const std::uint32_t end = (area.number + 1) * Head::kPageGroups;
  for (std::uint32_t group = area.number * Head::kPageGroups; group < end && any_may_count(area);
       group += kGroupsAtOnce) {
    list_groups(*area.head, group, group + kGroupsAtOnce);
    if (groups_.empty()) continue;
    const ReaderLock lock(catalog_.mutex);
    for (const Group& one : groups_) {
      for (const model::SeriesId series : catalog_.index.group_series(model::GroupId{one.number})) {
        if (catalog_.index.metric_number(series) == metric_) add(series, one.times);
      }
    }
  }
}

void TagSearch::list_groups(const Head& head, std::uint32_t first, std::uint32_t end) {
  groups_.clear();
  const MutexLock lock(head.mutex);
  for (std::uint32_t group = first; group < end; ++group) {
    SeriesStats times;
    const auto* at = head.fragments(model::GroupId{group});
    for (; at != nullptr; at = at->next) {
      if (at->has_values()) times.add({at->first_value_time(), at->last_value_time(), 1, 0});
    }
    if (times.points != 0 && may_count(times)) groups_.push_back({group, times});
  }
}

void TagSearch::add(model::SeriesId series, const SeriesStats& times) {
  if (!may_count(times) || catalog_.index.is_forgotten(series)) return;
  catalog_.index.tag_numbers(series, numbers_);
  for (const std::uint32_t number : numbers_) {
    const auto at = std::ranges::lower_bound(here_, number, {}, &Tag::number);
    if (at != here_.end() && (*at)->number == number) found_[(*at)->position].add(times);
  }
  find_bounds();
}

}  // namespace varve::engine::rocksdb
