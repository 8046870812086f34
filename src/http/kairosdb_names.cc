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
#include "http/query_metrics.h"
#include "protocol/json/text.h"

namespace varve::http {

namespace {

using protocol::json::append_string;
using Names = std::vector<std::string>;
using Range = std::optional<model::TimeRange>;

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();  // as KairosDB, unless ?limit= says else

void keep_prefix(Names& names, std::string_view prefix) {
  std::erase_if(names, [&](const std::string& name) { return !name.starts_with(prefix); });
}

void sort_once(Names& names) {
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
}

class NameLists {
 public:
  NameLists(const storage::SeriesStore& series, const Clock& clock, TaskPool& pool, Metrics& metrics)
      : series_(series),
        clock_(clock),
        pool_(pool),
        asked_(queries_asked(metrics, "kairosdb_names")),
        seconds_(query_seconds(metrics)) {}

  using List = Result<std::string> (NameLists::*)(model::TenantId tenant, const Request& request, const Page& page,
                                                  const Range& range) const;
  // A handler that answers on the pool with the JSON of `list`.
  static Handler on_pool(const std::shared_ptr<NameLists>& self, List list) {
    return [self, list](const Request& request, const Responder& respond) {
      if (request.tenant.empty()) return respond(kairosdb_error({Code::invalid, "the request names no tenant"}));
      const bool taken = self->pool_.post([self, list, &request, respond] {
        self->asked_.add();
        const std::int64_t start_ns = self->clock_.steady_ns();
        auto body = self->answer(list, request);
        self->seconds_.observe(static_cast<double>(self->clock_.steady_ns() - start_ns) * 1e-9);
        respond(body ? kairosdb_response(200, std::move(*body)) : kairosdb_error(body.error()));
      });
      if (!taken) respond(kairosdb_error({Code::unavailable, "too many queries are waiting"}));
    };
  }

  Result<std::string> metric_names(model::TenantId tenant, const Request& request, const Page& page,
                                   const Range& range) const {
    VARVE_TRY(const auto names, series_.metric_names(tenant, request.param("prefix").value_or(""), 0));
    const SeenSeries seen(series_, tenant, range, request.gone.get());
    return page_json(names, page, [&](const std::string& name) -> Result<bool> {
      if (!range) return true;
      return seen.any(name);
    });
  }

  Result<std::string> tag_names(model::TenantId tenant, const Request& request, const Page& page,
                                const Range& range) const {
    const std::string_view metric = request.param("metric").value_or("");
    Names names;
    if (range) {
      VARVE_TRY(const auto tags, SeenSeries(series_, tenant, range, request.gone.get()).tags(metric));
      for (const auto& [tag, sighting] : tags) names.push_back(tag.first);
      sort_once(names);
    } else {
      VARVE_TRY(names, series_.tag_keys(tenant, metric));
    }
    return prefixed_json(std::move(names), request, page);
  }

  Result<std::string> tag_values(model::TenantId tenant, const Request& request, const Page& page,
                                 const Range& range) const {
    const std::string_view metric = request.param("metric").value_or("");
    const auto key = request.param("tag");
    Names names;
    if (range) {
      VARVE_TRY(const auto tags, SeenSeries(series_, tenant, range, request.gone.get()).tags(metric));
      for (const auto& [tag, sighting] : tags) {
        if (!key || tag.first == *key) names.push_back(tag.second);
      }
      sort_once(names);
    } else if (key) {
      VARVE_TRY(names, series_.tag_values(tenant, metric, *key));
    } else {
      VARVE_TRY(names, all_tag_values(tenant, metric));
    }
    return prefixed_json(std::move(names), request, page);
  }

 private:
  Result<std::string> answer(List list, const Request& request) const {
    VARVE_TRY(const Page page, page_of(request, kAll));
    VARVE_TRY(const Range range, seen_range_of(request));
    VARVE_TRY(const auto tenant, series_.find_tenant(request.tenant));
    if (!tenant) return std::string(R"({"results":[]})");
    return (this->*list)(*tenant, request, page, range);
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

  static Result<std::string> prefixed_json(Names names, const Request& request, const Page& page) {
    keep_prefix(names, request.param("prefix").value_or(""));
    return page_json(names, page, [](const std::string&) -> Result<bool> { return true; });
  }

  [[nodiscard]] Result<Names> all_tag_values(model::TenantId tenant, std::string_view metric) const {
    Names all;
    VARVE_TRY(const auto keys, series_.tag_keys(tenant, metric));
    for (const std::string& key : keys) {
      VARVE_TRY(auto values, series_.tag_values(tenant, metric, key));
      std::ranges::move(values, std::back_inserter(all));
    }
    sort_once(all);
    return all;
  }

  const storage::SeriesStore& series_;
  const Clock& clock_;
  TaskPool& pool_;
  Counter& asked_;
  Histogram& seconds_;
};

}  // namespace

void add_kairosdb_names(Router& router, const storage::SeriesStore& series, const Clock& clock, TaskPool& pool,
                        Metrics& metrics) {
  const auto lists = std::make_shared<NameLists>(series, clock, pool, metrics);
  const auto add = [&](const char* path, NameLists::List list) {
    router.add(Method::get, path, NameLists::on_pool(lists, list));
  };
  add("/api/v1/metricnames", &NameLists::metric_names);
  add("/api/v1/tagnames", &NameLists::tag_names);
  add("/api/v1/tagvalues", &NameLists::tag_values);
}

}  // namespace varve::http
