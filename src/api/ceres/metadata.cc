// SPDX-License-Identifier: Apache-2.0
// Ceres' metadata: names, keys and values of the request's tenant, and a search with wildcards.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "api/ceres/handlers.h"
#include "api/shared/query_answer.h"
#include "protocol/ceres/parameters.h"
#include "protocol/ceres/query.h"
#include "protocol/ceres/search.h"
#include "protocol/json/writer.h"
#include "query/expression.h"
#include "query/search.h"

namespace varve::api {

namespace {

namespace ceres = protocol::ceres;
using index::Matcher;
using protocol::json::Writer;

constexpr std::array<std::string_view, 2> kSubjects = {"metricName", "metricGroup"};
constexpr const char* kCeresMetadataApi = "ceres_metadata";
constexpr std::size_t kTagBatch = 1024;  // series whose tags are strings at one time

// The whole list's size, where only a part may have been asked for.
Response with_total(Response response, std::size_t total) {
  response.headers.emplace_back("X-Total-Count", std::to_string(total));
  return response;
}

Response list_response(const std::vector<std::string>& list, const ceres::Paging& paging) {
  const auto [first, last] = paging.part(list.size());
  std::string body;
  Writer(body).array(std::span(list).subspan(first, last - first));
  return with_total(Response::json(200, std::move(body)), list.size());
}

Matcher equals(std::string_view key, std::string_view value) {
  return {std::string(key), Matcher::Kind::any_of, {std::string(value)}};
}

query::Search search_of(const Request& request) {
  query::Search out;
  out.tenant = request.tenant;
  return out;
}

// --- lists

using FoundNames = Result<std::vector<std::string>>;
using ReadNames = FoundNames (*)(const CeresParts& parts, const Request& request, query::UnderWay& query);

Result<Response> list_names(const CeresParts& parts, const Request& request,
                            std::initializer_list<std::string_view> known, ReadNames names) {
  VARVE_RETURN_IF_ERROR(ceres::check_parameters(request.query, std::vector(known), request.tenant));
  VARVE_ASSIGN_OR_RETURN(const auto paging, ceres::paging_of(request.query));
  VARVE_ASSIGN_OR_RETURN(auto query, begin_query(parts.engine, request, kCeresMetadataApi));
  VARVE_ASSIGN_OR_RETURN(const auto list, query->explain(names(parts, request, *query)));
  VARVE_RETURN_IF_ERROR(query->explain(query->check()));
  VARVE_RETURN_IF_ERROR(charge_names(query->budget(), list));
  return held_by(std::move(query), list_response(list, paging));
}

// Only the one that asks: nothing of a tenant is ever visible to another.
FoundNames tenants(const CeresParts& parts, const Request& request, query::UnderWay&) {
  VARVE_ASSIGN_OR_RETURN(const auto tenant, parts.engine.series().find_tenant(request.tenant));
  if (!tenant) return std::vector<std::string>{};
  return std::vector<std::string>{request.tenant};
}

FoundNames ceres_metric_names(const CeresParts& parts, const Request& request, query::UnderWay& query) {
  query::Search search = search_of(request);
  if (const auto device = request.param("device")) search.matchers.push_back(equals(ceres::kDeviceTag, *device));
  if (const auto group = request.param("metricGroup")) search.matchers.push_back(equals(ceres::kGroupTag, *group));
  return query::metrics_with(parts.engine, search, query);
}

FoundNames values_of(const CeresParts& parts, const Request& request, std::string_view metric, std::string_view key) {
  VARVE_ASSIGN_OR_RETURN(const auto tenant, parts.engine.series().find_tenant(request.tenant));
  if (!tenant) return std::vector<std::string>{};
  return parts.engine.series().tag_values(*tenant, metric, key, {});
}

FoundNames metric_groups(const CeresParts& parts, const Request& request, query::UnderWay&) {
  return values_of(parts, request, "", ceres::kGroupTag);
}

FoundNames devices(const CeresParts& parts, const Request& request, query::UnderWay&) {
  return values_of(parts, request, "", ceres::kDeviceTag);
}

FoundNames tag_keys(const CeresParts& parts, const Request& request, query::UnderWay&) {
  VARVE_ASSIGN_OR_RETURN(const std::string metric, ceres::required(request.query, "metricName"));
  VARVE_ASSIGN_OR_RETURN(const auto tenant, parts.engine.series().find_tenant(request.tenant));
  if (!tenant) return std::vector<std::string>{};
  return parts.engine.series().tag_keys(*tenant, metric, {});
}

FoundNames tag_values(const CeresParts& parts, const Request& request, query::UnderWay&) {
  VARVE_ASSIGN_OR_RETURN(const std::string metric, ceres::required(request.query, "metricName"));
  VARVE_ASSIGN_OR_RETURN(const std::string key, ceres::required(request.query, "tagKey"));
  return values_of(parts, request, metric, key);
}

// --- what is found of series

// Calls use(tags) for each series, some at a time.
template <class Use>
Status for_each_tags(const storage::SeriesStore& store, model::TenantId tenant, std::span<const model::SeriesId> series,
                     const query::UnderWay& query, Use&& use) {
  for (std::size_t from = 0; from < series.size(); from += kTagBatch) {
    VARVE_RETURN_IF_ERROR(query.check());
    for (model::Tags& tags : store.tags(tenant, series.subspan(from, std::min(kTagBatch, series.size() - from)))) {
      VARVE_RETURN_IF_ERROR(use(std::move(tags)));
    }
  }
  return {};
}

using TagValues = std::map<std::string, std::set<std::string>>;

Result<TagValues> tags_of(const CeresParts& parts, const Request& request, const ceres::Subject& subject,
                          query::UnderWay& query) {
  TagValues out;
  query::Search search = search_of(request);
  if (subject.is_group) {
    search.matchers.push_back(equals(ceres::kGroupTag, subject.name));
  } else {
    search.metric = subject.name;
  }
  VARVE_RETURN_IF_ERROR(query::search(
      parts.engine, search, query,
      [&](model::TenantId tenant, const std::string&, std::span<const model::SeriesId> series) {
        return for_each_tags(parts.engine.series(), tenant, series, query, [&](const model::Tags& tags) -> Status {
          for (const auto& [key, value] : tags) {
            if (out[key].insert(value).second)
              VARVE_RETURN_IF_ERROR(query.budget().charge(2 * (key.size() + value.size()) + 128));
          }
          return {};
        });
      }));
  return out;
}

// Ceres has one value for each key, the last one; the others are in tagValues.
Result<Response> tags(const CeresParts& parts, const Request& request) {
  VARVE_RETURN_IF_ERROR(ceres::check_parameters(request.query, kSubjects, request.tenant));
  VARVE_ASSIGN_OR_RETURN(const auto subject, ceres::subject_of(request.query));
  VARVE_ASSIGN_OR_RETURN(auto query, begin_query(parts.engine, request, kCeresMetadataApi));
  VARVE_ASSIGN_OR_RETURN(const TagValues found, tags_of(parts, request, subject, *query));
  std::string body;
  Writer json(body);
  json.begin_object().member("tenantId", request.tenant);
  json.member(subject.is_group ? "metricGroup" : "metric", subject.name).key("tags").begin_object();
  for (const auto& [key, values] : found) json.member(key, *values.rbegin());
  json.end_object().key("tagValues").begin_object();
  for (const auto& [key, values] : found) json.key(key).array(values);
  json.end_object().end_object();
  return held_by(std::move(query), Response::json(200, std::move(body)));
}

// --- search

struct Found {
  std::string metric;  // "": not shown
  model::Tags tags;    // those that are shown
  auto operator<=>(const Found&) const = default;
};

// Streams what a search found.
class FoundAnswer {
 public:
  FoundAnswer(std::set<Found> found, const ceres::Paging& paging) : found_(std::move(found)) {
    const auto [first, last] = paging.part(found_.size());
    left_ = last - first;
    at_ = std::next(found_.begin(), static_cast<std::ptrdiff_t>(first));
  }

  bool next(std::string& out) {
    const std::size_t until = out.size() + http::kPieceBytes;
    if (!std::exchange(opened_, true)) out += '[';
    Writer json = Writer::behind_value(out, found_shown_);
    for (; left_ > 0; --left_, ++at_) {
      if (out.size() >= until) return true;
      found_shown_ = true;
      append(json, *at_);
    }
    json.end_array();
    return false;
  }

 private:
  static void append(Writer& json, const Found& found) {
    json.begin_object();
    if (!found.metric.empty()) json.member("metricName", found.metric);
    if (!found.tags.empty()) json.key("tags").object(found.tags);
    json.end_object();
  }

  const std::set<Found> found_;
  std::set<Found>::const_iterator at_;
  std::size_t left_ = 0;
  bool opened_ = false;
  bool found_shown_ = false;
};

Result<Matcher> fits(std::string_view key, std::string_view pattern, query::Expressions& expressions) {
  if (!ceres::has_wildcard(pattern)) return equals(key, ceres::wildcard_literal(pattern));
  VARVE_RETURN_IF_ERROR(expressions.count(pattern));
  return expressions.matcher(std::string(key), Matcher::Kind::regex, ceres::wildcard_regex(pattern));
}

Result<query::Search> search_of(const Request& request, const ceres::Search& asked) {
  query::Search out = search_of(request);
  query::Expressions expressions;
  index::Matchers names;
  for (const std::string& pattern : asked.metric_patterns) {
    VARVE_ASSIGN_OR_RETURN(names.emplace_back(), fits(query::kNameTag, pattern, expressions));
  }
  out.metric = std::move(names);
  for (const auto& [key, pattern] : asked.tag_patterns) {
    VARVE_ASSIGN_OR_RETURN(out.matchers.emplace_back(), fits(key, pattern, expressions));
    // "*" is any value, but not none.
    if (ceres::has_wildcard(pattern)) out.matchers.push_back({key, Matcher::Kind::none_of, {""}});
  }
  return out;
}

Result<std::set<Found>> find(const CeresParts& parts, const Request& request, const ceres::Search& asked,
                             query::UnderWay& query) {
  std::set<Found> out;
  const auto add = [&](Found found) -> Status {
    if (found.metric.empty() && found.tags.empty()) return {};
    std::size_t bytes = sizeof(Found) + 64 + found.metric.size();
    for (const auto& [key, value] : found.tags) bytes += key.size() + value.size() + 2 * sizeof(std::string);
    if (out.insert(std::move(found)).second) return query.budget().charge(bytes);
    return {};
  };
  VARVE_ASSIGN_OR_RETURN(const query::Search wanted, search_of(request, asked));
  VARVE_RETURN_IF_ERROR(query::search(
      parts.engine, wanted, query,
      [&](model::TenantId tenant, const std::string& metric, std::span<const model::SeriesId> series) -> Status {
        const std::string shown = asked.shows_metric() ? metric : std::string();
        if (!asked.shows_tags()) return add({shown, {}});
        return for_each_tags(parts.engine.series(), tenant, series, query, [&](model::Tags all) {
          std::erase_if(all, [&](const auto& tag) { return !asked.shows_tag(tag.first); });
          return add({shown, std::move(all)});
        });
      }));
  return out;
}

Result<Response> search(const CeresParts& parts, const Request& request) {
  VARVE_RETURN_IF_ERROR(ceres::check_parameters(request.query, {}, request.tenant));
  VARVE_ASSIGN_OR_RETURN(const ceres::Search asked, ceres::parse_search(request.body));
  VARVE_ASSIGN_OR_RETURN(auto query, begin_query(parts.engine, request, kCeresMetadataApi));
  VARVE_ASSIGN_OR_RETURN(auto found, find(parts, request, asked, *query));
  const std::size_t total = found.size();
  const auto text = std::make_shared<FoundAnswer>(std::move(found), asked.paging);
  return streamed(std::move(query), with_total(Response::json(200, ""), total), text);
}

}  // namespace

Result<Response> list_tenants(const CeresParts& parts, const Request& request) {
  return list_names(parts, request, {"offset", "limit"}, tenants);
}
Result<Response> list_ceres_metrics(const CeresParts& parts, const Request& request) {
  return list_names(parts, request, {"device", "metricGroup", "offset", "limit"}, ceres_metric_names);
}
Result<Response> list_metric_groups(const CeresParts& parts, const Request& request) {
  return list_names(parts, request, {"offset", "limit"}, metric_groups);
}
Result<Response> list_ceres_devices(const CeresParts& parts, const Request& request) {
  return list_names(parts, request, {"offset", "limit"}, devices);
}
Result<Response> list_ceres_tag_keys(const CeresParts& parts, const Request& request) {
  return list_names(parts, request, {"metricName", "offset", "limit"}, tag_keys);
}
Result<Response> list_ceres_tag_values(const CeresParts& parts, const Request& request) {
  return list_names(parts, request, {"metricName", "tagKey", "offset", "limit"}, tag_values);
}
Result<Response> show_ceres_tags(const CeresParts& parts, const Request& request) { return tags(parts, request); }
Result<Response> search_ceres(const CeresParts& parts, const Request& request) { return search(parts, request); }

}  // namespace varve::api
