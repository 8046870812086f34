// SPDX-License-Identifier: Apache-2.0
// tag_times(): when the series of a metric with a tag were seen, without looking at each of hundred thousands.
//
// Pages of series' stats and of a head's groups know between which times all that is in them lies. The search begins
// with the page that has the earliest time, and ends where no other page can have an earlier one for any of the tags;
// then likewise with the latest. Mostly a few pages of thousands are looked at; where the times of some tag are beside
// those of all other series, it may be all.
#include <algorithm>
#include <utility>

#include "engine/rocksdb/store_state.h"

namespace varve::engine::rocksdb {
namespace {

using model::Timestamp;
using storage::SeriesStats;

constexpr std::uint32_t kGroupsAtOnce = 128;  // appends, or definitions, wait while they are looked at

class TagSearch {
 public:
  TagSearch(const Catalog& catalog, std::uint32_t metric, std::size_t tags)
      : catalog_(catalog), metric_(metric), found_(tags) {}

  void add_tag(std::uint32_t number, std::size_t position) { tags_.emplace_back(number, position); }
  void add_pages(const StatsTable& stats) {
    for (std::uint32_t number = 0; number < stats.page_count(); ++number) {
      const StatsPage* const page = stats.page(number);
      if (page != nullptr && page->all().points > 0) {
        areas_.push_back({page->all().first_ms, page->all().last_ms, number, page, nullptr});
      }
    }
  }
  void add_head(const Head& head) {
    const MutexLock lock(head.mutex);
    head.for_each_page([&](std::uint32_t number, Timestamp first, Timestamp last) {
      areas_.push_back({first, last, number, nullptr, &head});
    });
  }

  std::vector<SeriesStats> run() {
    std::ranges::sort(tags_);
    std::ranges::sort(areas_, {}, &Area::first);
    for (Area& area : areas_) {
      const auto is_done = [&](const SeriesStats& one) { return one.points > 0 && one.first_ms <= area.first; };
      if (all_tags_are(is_done)) break;
      look_at(area);
    }
    std::ranges::sort(areas_, std::ranges::greater(), &Area::last);
    for (Area& area : areas_) {
      const auto is_done = [&](const SeriesStats& one) { return one.points > 0 && one.last_ms >= area.last; };
      if (all_tags_are(is_done)) break;
      look_at(area);
    }
    return std::move(found_);
  }

 private:
  // A page of either kind.
  struct Area {
    Timestamp first;
    Timestamp last;
    std::uint32_t number;
    const StatsPage* page;
    const Head* head;
    bool is_known = false;
  };
  // A group of a head, with the times of its rows.
  struct Group {
    std::uint32_t number;
    SeriesStats times;
  };

  template <class Is>
  [[nodiscard]] bool all_tags_are(Is&& is) const {
    return std::ranges::all_of(tags_, [&](const auto& tag) { return is(found_[tag.second]); });
  }

  void look_at(Area& area) {
    if (std::exchange(area.is_known, true)) return;
    first_of_all_ = model::kTimestampMin;
    last_of_all_ = model::kTimestampMax;
    for (const auto& [number, position] : tags_) {
      const SeriesStats& one = found_[position];
      first_of_all_ = std::max(first_of_all_, one.points > 0 ? one.first_ms : model::kTimestampMax);
      last_of_all_ = std::min(last_of_all_, one.points > 0 ? one.last_ms : model::kTimestampMin);
    }
    area.page != nullptr ? look_at_series(*area.page, area.number) : look_at_groups(*area.head, area.number);
  }

  // Could the times be the first or the last of any of the tags? That is asked before names are, which cost more.
  [[nodiscard]] bool may_count(const SeriesStats& times) const {
    return times.points > 0 && (times.first_ms <= first_of_all_ || times.last_ms >= last_of_all_);
  }

  void look_at_series(const StatsPage& page, std::uint32_t number) {
    const ReaderLock lock(catalog_.mutex);
    const std::uint64_t first = std::uint64_t{number} * StatsPage::kSeries;
    const std::uint64_t end = std::min<std::uint64_t>(first + StatsPage::kSeries, catalog_.index.series_end());
    for (std::uint64_t id = first; id < end; ++id) {
      const model::SeriesId series{static_cast<std::uint32_t>(id)};
      if (catalog_.index.metric_number(series) != metric_) continue;
      const SeriesStats stats = page[static_cast<std::size_t>(id - first)];
      if (may_count(stats)) add(series, stats);
    }
  }

  // In a fragment all columns have the same times.
  void look_at_groups(const Head& head, std::uint32_t page) {
    const std::uint32_t end = (page + 1) * Head::kPageGroups;
    for (std::uint32_t group = page * Head::kPageGroups; group < end; group += kGroupsAtOnce) {
      list_groups(head, group, group + kGroupsAtOnce);
      if (groups_.empty()) continue;
      const ReaderLock lock(catalog_.mutex);
      for (const Group& one : groups_) {
        for (const model::SeriesId series : catalog_.index.group_series(model::GroupId{one.number})) {
          if (catalog_.index.metric_number(series) == metric_) add(series, one.times);
        }
      }
    }
  }

  void list_groups(const Head& head, std::uint32_t first, std::uint32_t end) {
    groups_.clear();
    const MutexLock lock(head.mutex);
    for (std::uint32_t group = first; group < end; ++group) {
      SeriesStats times;
      const auto* at = head.fragments(model::GroupId{group});
      for (; at != nullptr; at = at->next) times.add({at->first_time, at->last_time, 1, 0});
      if (may_count(times)) groups_.push_back({group, times});
    }
  }

  void add(model::SeriesId series, const SeriesStats& times) VARVE_REQUIRES_SHARED(catalog_.mutex) {
    if (catalog_.index.is_forgotten(series)) return;
    catalog_.index.tag_numbers(series, numbers_);
    for (const std::uint32_t number : numbers_) {
      const auto at = std::ranges::lower_bound(tags_, number, {}, &std::pair<std::uint32_t, std::size_t>::first);
      if (at != tags_.end() && at->first == number) found_[at->second].add(times);
    }
  }

  const Catalog& catalog_;
  const std::uint32_t metric_;
  std::vector<std::pair<std::uint32_t, std::size_t>> tags_;  // number in the index, position in found_
  std::vector<SeriesStats> found_;
  std::vector<Area> areas_;
  Timestamp first_of_all_ = 0;  // the latest first time of any tag, and the earliest last one
  Timestamp last_of_all_ = 0;
  std::vector<Group> groups_;
  std::vector<std::uint32_t> numbers_;
};

}  // namespace

std::optional<std::vector<SeriesStats>> Store::tag_times(model::TenantId tenant, std::string_view metric,
                                                         const model::TagViews& tags) const {
  const View now = state_->visible.now();  // of one moment: what is flushed later is still in these heads
  std::optional<TagSearch> search;
  {
    const ReaderLock lock(state_->catalog.mutex);
    if (state_->catalog.index.has_mortal_groups()) return std::nullopt;  // the times of what has expired are others
    const auto number = state_->catalog.index.find_metric(tenant, metric);
    if (!number) return std::nullopt;
    search.emplace(state_->catalog, *number, tags.size());
    for (std::size_t i = 0; i < tags.size(); ++i) {
      const auto tag = state_->catalog.index.find_tag(tenant, tags[i].key, tags[i].value);
      if (tag) search->add_tag(*tag, i);
    }
  }
  search->add_pages(*now.stats);
  for (const auto& head : {now.immutable, now.head}) {
    if (head != nullptr) search->add_head(*head);
  }
  return search->run();
}

}  // namespace varve::engine::rocksdb
