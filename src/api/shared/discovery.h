// SPDX-License-Identifier: Apache-2.0
// Discovery: what the catalog's lists and KairosDB's lists of names have in common: how a request cuts them, and which
// series were seen in a time range, by what is known of them. No stored sample is read.
//   [?start=&end=]      milliseconds since 1970, both inclusive: only series that were seen then
//   [?limit=&after=]    a page
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "api/shared/http.h"
#include "base/result.h"
#include "model/ids.h"
#include "model/time.h"
#include "query/under_way.h"
#include "storage/series_store.h"

namespace varve::api {

inline constexpr std::size_t kListed = 1000;  // of the catalog, unless ?limit= says otherwise

struct Page {
  std::size_t limit = 0;                  // ≥ 1
  std::optional<std::string_view> after;  // where the page before ended, as its "next" said; of the request
};
// `unless_said`: how many, where the request has no limit. Error: invalid.
Result<Page> page_of(const Request& request, std::size_t unless_said);

// nullopt: the request does not ask for a range. Error: invalid.
Result<std::optional<model::TimeRange>> seen_range_of(const Request& request);

Result<std::uint64_t> number_of(std::string_view text, std::string_view name, std::uint64_t max);
Result<model::Timestamp> time_of(std::string_view text, std::string_view name);

// The metric that a request must name. Error: invalid.
Result<std::string_view> metric_of(const Request& request);
// ?tag=key=value, as often as it is there. Error: invalid.
Result<index::Matchers> tag_matchers_of(const Request& request);

// Of a tag among those that a SeenSeries has found.
std::size_t bytes_of_tag(std::string_view key, std::string_view value);

// The series of one tenant that were seen in a range: their first sample is not after it, and their last not before.
// One thread.
class SeenSeries {
 public:
  // No range: all series. What is referred to must outlive this. All of it is part of `query`: it takes no longer than
  // that may, is charged to it, and ends with it.
  SeenSeries(const storage::SeriesStore& store, model::TenantId tenant, std::optional<model::TimeRange> range,
             query::UnderWay& query)
      : store_(store), tenant_(tenant), range_(range), query_(query) {}

  // Called for each series with its stats, in the order of the list; returns false to stop.
  using Found = std::function<bool(model::SeriesId series, const storage::SeriesStats& stats)>;
  // Those of the list. Errors: cancelled (nobody waits), timeout, what the store says.
  Status among(std::span<const model::SeriesId> series, const Found& found) const;
  // Those of a metric. Errors also: limit, unavailable.
  Status of_metric(std::string_view metric, const index::Matchers& matchers, const Found& found) const;
  // Does the metric have one?
  [[nodiscard]] Result<bool> any(std::string_view metric) const;

  struct Sighting {
    std::uint64_t series = 0;
    storage::SeriesStats stats;  // of those series together
  };
  using Tags = std::map<std::pair<std::string, std::string>, Sighting>;
  // Of all series of the metric that were seen: their tags, by key and value. "": of all metrics.
  [[nodiscard]] Result<Tags> tags(std::string_view metric) const;
  // A page of them, at any time: only the series with one of these tags are looked at, and without a metric none: then
  // nothing but their number is said of them.
  [[nodiscard]] Result<Tags> page_of_tags(std::string_view metric, const index::TagPage& page) const;

 private:
  Status add_tags(std::string_view metric, Tags& tags) const;
  [[nodiscard]] Result<Tags> page_of_metric(std::string_view metric, const index::TagPage& page) const;
  // Of tags with many series, in order of `counts`. nullopt: each series is to be looked at.
  [[nodiscard]] std::optional<std::vector<storage::SeriesStats>> times_of_large(
      std::string_view metric, std::span<const index::TagCount> counts) const;
  Status add_stats(std::span<const index::TaggedSeries> tagged, std::span<Sighting> sightings) const;
  [[nodiscard]] bool seen(const storage::SeriesStats& stats) const { return !range_ || stats.seen_in(*range_); }

  const storage::SeriesStore& store_;
  const model::TenantId tenant_;
  const std::optional<model::TimeRange> range_;
  query::UnderWay& query_;
};

}  // namespace varve::api
