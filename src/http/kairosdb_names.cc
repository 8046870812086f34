// SPDX-License-Identifier: Apache-2.0
#include "http/kairosdb_names.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "http/discovery.h"
#include "http/kairosdb_parts.h"
#include "http/query_answer.h"
#include "http/query_metrics.h"
#include "protocol/json/text.h"

namespace varve::http {

namespace {

using protocol::json::append_string;
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
  NameLists(const query::Engine& engine, TaskPool& pool, Metrics& metrics)
      : engine_(engine),
        series_(engine.series()),
        pool_(pool),
        asked_(queries_asked(metrics, kNamesApi)),
        seconds_(query_seconds(metrics)) {}

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
  // A handler that answers on the pool with the JSON of `list`.
  static Handler on_pool(const std::shared_ptr<NameLists>& self, List list) {
    return [self, list](const Request& request, const Responder& respond) {
      if (request.tenant.empty()) return respond(kairosdb_error({Code::invalid, "the request names no tenant"}));
      const bool taken = self->pool_.post([self, list, &request, respond] {
        self->asked_.add();
        const std::int64_t start_ns = self->engine_.clock().steady_ns();
        auto response = self->answer(list, request);
        self->seconds_.observe(static_cast<double>(self->engine_.clock().steady_ns() - start_ns) * 1e-9);
        respond(response ? std::move(*response) : kairosdb_error(response.error()));
      });
      if (!taken) respond(kairosdb_error({Code::unavailable, "too many queries are waiting"}));
    };
  }

  Result<std::string> metric_names(const Asked& asked) const {
    VARVE_TRY(const auto names, series_.metric_names(asked.tenant, asked.request.param("prefix").value_or(""), 0));
    VARVE_CHECK_OK(asked.query.check());
    VARVE_CHECK_OK(charge_names(asked.query.budget(), names));
    const SeenSeries seen = seen_of(asked);
    return page_json(names, asked.page, [&](const std::string& name) -> Result<bool> {
      if (!asked.range) return true;
      return seen.any(name);
    });
  }

  Result<std::string> tag_names(const Asked& asked) const {
    Names names;
    if (asked.range) {
      VARVE_TRY(const auto tags, seen_of(asked).tags(asked.metric()));
      for (const auto& [tag, sighting] : tags) {
        if (names.empty() || names.back() != tag.first) names.push_back(tag.first);
      }
    } else {
      VARVE_TRY(names, series_.tag_keys(asked.tenant, asked.metric()));
    }
    return prefixed_json(std::move(names), asked);
  }

  Result<std::string> tag_values(const Asked& asked) const {
    const auto key = asked.request.param("tag");
    Names names;
    if (asked.range) {
      VARVE_TRY(const auto tags, seen_of(asked).tags(asked.metric()));
      for (const auto& [tag, sighting] : tags) {
        if (!key || tag.first == *key) names.push_back(tag.second);
      }
      sort_once(names);
    } else if (key) {
      VARVE_TRY(names, series_.tag_values(asked.tenant, asked.metric(), *key));
    } else {
      VARVE_TRY(names, all_tag_values(asked));
    }
    return prefixed_json(std::move(names), asked);
  }

 private:
  Result<Response> answer(List list, const Request& request) const {
    VARVE_TRY(const Page page, page_of(request, kAll));
    VARVE_TRY(const Range range, seen_range_of(request));
    VARVE_TRY(auto query, begin_query(engine_, request, kNamesApi, request.param("metric").value_or("")));
    VARVE_TRY(const auto tenant, series_.find_tenant(request.tenant));
    if (!tenant) return kairosdb_response(200, R"({"results":[]})");
    VARVE_TRY(auto body, query->explain((this->*list)({request, *query, page, range, *tenant})));
    return held_by(std::move(query), kairosdb_response(200, std::move(body)));
  }

  [[nodiscard]] SeenSeries seen_of(const Asked& asked) const {
    return {series_, asked.tenant, asked.range, asked.query};
  }

  // `names` are sorted. `wanted`: std::string -> Result<bool>; asked until the page is full.
  template <class Wanted>
  static Result<std::string> page_json(const Names& names, const Page& page, const Wanted& wanted) {
    auto at = page.after ? std::ranges::upper_bound(names, *page.after) : names.begin();
    std::string out = R"({"results":[)";
    for (std::size_t listed = 0; at != names.end() && listed < page.limit; ++at) {
      VARVE_TRY(const bool is_wanted, wanted(*at));
      if (!is_wanted) continue;
      if (listed++ != 0) out += ',';
      append_string(out, *at);
    }
    out += ']';
    if (at != names.end()) {
      out += R"(,"next":)";
      append_string(out, *(at - 1));
    }
    return out += '}';
  }

  static Result<std::string> prefixed_json(Names names, const Asked& asked) {
    VARVE_CHECK_OK(asked.query.check());
    keep_prefix(names, asked.request.param("prefix").value_or(""));
    VARVE_CHECK_OK(charge_names(asked.query.budget(), names));
    return page_json(names, asked.page, [](const std::string&) -> Result<bool> { return true; });
  }

  [[nodiscard]] Result<Names> all_tag_values(const Asked& asked) const {
    Names all;
    VARVE_TRY(const auto keys, series_.tag_keys(asked.tenant, asked.metric()));
    for (const std::string& key : keys) {
      VARVE_CHECK_OK(asked.query.check());
      VARVE_TRY(auto values, series_.tag_values(asked.tenant, asked.metric(), key));
      VARVE_CHECK_OK(charge_names(asked.query.budget(), values));
      std::ranges::move(values, std::back_inserter(all));
    }
    sort_once(all);
    return all;
  }

  const query::Engine& engine_;
  const storage::SeriesStore& series_;
  TaskPool& pool_;
  Counter& asked_;
  Histogram& seconds_;
};

}  // namespace

void add_kairosdb_names(Router& router, const query::Engine& engine, TaskPool& pool, Metrics& metrics) {
  const auto lists = std::make_shared<NameLists>(engine, pool, metrics);
  const auto add = [&](const char* path, NameLists::List list) {
    router.add(Method::get, path, NameLists::on_pool(lists, list));
  };
  add("/api/v1/metricnames", &NameLists::metric_names);
  add("/api/v1/tagnames", &NameLists::tag_names);
  add("/api/v1/tagvalues", &NameLists::tag_values);
}

}  // namespace varve::http
