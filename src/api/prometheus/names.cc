// SPDX-License-Identifier: Apache-2.0
// /api/v1/labels, label/{name}/values and series: of what the index knows, no sample is read.
#include <algorithm>
#include <charconv>
#include <set>
#include <string>
#include <utility>

#include "api/prometheus/answer.h"
#include "api/prometheus/error.h"
#include "api/prometheus/handlers.h"
#include "api/prometheus/parameters.h"
#include "api/shared/query_answer.h"
#include "language/promql/engine_source.h"
#include "protocol/json/unescape.h"
#include "query/selection.h"

namespace varve::api {
namespace {

namespace promql = language::promql;

using Names = std::set<std::string, std::less<>>;
constexpr std::size_t kLabelledAtOnce = 4096;  // of which tags are held at a time

// One question for names, while it is answered.
class NameSearch {
 public:
  NameSearch(const PrometheusParts& parts, model::TenantId tenant, model::TimeRange seen, query::UnderWay& query)
      : store_(parts.engine.series()), tenant_(tenant), seen_(seen), query_(query) {}

  using FoundTags = std::function<Status(const std::string& metric, const model::Tags& tags)>;
  // Of each series that fits one of the selectors; twice, if it fits two.
  Status each_series(const std::vector<std::vector<promql::Matcher>>& selectors, const FoundTags& found) const {
    return each_metric(selectors, [&](const std::string& metric, std::span<const model::SeriesId> series) -> Status {
      for (std::size_t from = 0; from < series.size(); from += kLabelledAtOnce) {
        VARVE_RETURN_IF_ERROR(query_.check());
        const auto some = series.subspan(from, std::min(kLabelledAtOnce, series.size() - from));
        for (const model::Tags& tags : store_.tags(tenant_, some)) VARVE_RETURN_IF_ERROR(found(metric, tags));
      }
      return {};
    });
  }
  Status each_metric(const std::vector<std::vector<promql::Matcher>>& selectors,
                     const query::FoundSeries& found) const {
    for (const auto& matchers : selectors) {
      const query::Selected selected = promql::selected_by(matchers, seen_);
      VARVE_RETURN_IF_ERROR(
          query::for_each_metric(store_, tenant_, selected.metric, selected.matchers, seen_, query_.deadline(), found));
    }
    return {};
  }
  // Charges what is new.
  Status add(Names& names, std::string_view name) const {
    constexpr std::size_t kBytesOfName = 96;
    if (name.empty() || names.contains(name)) return {};
    names.emplace(name);
    return query_.budget().charge(kBytesOfName + name.size());
  }

  const storage::SeriesStore& store_;
  const model::TenantId tenant_;

 private:
  const model::TimeRange seen_;
  query::UnderWay& query_;
};

Status find_labels(const NameSearch& search, const std::vector<std::vector<promql::Matcher>>& selectors, Names& out) {
  if (!selectors.empty()) {
    return search.each_series(selectors, [&](const std::string&, const model::Tags& tags) -> Status {
      VARVE_RETURN_IF_ERROR(search.add(out, promql::kNameLabel));
      for (const auto& [key, value] : tags) VARVE_RETURN_IF_ERROR(search.add(out, value.empty() ? "" : key));
      return {};
    });
  }
  VARVE_ASSIGN_OR_RETURN(const auto keys, search.store_.tag_keys(search.tenant_, "", {}));
  for (const std::string& key : keys) VARVE_RETURN_IF_ERROR(search.add(out, key));
  VARVE_ASSIGN_OR_RETURN(const auto metrics, search.store_.metric_names(search.tenant_, {.limit = 1}));
  return metrics.empty() ? Status() : search.add(out, promql::kNameLabel);
}

Status find_values(const NameSearch& search, std::string_view label,
                   const std::vector<std::vector<promql::Matcher>>& selectors, Names& out) {
  const bool of_name = label == promql::kNameLabel;
  if (selectors.empty()) {
    auto values = of_name ? search.store_.metric_names(search.tenant_, {})
                          : search.store_.tag_values(search.tenant_, "", label, {});
    VARVE_RETURN_IF_ERROR(values);
    for (const std::string& value : *values) VARVE_RETURN_IF_ERROR(search.add(out, value));
    return {};
  }
  if (of_name) {
    return search.each_metric(selectors, [&](const std::string& metric, std::span<const model::SeriesId>) {
      return search.add(out, metric);
    });
  }
  return search.each_series(selectors, [&](const std::string&, const model::Tags& tags) -> Status {
    const auto tag = std::ranges::find(tags, label, &std::pair<std::string, std::string>::first);
    return tag == tags.end() ? Status() : search.add(out, tag->second);
  });
}

// A name that Grafana has escaped: U__a_2e_b is a.b; __ stands for an underscore. Anything else is as it stands.
std::string unescaped_label(std::string_view name) {
  constexpr std::string_view kEscaped = "U__";
  if (!name.starts_with(kEscaped)) return std::string(name);
  std::string out;
  for (std::string_view rest = name.substr(kEscaped.size()); !rest.empty();) {
    if (rest.front() != '_') {
      out += rest.front();
      rest.remove_prefix(1);
      continue;
    }
    const std::size_t end = rest.find('_', 1);
    if (end == std::string_view::npos) return std::string(name);
    const std::string_view hex = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
    if (hex.empty()) {
      out += '_';
      continue;
    }
    std::uint32_t code = 0;
    const auto read = std::from_chars(hex.data(), hex.data() + hex.size(), code, 16);
    const bool is_character = code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    if (read.ec != std::errc() || read.ptr != hex.data() + hex.size() || !is_character) return std::string(name);
    protocol::json::append_utf8(out, code);
  }
  return out;
}

Status find_label_sets(const NameSearch& search, const std::vector<std::vector<promql::Matcher>>& selectors,
                       Names& out) {
  return search.each_series(selectors, [&](const std::string& metric, const model::Tags& tags) {
    std::string text;
    protocol::json::Writer json(text);
    json.begin_object().member(promql::kNameLabel, metric);
    for (const auto& [key, value] : tags) {
      if (!value.empty() && key != promql::kNameLabel) json.member(key, value);
    }
    json.end_object();
    return search.add(out, text);
  });
}

// What `find` finds, as many as are wanted: names, or JSON.
template <class Find>
Result<Response> answer_names(const PrometheusParts& parts, const Request& request,
                              const PrometheusParameters& parameters, bool are_json, const Find& find) {
  VARVE_ASSIGN_OR_RETURN(const std::size_t limit, parameters.limit());
  VARVE_ASSIGN_OR_RETURN(const model::TimeRange seen, parameters.seen());
  query::Expressions expressions;
  VARVE_ASSIGN_OR_RETURN(const auto selectors, parameters.selectors(expressions));
  VARVE_ASSIGN_OR_RETURN(auto query, begin_query(parts.engine, request, "promql_names"));
  VARVE_ASSIGN_OR_RETURN(const auto tenant, parts.engine.series().find_tenant(request.tenant));
  Names names;
  if (tenant) {
    const RegexMeter meter([&query] { return query->deadline().check(); });
    Status found = find(NameSearch(parts, *tenant, seen, *query), selectors, names);
    if (!meter.status()) found = meter.status();
    if (!found) return prometheus_failure_of(query->explain(Result<bool>(fail(found.error()))).error());
  }
  PrometheusNotes notes;
  if (limit != 0 && names.size() > limit) notes.warnings.emplace_back(kTruncated);
  std::string body = prometheus_success(
      [&](protocol::json::Writer& json) {
        json.begin_array();
        std::size_t left = limit == 0 ? names.size() : limit;
        for (auto name = names.begin(); name != names.end() && left != 0; ++name, --left) {
          are_json ? json.raw(*name) : json.value(*name);
        }
        json.end_array();
      },
      notes);
  return held_by(std::move(query), Response::json(200, std::move(body)));
}

}  // namespace

Result<Response> answer_prometheus_labels(const PrometheusParts& parts, const Request& request) {
  VARVE_ASSIGN_OR_RETURN(const auto parameters, PrometheusParameters::of(request));
  return answer_names(parts, request, parameters, false, find_labels);
}

Result<Response> answer_prometheus_values(const PrometheusParts& parts, const Request& request) {
  VARVE_ASSIGN_OR_RETURN(const auto parameters, PrometheusParameters::of(request));
  const std::string label = unescaped_label(request.captured("name"));
  return answer_names(parts, request, parameters, false,
                      [&label](const NameSearch& search, const auto& selectors, Names& out) {
                        return find_values(search, label, selectors, out);
                      });
}

Result<Response> answer_prometheus_series(const PrometheusParts& parts, const Request& request) {
  VARVE_ASSIGN_OR_RETURN(const auto parameters, PrometheusParameters::of(request));
  if (!parameters.get("match[]")) return fail(Code::invalid, "no match[] parameter provided");
  return answer_names(parts, request, parameters, true, find_label_sets);
}

}  // namespace varve::api
