// SPDX-License-Identifier: Apache-2.0
#include "api/catalog/handlers.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/catalog/windows.h"
#include "api/shared/discovery.h"
#include "api/shared/name_pages.h"
#include "protocol/json/writer.h"

namespace varve::api {

namespace {

using model::ValueType;
using protocol::json::Writer;
using storage::MetricStats;
using storage::SeriesStats;
using Words = std::vector<std::string_view>;

constexpr std::size_t kTagsAtOnce = 10'000;  // series
constexpr std::size_t kMetricsAtOnce = 1000;

bool has_numbers(const SeriesStats& stats) { return stats.has(ValueType::long_) || stats.has(ValueType::double_); }
bool has_others(const SeriesStats& stats) {
  return stats.has(ValueType::string) || stats.has(ValueType::complex) || stats.has(ValueType::histogram);
}

// "first_seen":…,"last_seen":…
void append_seen(Writer& json, const SeriesStats& stats) {
  if (stats.points == 0) {
    json.key("first_seen").null().key("last_seen").null();
  } else {
    json.member("first_seen", stats.first_ms).member("last_seen", stats.last_ms);
  }
}

// "types":[…],"first_seen":…,"last_seen":…,"points":…
void append_stats(Writer& json, const SeriesStats& stats) {
  Words types;
  if (stats.has(ValueType::long_)) types.push_back("long");
  if (stats.has(ValueType::double_)) types.push_back("double");
  if (stats.has(ValueType::string)) types.push_back("string");
  if (stats.has(ValueType::complex)) types.push_back("complex");
  if (stats.has(ValueType::histogram)) types.push_back("histogram");
  json.key("types").array(types);
  append_seen(json, stats);
  json.member("points", stats.points);
}

class Catalog {
 public:
  explicit Catalog(const CatalogParts& parts) : parts_(parts), store_(parts.engine.series()) {}

  using Tenant = std::optional<model::TenantId>;  // none: nothing was ever written to it
  using Work = Result<Response> (Catalog::*)(Tenant tenant, const Request& request, query::UnderWay& query) const;
  Result<Response> answer(Work work, const Request& request) const {
    VARVE_ASSIGN_OR_RETURN(auto query,
                           begin_query(parts_.engine, request, "catalog", request.param("metric").value_or("")));
    VARVE_ASSIGN_OR_RETURN(const auto tenant, store_.find_tenant(request.tenant));
    VARVE_ASSIGN_OR_RETURN(auto response, query->explain((this->*work)(tenant, request, *query)));
    return held_by(std::move(query), std::move(response));
  }

  Result<Response> metrics(Tenant tenant, const Request& request, query::UnderWay& query) const {
    VARVE_ASSIGN_OR_RETURN(const Page page, page_of(request, kListed));
    VARVE_ASSIGN_OR_RETURN(const auto range, seen_range_of(request));
    std::string out;
    std::string last;
    bool more = false;
    Writer json(out);
    json.begin_object().key("metrics").begin_array();
    if (tenant) {
      const SeenSeries seen(store_, *tenant, range, query);
      MetricNames names(store_, *tenant, page, request.param("prefix").value_or(""), query);
      VARVE_ASSIGN_OR_RETURN(const std::string* name, names.next());
      for (std::size_t listed = 0; name != nullptr && listed < page.limit;) {
        std::vector<std::string> some;
        while (name != nullptr && some.size() < std::min(page.limit - listed, kMetricsAtOnce)) {
          some.push_back(*name);
          VARVE_ASSIGN_OR_RETURN(name, names.next());
        }
        const auto known = range ? std::nullopt : store_.metric_stats(*tenant, some);
        for (std::size_t i = 0; i < some.size(); ++i) {
          MetricStats all = known ? (*known)[i] : MetricStats{};
          if (!known) VARVE_RETURN_IF_ERROR(add_up(seen, some[i], all));
          if (known) query.ticket().count().series(all.series);
          if (all.series == 0) continue;
          append_metric(json, some[i], all);
          ++listed;
        }
        last = some.back();
      }
      more = name != nullptr;
    }
    json.end_array();
    if (more) json.member("next", last);
    json.end_object();
    return Response::own_json(200, std::move(out));
  }

  Result<Response> tags(Tenant tenant, const Request& request, query::UnderWay& query) const {
    VARVE_ASSIGN_OR_RETURN(const Page page, page_of(request, kListed));
    VARVE_ASSIGN_OR_RETURN(const auto range, seen_range_of(request));
    TagName after;
    if (page.after) {
      VARVE_ASSIGN_OR_RETURN(after, tag_after(*page.after));
    }
    const std::string_view metric = request.param("metric").value_or("");
    SeenSeries::Tags tags;
    if (tenant) {
      const SeenSeries seen(store_, *tenant, range, query);
      const index::TagPage wanted{after.first, after.second, page.limit + 1};
      VARVE_ASSIGN_OR_RETURN(tags, range ? seen.tags(metric) : seen.page_of_tags(metric, wanted));
    }
    auto at = tags.upper_bound(after);
    std::string out;
    Writer json(out);
    json.begin_object().key("tags").begin_array();
    for (std::size_t listed = 0; at != tags.end() && listed < page.limit; ++at, ++listed) {
      append_tag(json, at->first, at->second, !metric.empty() || range.has_value());
    }
    json.end_array();
    if (at != tags.end()) json.member("next", token_of(std::prev(at)->first));
    json.end_object();
    return Response::own_json(200, std::move(out));
  }

  Result<Response> series(Tenant tenant, const Request& request, query::UnderWay& query) const {
    VARVE_ASSIGN_OR_RETURN(const Page page, page_of(request, kListed));
    VARVE_ASSIGN_OR_RETURN(const auto range, seen_range_of(request));
    VARVE_ASSIGN_OR_RETURN(const auto metric, metric_of(request));
    VARVE_ASSIGN_OR_RETURN(const auto matchers, tag_matchers_of(request));
    const bool with_windows = request.param("width").has_value();
    VARVE_ASSIGN_OR_RETURN(const std::int64_t width_ms, width_of(request));
    VARVE_ASSIGN_OR_RETURN(const std::uint64_t from, first_of(page));
    Listed listed;
    if (tenant) {
      VARVE_ASSIGN_OR_RETURN(const auto found,
                             store_.select(*tenant, metric, matchers, {}, query::still_wanted(query.deadline())));
      VARVE_RETURN_IF_ERROR(query.budget().charge(found.size() * sizeof(model::SeriesId)));
      VARVE_ASSIGN_OR_RETURN(listed,
                             page_of_series(SeenSeries(store_, *tenant, range, query), found, from, page.limit));
      VARVE_RETURN_IF_ERROR(
          query.budget().charge(listed.series.size() * (sizeof(model::SeriesId) + sizeof(SeriesStats))));
    }
    query::SeriesWindows windows;
    if (with_windows) {
      const auto wanted = presence_of(request, metric, range.value_or(model::TimeRange()), width_ms);
      VARVE_ASSIGN_OR_RETURN(
          windows, query::windows_of_series(parts_.engine, wanted, listed.series, listed.stats, kWindowsListed, query));
      listed.more = listed.more || windows.of_series.size() < listed.series.size();
      listed.series.resize(windows.of_series.size());
    }
    std::string out;
    Writer json(out);
    json.begin_object().key("series").begin_array();
    for (std::size_t first = 0; first < listed.series.size(); first += kTagsAtOnce) {
      const auto some = std::span(listed.series).subspan(first, std::min(kTagsAtOnce, listed.series.size() - first));
      const auto tags = store_.tags(*tenant, some);
      const std::size_t before = out.size();
      VARVE_RETURN_IF_ERROR(query.check());
      for (std::size_t i = 0; i < some.size(); ++i) {
        json.begin_object().key("tags").object(tags[i]);
        append_stats(json, listed.stats[first + i]);
        if (with_windows) append_windows(json, windows.of_series[first + i]);
        json.end_object();
      }
      VARVE_RETURN_IF_ERROR(query.budget().charge(out.size() - before));
    }
    json.end_array();
    if (listed.more) json.member("next", std::to_string(model::to_int(listed.series.back())));
    json.end_object();
    Response response = Response::own_json(200, std::move(out));
    return with_windows ? with_read(std::move(response), windows.read) : response;
  }

  Result<Response> windows(Tenant, const Request& request, query::UnderWay& query) const {
    return catalog_windows(parts_.engine, request, query);
  }

 private:
  using TagName = std::pair<std::string, std::string>;

  struct Listed {
    std::vector<model::SeriesId> series;
    std::vector<SeriesStats> stats;
    bool more = false;
  };
  // Series keep the order of their first sight, so the number of the last one is where the next page begins.
  static Result<std::uint64_t> first_of(const Page& page) {
    if (!page.after) return std::uint64_t{0};
    VARVE_ASSIGN_OR_RETURN(const std::uint64_t last, number_of(*page.after, "after", model::to_int(model::kNoSeries)));
    return last + 1;
  }
  // Of those found the ones from `first` on that were seen, `limit` at most.
  static Result<Listed> page_of_series(const SeenSeries& seen, std::span<const model::SeriesId> found,
                                       std::uint64_t first, std::size_t limit) {
    const auto from = std::ranges::lower_bound(found, first, {}, [](model::SeriesId id) { return model::to_int(id); });
    found = {from, found.end()};
    Listed out;
    VARVE_RETURN_IF_ERROR(seen.among(found, [&](model::SeriesId one, const SeriesStats& stats) {
      out.more = out.series.size() == limit;
      if (out.more) return false;
      out.series.push_back(one);
      out.stats.push_back(stats);
      return true;
    }));
    return out;
  }

  // Where a page of tags ended, as <bytes of the key>:<key><value>: both may have any characters.
  static std::string token_of(const TagName& tag) {
    return std::to_string(tag.first.size()) + ':' + tag.first + tag.second;
  }
  static Result<TagName> tag_after(std::string_view token) {
    const std::size_t colon = token.find(':');
    if (colon == std::string_view::npos) return fail(Code::invalid, "after is not what an answer named as next");
    const std::string_view text = token.substr(colon + 1);
    VARVE_ASSIGN_OR_RETURN(const std::size_t key,
                           number_of(token.substr(0, colon), "the beginning of after", text.size()));
    return TagName(text.substr(0, key), text.substr(key));
  }

  static Status add_up(const SeenSeries& seen, const std::string& name, MetricStats& all) {
    return seen.of_metric(name, {}, [&](model::SeriesId, const SeriesStats& stats) {
      all.stats.add(stats);
      ++all.series;
      return true;
    });
  }

  // One that has no series, or none that was seen, is left out.
  void append_metric(Writer& json, const std::string& name, const MetricStats& known) const {
    const SeriesStats& all = known.stats;
    // What its rollups answer; without points it is not known yet to be a text.
    const bool text = has_others(all) && !has_numbers(all);
    const bool counter = !text && parts_.is_counter(name);
    Words aggregators = {"count", "last"};
    if (!text) aggregators = counter ? Words{"sum", "count"} : Words{"min", "max", "avg", "sum", "count"};
    if (!text && has_others(all)) aggregators.push_back("last");
    json.begin_object().member("name", name).member("kind", text ? "text" : counter ? "delta counter" : "gauge");
    json.key("aggregators").array(aggregators).member("series", known.series);
    append_stats(json, all);
    json.end_object();
  }

  static void append_tag(Writer& json, const TagName& tag, const SeenSeries::Sighting& sighting, bool with_stats) {
    json.begin_object().member("key", tag.first).member("value", tag.second).member("series", sighting.series);
    if (with_stats) append_seen(json, sighting.stats);
    json.end_object();
  }

  const CatalogParts& parts_;
  const storage::SeriesStore& store_;
};

}  // namespace

Result<Response> list_catalog_metrics(const CatalogParts& parts, const Request& request) {
  return Catalog(parts).answer(&Catalog::metrics, request);
}
Result<Response> list_catalog_tags(const CatalogParts& parts, const Request& request) {
  return Catalog(parts).answer(&Catalog::tags, request);
}
Result<Response> list_catalog_series(const CatalogParts& parts, const Request& request) {
  return Catalog(parts).answer(&Catalog::series, request);
}
Result<Response> list_catalog_windows(const CatalogParts& parts, const Request& request) {
  return Catalog(parts).answer(&Catalog::windows, request);
}

}  // namespace varve::api
