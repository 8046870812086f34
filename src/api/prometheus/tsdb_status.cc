// SPDX-License-Identifier: Apache-2.0
// /api/v1/status/tsdb: which metrics and labels of the tenant have how many series. From the index, no sample is read.
#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "api/prometheus/answer.h"
#include "api/prometheus/error.h"
#include "api/prometheus/handlers.h"
#include "api/prometheus/parameters.h"
#include "api/shared/query_answer.h"
#include "language/promql/expression.h"

namespace varve::api {
namespace {

constexpr std::size_t kTsdbStatusMost = 10'000;  // of each list, as Prometheus has it

using TsdbCounts = std::vector<std::pair<std::string, std::uint64_t>>;

struct TsdbStatus {
  TsdbCounts series_by_metric, values_by_label, bytes_by_label, series_by_pair;
  std::uint64_t series = 0, pairs = 0;
  std::int64_t first_ms = std::numeric_limits<std::int64_t>::max();
  std::int64_t last_ms = std::numeric_limits<std::int64_t>::min();
};

Result<std::size_t> tsdb_status_limit(const PrometheusParameters& parameters) {
  const auto text = parameters.get("limit");
  if (!text) return 10;
  std::size_t limit = 0;
  const char* const end = text->data() + text->size();
  const auto read = std::from_chars(text->data(), end, limit);
  if (read.ec != std::errc() || read.ptr != end || limit == 0) {
    return fail(Code::invalid, "limit must be a positive number");
  }
  if (limit > kTsdbStatusMost) {
    return fail(Code::invalid, "limit must not exceed " + std::to_string(kTsdbStatusMost));
  }
  return limit;
}

void note_times(TsdbStatus& status, const storage::SeriesStats& stats) {
  if (stats.points == 0) return;
  status.first_ms = std::min(status.first_ms, stats.first_ms);
  status.last_ms = std::max(status.last_ms, stats.last_ms);
}

// Where the index adds up nothing for a metric, its series are counted.
Result<storage::MetricStats> counted_metric(const storage::SeriesStore& store, model::TenantId tenant,
                                            const std::string& metric, query::UnderWay& query) {
  VARVE_RETURN_IF_ERROR(query.check());
  VARVE_ASSIGN_OR_RETURN(const auto series,
                         store.select(tenant, metric, {}, {}, query::still_wanted(query.deadline())));
  VARVE_ASSIGN_OR_RETURN(const auto all, store.series_stats(tenant, series));
  storage::MetricStats out{series.size(), {}};
  for (const auto& one : all) out.stats.add(one);
  return out;
}

Status count_metrics(const storage::SeriesStore& store, model::TenantId tenant, query::UnderWay& query,
                     TsdbStatus& out) {
  VARVE_ASSIGN_OR_RETURN(const auto metrics, store.metric_names(tenant, {}));
  VARVE_RETURN_IF_ERROR(charge_names(query.budget(), metrics));
  const auto known = store.metric_stats(tenant, metrics);
  std::uint64_t name_bytes = 0;
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    storage::MetricStats of_metric;
    if (known) {
      of_metric = (*known)[i];
    } else {
      VARVE_ASSIGN_OR_RETURN(of_metric, counted_metric(store, tenant, metrics[i], query));
    }
    note_times(out, of_metric.stats);
    out.series += of_metric.series;
    name_bytes += metrics[i].size() * of_metric.series;
    out.series_by_metric.emplace_back(metrics[i], of_metric.series);
    out.series_by_pair.emplace_back(std::string(language::promql::kNameLabel) + "=" + metrics[i], of_metric.series);
  }
  if (metrics.empty()) return {};
  out.values_by_label.emplace_back(language::promql::kNameLabel, metrics.size());
  out.bytes_by_label.emplace_back(language::promql::kNameLabel, name_bytes);
  return {};
}

Status count_labels(const storage::SeriesStore& store, model::TenantId tenant, query::UnderWay& query,
                    TsdbStatus& out) {
  VARVE_ASSIGN_OR_RETURN(const auto tags, store.tag_counts(tenant, "", {}));
  constexpr std::size_t kBytesOfTag = 200;  // in both lists
  VARVE_RETURN_IF_ERROR(query.budget().charge(tags.size() * kBytesOfTag));
  for (const auto& tag : tags) {  // by key
    if (out.values_by_label.empty() || out.values_by_label.back().first != tag.key) {
      out.values_by_label.emplace_back(tag.key, 0);
      out.bytes_by_label.emplace_back(tag.key, 0);
    }
    ++out.values_by_label.back().second;
    out.bytes_by_label.back().second += tag.value.size() * tag.series;
    out.series_by_pair.emplace_back(tag.key + "=" + tag.value, tag.series);
  }
  return {};
}

void write_largest(protocol::json::Writer& json, std::string_view name, TsdbCounts& counts, std::size_t limit) {
  const auto end = counts.begin() + static_cast<std::ptrdiff_t>(std::min(limit, counts.size()));
  std::ranges::partial_sort(counts, end, [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  json.key(name).begin_array();
  for (auto one = counts.begin(); one != end; ++one) {
    json.begin_object().member("name", one->first).member("value", one->second).end_object();
  }
  json.end_array();
}

}  // namespace

Result<Response> answer_tsdb_status(const PrometheusParts& parts, const Request& request) {
  VARVE_ASSIGN_OR_RETURN(const auto parameters, PrometheusParameters::of(request));
  VARVE_ASSIGN_OR_RETURN(const std::size_t limit, tsdb_status_limit(parameters));
  VARVE_ASSIGN_OR_RETURN(auto query, begin_query(parts.engine, request, "promql_names"));
  const storage::SeriesStore& store = parts.engine.series();
  VARVE_ASSIGN_OR_RETURN(const auto tenant, store.find_tenant(request.tenant));
  TsdbStatus found;
  if (tenant) {
    Status counted = count_metrics(store, *tenant, *query, found);
    if (counted) counted = count_labels(store, *tenant, *query, found);
    if (!counted) return prometheus_failure_of(query->explain(Result<bool>(fail(counted.error()))).error());
  }
  found.pairs = found.series_by_pair.size();
  std::string body = prometheus_success([&](protocol::json::Writer& json) {
    json.begin_object().key("headStats").begin_object();
    json.member("numSeries", found.series).member("numLabelPairs", found.pairs);
    json.member("chunkCount", 0);  // no head has chunks here
    json.member("minTime", found.first_ms).member("maxTime", found.last_ms).end_object();
    write_largest(json, "seriesCountByMetricName", found.series_by_metric, limit);
    write_largest(json, "labelValueCountByLabelName", found.values_by_label, limit);
    write_largest(json, "memoryInBytesByLabelName", found.bytes_by_label, limit);
    write_largest(json, "seriesCountByLabelValuePair", found.series_by_pair, limit);
    json.end_object();
  });
  return held_by(std::move(query), Response::json(200, std::move(body)));
}

}  // namespace varve::api
