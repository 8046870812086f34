// SPDX-License-Identifier: Apache-2.0
// TagSearch: between which times the series of a metric with each of some tags have samples, without looking at each of
// hundred thousands.
//
// Pages of series' stats and of a head's groups know between which times all that is in them lies, and between which
// tag sets. For each tag the search begins with the page that has the earliest time, and ends where no other page that
// may have the tag can have an earlier one; then likewise with the latest. Mostly a few pages of thousands are looked
// at; where the times of a tag are beside those of all other series in its pages, it may be all of these.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/rocksdb/head/head.h"
#include "engine/rocksdb/series/catalog.h"
#include "engine/rocksdb/series/stats_table.h"

namespace varve::engine::rocksdb {

// One thread. The table and the heads must be of one moment, and live as long as the search.
class TagSearch {
 public:
  TagSearch(const Catalog& catalog, std::uint32_t metric, std::size_t tags)
      : catalog_(catalog), metric_(metric), found_(tags) {}

  // `number`: of the tag in the index; `position`: where its times are in what run() returns.
  void add_tag(std::uint32_t number, std::size_t position) VARVE_EXCLUDES(catalog_.mutex);
  void add_pages(const StatsTable& stats) VARVE_EXCLUDES(catalog_.mutex);
  void add_head(const Head& head) VARVE_EXCLUDES(catalog_.mutex);

  // Of each tag the first and the last time; without points if no sample has it.
  [[nodiscard]] std::vector<storage::SeriesStats> run() VARVE_EXCLUDES(catalog_.mutex);

 private:
  struct Tag {
    std::uint32_t number;
    std::size_t position;
    index::TagSetSpan span;
  };
  // A page of either kind.
  struct Area {
    model::Timestamp first;
    model::Timestamp last;
    std::uint32_t number;
    const StatsPage* page;
    const Head* head;
    index::TagSetSpan span;
    bool is_known = false;
  };
  // A group of a head, with the times of its rows.
  struct Group {
    std::uint32_t number;
    storage::SeriesStats times;
  };

  // Looks at the areas, in their order, that may have a tag whose times in them are not `done(times, area)`.
  template <class Done>
  void look_at_all(Done&& done);
  void look_at(Area& area);
  void look_at_series(const Area& area);
  void look_at_groups(const Area& area);
  void list_groups(const Head& head, std::uint32_t first, std::uint32_t end);
  void add(model::SeriesId series, const storage::SeriesStats& times) VARVE_REQUIRES_SHARED(catalog_.mutex);
  void find_bounds();
  // Could the times be the first or the last of any of the area's tags? That is asked before names are, which cost
  // more.
  [[nodiscard]] bool may_count(const storage::SeriesStats& times) const {
    return times.points > 0 && (some_unknown_ || times.first_ms < latest_first_ || times.last_ms > earliest_last_);
  }
  [[nodiscard]] bool any_may_count(const Area& area) const { return may_count({area.first, area.last, 1, 0}); }

  const Catalog& catalog_;
  const std::uint32_t metric_;
  std::vector<Tag> tags_;
  std::vector<storage::SeriesStats> found_;
  std::vector<Area> areas_;
  std::vector<const Tag*> open_;       // tags that later areas may say more of
  std::vector<const Tag*> here_;       // tags that the area at hand may have, and of these:
  bool some_unknown_ = false;          // was one not found yet?
  model::Timestamp latest_first_ = 0;  // the latest first time of any
  model::Timestamp earliest_last_ = 0;
  std::vector<Group> groups_;
  std::vector<std::uint32_t> numbers_;
};

}  // namespace varve::engine::rocksdb
