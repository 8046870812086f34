// SPDX-License-Identifier: Apache-2.0
// KairosDB's lists of names. docs/protocols/kairosdb.md.
#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/kairosdb/handlers.h"
#include "api/shared/discovery.h"
#include "api/shared/name_pages.h"
#include "base/sort_unique.h"
#include "protocol/json/writer.h"

namespace varve::api {

namespace {

using Names = std::vector<std::string>;
using Range = std::optional<model::TimeRange>;

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();  // as KairosDB, unless ?limit= says else
constexpr const char* kNamesApi = "kairosdb_names";

// Of sorted names, but for the limit.
void keep_page(Names& names, const index::NamePage& page) {
  std::erase_if(names,
                [&](const std::string& name) { return page.starts_behind(name) || !name.starts_with(page.prefix); });
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
    [[nodiscard]] std::string_view prefix() const { return request.param("prefix").value_or(""); }
    [[nodiscard]] index::NamePage wanted() const { return page_and_one(page, prefix()); }
  };
  using List = Result<std::string> (NameLists::*)(const Asked& asked) const;
  Result<std::string> metric_names(const Asked& asked) const {
    MetricNames names(series_, asked.tenant, asked.page, asked.prefix(), asked.query);
    const SeenSeries seen = seen_of(asked);
    std::string out;
    std::string last;
    protocol::json::Writer json(out);
    json.begin_object().key("results").begin_array();
    VARVE_ASSIGN_OR_RETURN(const std::string* name, names.next());
    for (std::size_t listed = 0; name != nullptr && listed < asked.page.limit;) {
      bool is_wanted = true;
      if (asked.range) {
        VARVE_ASSIGN_OR_RETURN(is_wanted, seen.any(*name));
      }
      if (is_wanted) {
        ++listed;
        json.value(*name);
      }
      last = *name;
      VARVE_ASSIGN_OR_RETURN(name, names.next());
    }
    json.end_array();
    if (name != nullptr) json.member("next", last);
    json.end_object();
    return out;
  }

  Result<std::string> tag_names(const Asked& asked) const {
    Names names;
    if (asked.range) {
      VARVE_ASSIGN_OR_RETURN(const auto tags, seen_of(asked).tags(asked.metric()));
      for (const auto& [tag, sighting] : tags) {
        if (names.empty() || names.back() != tag.first) names.push_back(tag.first);
      }
      keep_page(names, asked.wanted());
    } else {
      VARVE_ASSIGN_OR_RETURN(names, series_.tag_keys(asked.tenant, asked.metric(), asked.wanted()));
    }
    return page_json(names, asked);
  }

  Result<std::string> tag_values(const Asked& asked) const {
    const auto key = asked.request.param("tag");
    const index::NamePage wanted = asked.wanted();
    Names names;
    if (asked.range) {
      VARVE_ASSIGN_OR_RETURN(const auto tags, seen_of(asked).tags(asked.metric()));
      for (const auto& [tag, sighting] : tags) {
        if (!key || tag.first == *key) names.push_back(tag.second);
      }
      sort_unique(names);
      keep_page(names, wanted);
    } else if (key) {
      VARVE_ASSIGN_OR_RETURN(names, series_.tag_values(asked.tenant, asked.metric(), *key, wanted));
    } else {
      VARVE_ASSIGN_OR_RETURN(names, values_of_all_keys(series_, asked.tenant, asked.metric(), wanted, asked.query));
    }
    return page_json(names, asked);
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

  // `names`: of the page, and one more if another page follows.
  static Result<std::string> page_json(Names& names, const Asked& asked) {
    VARVE_RETURN_IF_ERROR(asked.query.check());
    const bool is_last = names.size() <= asked.page.limit;
    if (!is_last) names.resize(asked.page.limit);
    VARVE_RETURN_IF_ERROR(charge_names(asked.query.budget(), names));
    std::string out;
    protocol::json::Writer json(out);
    json.begin_object().key("results").array(names);
    if (!is_last) json.member("next", names.back());
    json.end_object();
    return out;
  }

  const query::Engine& engine_;
  const storage::SeriesStore& series_;
};

}  // namespace

Result<Response> list_metric_names(const KairosdbParts& parts, const Request& request) {
  return NameLists(parts.engine).answer(&NameLists::metric_names, request);
}
Result<Response> list_tag_names(const KairosdbParts& parts, const Request& request) {
  return NameLists(parts.engine).answer(&NameLists::tag_names, request);
}
Result<Response> list_tag_values(const KairosdbParts& parts, const Request& request) {
  return NameLists(parts.engine).answer(&NameLists::tag_values, request);
}

}  // namespace varve::api
