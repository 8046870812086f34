// SPDX-License-Identifier: Apache-2.0
#include "api/shared/discovery.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "base/check.h"
#include "base/sort_unique.h"

namespace varve::api {

namespace {

using model::SeriesId;
using storage::SeriesStats;

constexpr std::size_t kListedMax = 100'000;    // what ?limit= may say
constexpr std::size_t kSeriesAtFirst = 100;    // mostly one of the first was seen, and where the rest may wait it does
constexpr std::uint64_t kSeriesOfATag = 1000;  // with more, not each of them is looked at where that can be avoided
constexpr std::size_t kSeriesAtOnce = 10'000;  // between two looks at whether anybody still waits

}  // namespace

std::size_t bytes_of_tag(std::string_view key, std::string_view value) {
  constexpr std::size_t kNode = 2 * sizeof(std::string) + sizeof(SeenSeries::Sighting) + 48;
  return kNode + key.size() + value.size();
}

Result<model::Timestamp> time_of(std::string_view text, std::string_view name) {
  model::Timestamp value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < model::kTimestampMin ||
      value > model::kTimestampMax) {
    return fail(Code::invalid, std::string(name) + " is a time in milliseconds since 1970");
  }
  return value;
}

Result<std::string_view> metric_of(const Request& request) {
  const std::string_view metric = request.param("metric").value_or("");
  if (metric.empty()) return fail(Code::invalid, "metric is missing");
  return metric;
}

Result<index::Matchers> tag_matchers_of(const Request& request) {
  index::Matchers matchers;
  for (const auto& [name, value] : request.query) {
    if (name != "tag") continue;
    const auto equals = value.find('=');
    if (equals == 0 || equals == std::string::npos) return fail(Code::invalid, "tag is written tag=key=value");
    matchers.push_back({value.substr(0, equals), index::Matcher::Kind::any_of, {value.substr(equals + 1)}});
  }
  return matchers;
}

Result<std::uint64_t> number_of(std::string_view text, std::string_view name, std::uint64_t max) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value > max) {
    return fail(Code::invalid, std::string(name) + " is a number from 0 to " + std::to_string(max));
  }
  return value;
}

Result<Page> page_of(const Request& request, std::size_t unless_said) {
  Page page{unless_said, request.param("after")};
  if (const auto text = request.param("limit")) {
    VARVE_ASSIGN_OR_RETURN(page.limit, number_of(*text, "limit", kListedMax));
    if (page.limit == 0) page.limit = kListedMax;
  }
  check(page.limit > 0, "a page is of something");
  return page;
}

Result<std::optional<model::TimeRange>> seen_range_of(const Request& request) {
  const auto start = request.param("start");
  const auto end = request.param("end");
  if (!start && !end) return std::optional<model::TimeRange>();
  model::TimeRange range;
  if (start) {
    VARVE_ASSIGN_OR_RETURN(range.first, time_of(*start, "start"));
  }
  if (end) {
    VARVE_ASSIGN_OR_RETURN(const model::Timestamp last, time_of(*end, "end"));
    range.last = last + 1;
  }
  if (range.empty()) return fail(Code::invalid, "end is before start");
  return std::optional(range);
}

Status SeenSeries::among(std::span<const SeriesId> series, const Found& found) const {
  for (std::size_t at_once = kSeriesAtFirst; !series.empty(); at_once = std::min(at_once * 10, kSeriesAtOnce)) {
    VARVE_RETURN_IF_ERROR(query_.check());
    const auto some = series.first(std::min(at_once, series.size()));
    VARVE_ASSIGN_OR_RETURN(const auto stats, store_.series_stats(tenant_, some));
    check(stats.size() == some.size(), "the store knows something of each series");
    for (std::size_t i = 0; i < some.size(); ++i) {
      if (seen(stats[i]) && !found(some[i], stats[i])) return {};
    }
    series = series.subspan(some.size());
  }
  return {};
}

Status SeenSeries::of_metric(std::string_view metric, const index::Matchers& matchers, const Found& found) const {
  VARVE_RETURN_IF_ERROR(query_.check());
  VARVE_ASSIGN_OR_RETURN(const auto series,
                         store_.select(tenant_, metric, matchers, range_.value_or(model::TimeRange()),
                                       query::still_wanted(query_.deadline())));
  query_.ticket().count().series(series.size());
  VARVE_RETURN_IF_ERROR(query_.budget().charge(series.size() * sizeof(SeriesId)));
  VARVE_RETURN_IF_ERROR(among(series, found));
  query_.budget().release(series.size() * sizeof(SeriesId));
  return {};
}

Result<bool> SeenSeries::any(std::string_view metric) const {
  bool there = false;
  VARVE_RETURN_IF_ERROR(of_metric(metric, {}, [&](SeriesId, const SeriesStats&) {
    there = true;
    return false;
  }));
  return there;
}

Result<SeenSeries::Tags> SeenSeries::tags(std::string_view metric) const {
  Tags tags;
  if (!metric.empty()) {
    VARVE_RETURN_IF_ERROR(add_tags(metric, tags));
    return tags;
  }
  VARVE_ASSIGN_OR_RETURN(const auto metrics, store_.metric_names(tenant_, {}));
  for (const std::string& each : metrics) VARVE_RETURN_IF_ERROR(add_tags(each, tags));
  return tags;
}

Status SeenSeries::add_tags(std::string_view metric, Tags& tags) const {
  std::vector<SeriesId> some;
  std::vector<SeriesStats> stats;
  Status counted;
  const auto count = [&]() -> Status {
    const auto lists = store_.tags(tenant_, some);
    check(lists.size() == some.size(), "the store has the tags of each series");
    for (std::size_t i = 0; i < some.size(); ++i) {
      for (const auto& tag : lists[i]) {
        const auto [at, is_new] = tags.try_emplace(tag);
        if (is_new) VARVE_RETURN_IF_ERROR(query_.budget().charge(bytes_of_tag(tag.first, tag.second)));
        ++at->second.series;
        at->second.stats.add(stats[i]);
      }
    }
    some.clear();
    stats.clear();
    return {};
  };
  VARVE_RETURN_IF_ERROR(of_metric(metric, {}, [&](SeriesId one, const SeriesStats& known) {
    some.push_back(one);
    stats.push_back(known);
    if (some.size() == kSeriesAtOnce) counted = count();
    return counted.has_value();
  }));
  VARVE_RETURN_IF_ERROR(counted);
  return count();
}

Result<SeenSeries::Tags> SeenSeries::page_of_tags(std::string_view metric, const index::TagPage& page) const {
  check(!range_, "a page is of all time");
  VARVE_RETURN_IF_ERROR(query_.check());
  Tags tags;
  if (metric.empty()) {
    VARVE_ASSIGN_OR_RETURN(auto counts, store_.tag_counts(tenant_, "", page));
    for (auto& one : counts) {
      VARVE_RETURN_IF_ERROR(query_.budget().charge(bytes_of_tag(one.key, one.value)));
      tags[{std::move(one.key), std::move(one.value)}].series = one.series;
    }
    return tags;
  }
  return page_of_metric(metric, page);
}

std::optional<std::vector<SeriesStats>> SeenSeries::times_of_large(std::string_view metric,
                                                                   std::span<const index::TagCount> counts) const {
  model::TagViews large;
  for (const auto& one : counts) {
    if (one.series > kSeriesOfATag) large.push_back({one.key, one.value});
  }
  return large.empty() ? std::nullopt : store_.tag_times(tenant_, metric, large);
}

Result<SeenSeries::Tags> SeenSeries::page_of_metric(std::string_view metric, const index::TagPage& page) const {
  Tags tags;
  std::vector<index::TaggedSeries> tagged;
  VARVE_ASSIGN_OR_RETURN(const auto counts, store_.tag_counts(tenant_, metric, page));
  if (const auto times = times_of_large(metric, counts)) {
    auto next = times->begin();
    for (const auto& one : counts) {
      if (one.series > kSeriesOfATag) {
        query_.ticket().count().series(one.series);
        tags[{one.key, one.value}] = {one.series, *next++};
      } else {
        const index::Matchers matchers{{one.key, index::Matcher::Kind::any_of, {one.value}}};
        VARVE_ASSIGN_OR_RETURN(auto series,
                               store_.select(tenant_, metric, matchers, {}, query::still_wanted(query_.deadline())));
        tagged.push_back({one.key, one.value, std::move(series)});
      }
    }
  } else {
    VARVE_ASSIGN_OR_RETURN(tagged, store_.tagged_series(tenant_, metric, page));
  }
  std::vector<Sighting> sightings(tagged.size());
  VARVE_RETURN_IF_ERROR(add_stats(tagged, sightings));
  for (std::size_t i = 0; i < tagged.size(); ++i) tags[{tagged[i].key, tagged[i].value}] = sightings[i];
  for (const auto& [tag, sighting] : tags) {
    VARVE_RETURN_IF_ERROR(query_.budget().charge(bytes_of_tag(tag.first, tag.second)));
  }
  return tags;
}

// A series has many tags, and its stats are asked for once.
Status SeenSeries::add_stats(std::span<const index::TaggedSeries> tagged, std::span<Sighting> sightings) const {
  std::size_t in_all = 0;
  for (const auto& one : tagged) in_all += one.series.size();
  const std::size_t bytes = in_all * (2 * sizeof(SeriesId) + sizeof(SeriesStats));
  VARVE_RETURN_IF_ERROR(query_.budget().charge(bytes));
  std::vector<SeriesId> series;
  series.reserve(in_all);
  for (const auto& one : tagged) series.insert(series.end(), one.series.begin(), one.series.end());
  sort_unique(series);
  query_.ticket().count().series(series.size());
  std::vector<SeriesStats> stats;
  stats.reserve(series.size());
  VARVE_RETURN_IF_ERROR(among(series, [&](SeriesId, const SeriesStats& known) {
    stats.push_back(known);
    return true;
  }));
  for (std::size_t i = 0; i < tagged.size(); ++i) {
    sightings[i].series = tagged[i].series.size();
    auto at = series.begin();
    for (const SeriesId one : tagged[i].series) {
      at = std::lower_bound(at, series.end(), one);
      sightings[i].stats.add(stats[static_cast<std::size_t>(at - series.begin())]);
    }
  }
  query_.budget().release(bytes);
  return {};
}

}  // namespace varve::api
