// SPDX-License-Identifier: Apache-2.0
#include "api/kairosdb/names.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/kairosdb/kairosdb_parts.h"
#include "api/shared/discovery.h"
#include "api/shared/endpoint.h"
#include "protocol/json/writer.h"

namespace varve::api {

namespace {

using Names = std::vector<std::string>;
using Range = std::optional<model::TimeRange>;

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();  // as KairosDB, unless ?limit= says else
constexpr const char* kNamesApi = "kairosdb_names";

void keep_prefix(Names& names, std::string_view prefix) {
  std::erase_if(names, [&](const std::string& name) { return !name.starts_with(prefix); });
}

void sort_once(Names& names) {
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
}

class NameLists {
 public:
  explicit NameLists(const query::Engine& engine) : engine_(engine), series_(engine.series()) {}

  // What a list is asked for, and the query that it is.
  struct Asked {
    const Request& request;
    query::UnderWay& query;
    Page page;
    Range range;
    model::TenantId tenant{};
    [[nodiscard]] std::string_view metric() const { return request.param("metric").value_or(""); }
  };
  using List = Result<std::string> (NameLists::*)(const Asked& asked) const;
  Result<std::string> metric_names(const Asked& asked) const {
    VARVE_ASSIGN_OR_RETURN(const auto names,
                           series_.metric_names(asked.tenant, asked.request.param("prefix").value_or(""), 0));
    VARVE_RETURN_IF_ERROR(asked.query.check());
    VARVE_RETURN_IF_ERROR(charge_names(asked.query.budget(), names));
    const SeenSeries seen = seen_of(asked);
    return page_json(names, asked.page, [&](const std::string& name) -> Result<bool> {
      if (!asked.range) return true;
      return seen.any(name);
    });
  }

  Result<std::string> tag_names(const Asked& asked) const {
    Names names;
    if (asked.range) {
      VARVE_ASSIGN_OR_RETURN(const auto tags, seen_of(asked).tags(asked.metric()));
      for (const auto& [tag, sighting] : tags) {
        if (names.empty() || names.back() != tag.first) names.push_back(tag.first);
      }
    } else {
      VARVE_ASSIGN_OR_RETURN(names, series_.tag_keys(asked.tenant, asked.metric()));
    }
    return prefixed_json(std::move(names), asked);
  }

  Result<std::string> tag_values(const Asked& asked) const {
    const auto key = asked.request.param("tag");
    Names names;
    if (asked.range) {
      VARVE_ASSIGN_OR_RETURN(const auto tags, seen_of(asked).tags(asked.metric()));
      for (const auto& [tag, sighting] : tags) {
        if (!key || tag.first == *key) names.push_back(tag.second);
      }
      sort_once(names);
    } else if (key) {
      VARVE_ASSIGN_OR_RETURN(names, series_.tag_values(asked.tenant, asked.metric(), *key));
    } else {
      VARVE_ASSIGN_OR_RETURN(names, all_tag_values(asked));
    }
    return prefixed_json(std::move(names), asked);
  }

  Result<Response> answer(List list, const Request& request) const {
    VARVE_ASSIGN_OR_RETURN(const Page page, page_of(request, kAll));
    VARVE_ASSIGN_OR_RETURN(const Range range, seen_range_of(request));
    VARVE_ASSIGN_OR_RETURN(auto query, begin_query(engine_, request, kNamesApi, request.param("metric").value_or("")));
    VARVE_ASSIGN_OR_RETURN(const auto tenant, series_.find_tenant(request.tenant));
    if (!tenant) return kairosdb_response(200, R"({"results":[]})");
    VARVE_ASSIGN_OR_RETURN(auto body, query->explain((this->*list)({request, *query, page, range, *tenant})));
    return held_by(std::move(query), kairosdb_response(200, std::move(body)));
  }

 private:
  [[nodiscard]] SeenSeries seen_of(const Asked& asked) const {
    return {series_, asked.tenant, asked.range, asked.query};
  }

  // `names` are sorted. `wanted`: std::string -> Result<bool>; asked until the page is full.
  template <class Wanted>
  static Result<std::string> page_json(const Names& names, const Page& page, const Wanted& wanted) {
    auto at = page.after ? std::ranges::upper_bound(names, *page.after) : names.begin();
    std::string out;
    protocol::json::Writer json(out);
    json.begin_object().key("results").begin_array();
    for (std::size_t listed = 0; at != names.end() && listed < page.limit; ++at) {
      VARVE_ASSIGN_OR_RETURN(const bool is_wanted, wanted(*at));
      if (!is_wanted) continue;
      ++listed;
      json.value(*at);
    }
    json.end_array();
    if (at != names.end()) json.member("next", *(at - 1));
    json.end_object();
    return out;
  }

  static Result<std::string> prefixed_json(Names names, const Asked& asked) {
    VARVE_RETURN_IF_ERROR(asked.query.check());
    keep_prefix(names, asked.request.param("prefix").value_or(""));
    VARVE_RETURN_IF_ERROR(charge_names(asked.query.budget(), names));
    return page_json(names, asked.page, [](const std::string&) -> Result<bool> { return true; });
  }

  [[nodiscard]] Result<Names> all_tag_values(const Asked& asked) const {
    Names all;
    VARVE_ASSIGN_OR_RETURN(const auto keys, series_.tag_keys(asked.tenant, asked.metric()));
    for (const std::string& key : keys) {
      VARVE_RETURN_IF_ERROR(asked.query.check());
      VARVE_ASSIGN_OR_RETURN(auto values, series_.tag_values(asked.tenant, asked.metric(), key));
      VARVE_RETURN_IF_ERROR(charge_names(asked.query.budget(), values));
      std::ranges::move(values, std::back_inserter(all));
    }
    sort_once(all);
    return all;
  }

  const query::Engine& engine_;
  const storage::SeriesStore& series_;
};

}  // namespace

void add_kairosdb_names(Router& router, const query::Engine& engine, TaskPool& pool, Metrics& metrics) {
  const auto lists = std::make_shared<NameLists>(engine);
  const Endpoint endpoint(pool, {.shape = kairosdb_error}, QueryMetrics(metrics, engine.clock(), kNamesApi));
  const auto add = [&](const char* path, NameLists::List list) {
    router.add(Method::get, path,
               endpoint.on_pool([lists, list](const Request& request) { return lists->answer(list, request); }));
  };
  add("/api/v1/metricnames", &NameLists::metric_names);
  add("/api/v1/tagnames", &NameLists::tag_names);
  add("/api/v1/tagvalues", &NameLists::tag_values);
}

}  // namespace varve::api
