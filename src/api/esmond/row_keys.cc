// SPDX-License-Identifier: Apache-2.0
#include "api/esmond/row_keys.h"

#include <algorithm>
#include <set>
#include <span>

#include "api/esmond/lookups.h"
#include "api/shared/query_answer.h"
#include "model/time_unit.h"
#include "protocol/json/writer.h"

namespace varve::api::esmond {
namespace {

using snmp::inventory::Inventory;

constexpr std::string_view kLookedUpOfRows[] = {"row_key"};
constexpr std::string_view kPolledPrefix = "snmp.";

std::string_view tag_of(const model::Tags& tags, std::string_view key) {
  const auto found = std::ranges::find(tags, key, &std::pair<std::string, std::string>::first);
  return found == tags.end() ? std::string_view() : std::string_view(found->second);
}

void append_part(std::string& out, std::string_view name) {
  if (!out.empty()) out += ':';
  for (const char c : name) {
    if (c == ':' || c == '\\') out += '\\';
    out += c;
  }
}

// Without the year; empty: it is no series of esmond's.
std::string row_of_own(const model::Tags& tags) {
  std::string out;
  std::string_view path = tag_of(tags, kPathTag);
  while (!path.empty()) {
    const std::string_view name = path.substr(0, path.find('/'));
    append_part(out, at_decode(name));
    path.remove_prefix(std::min(name.size() + 1, path.size()));
  }
  append_part(out, tag_of(tags, kFrequencyTag));
  return out;
}

std::string row_of_polled(const Inventory& inventory, std::string_view object, const model::Tags& tags) {
  const auto* const set = find_oidset(inventory, tag_of(tags, "oidset"));
  if (set == nullptr || !set->type_of(object)) return {};
  std::string out;
  for (const std::string_view name :
       {std::string_view("snmp"), tag_of(tags, "device"), tag_of(tags, "oidset"), object}) {
    append_part(out, name);
  }
  const auto* const correlator = find_correlator(inventory, set->correlator);
  if (correlator != nullptr) {
    for (const auto& layout : correlator->layouts) {
      const bool fits =
          std::ranges::all_of(layout.tags, [&](const auto& tag) { return !tag_of(tags, tag.name).empty(); });
      if (!fits) continue;
      for (const auto& tag : layout.tags) append_part(out, tag_of(tags, tag.name));
      break;
    }
  }
  append_part(out, std::to_string(set->frequency_ms));
  return out;
}

// std::chrono's years end at 32767.
std::int64_t year_of(model::Timestamp time) { return 1970 + model::units_between(0, time, model::TimeUnit::years); }

// A key for each year in which there were samples. Those that are known already hold nothing more.
Status add_years(const std::string& row, const storage::SeriesStats& stats, query::UnderWay& query,
                 std::set<std::string>& out) {
  const std::int64_t last = year_of(stats.last_ms);
  for (std::int64_t year = year_of(stats.first_ms); year <= last; ++year) {
    VARVE_RETURN_IF_ERROR(query.check());
    std::string key = row + ":" + std::to_string(year);
    if (out.contains(key)) continue;
    VARVE_RETURN_IF_ERROR(query.budget().charge(2 * row.size() + sizeof(std::string)));
    out.insert(std::move(key));
  }
  return {};
}

// Keys of all series of a metric, looked at a few at a time.
Status add_rows(const Call& call, model::TenantId tenant, const Inventory& inventory, const std::string& metric,
                query::UnderWay& query, std::set<std::string>& out) {
  constexpr std::size_t kAtOnce = 4096;
  const storage::SeriesStore& store = call.parts.engine.series();
  VARVE_ASSIGN_OR_RETURN(const auto all, store.select(tenant, metric, {}, {}, query::still_wanted(query.deadline())));
  VARVE_RETURN_IF_ERROR(query.budget().charge(all.size() * sizeof(model::SeriesId)));
  for (std::span<const model::SeriesId> rest(all); !rest.empty();) {
    VARVE_RETURN_IF_ERROR(query.check());
    const auto series = rest.first(std::min(kAtOnce, rest.size()));
    rest = rest.subspan(series.size());
    VARVE_ASSIGN_OR_RETURN(const auto stats, store.series_stats(tenant, series));
    const auto tags = store.tags(tenant, series);
    for (std::size_t i = 0; i < series.size(); ++i) {
      if (stats[i].points == 0) continue;
      const std::string row =
          metric.starts_with(kPolledPrefix)
              ? row_of_polled(inventory, std::string_view(metric).substr(kPolledPrefix.size()), tags[i])
              : row_of_own(tags[i]);
      if (row.empty()) continue;
      VARVE_RETURN_IF_ERROR(add_years(row, stats[i], query, out));
    }
  }
  query.budget().release(all.size() * sizeof(model::SeriesId));
  return {};
}

}  // namespace

Result<Response> list_row_keys(const Call& call) {
  VARVE_ASSIGN_OR_RETURN(const Lookups lookups, Lookups::of(call.request, kLookedUpOfRows));
  VARVE_ASSIGN_OR_RETURN(const EsmondPage page, page_of(call, kEsmondListed));
  VARVE_ASSIGN_OR_RETURN(const auto inventory, call.inventory());
  VARVE_ASSIGN_OR_RETURN(auto query, begin_query(call.parts.engine, call.request, "esmond_names"));
  const storage::SeriesStore& store = call.parts.engine.series();
  VARVE_ASSIGN_OR_RETURN(const auto tenant, store.find_tenant(call.request.tenant));
  std::set<std::string> rows;
  if (tenant) {
    VARVE_ASSIGN_OR_RETURN(auto metrics, store.metric_names(*tenant, {.prefix = kPolledPrefix}));
    metrics.insert(metrics.end(), {std::string(kRawMetric), std::string(kBaseRateMetric)});
    for (const std::string& metric : metrics) {
      VARVE_RETURN_IF_ERROR(query->explain(add_rows(call, *tenant, *inventory, metric, *query, rows)));
    }
  }
  std::vector<std::string_view> found;
  for (const std::string& row : rows) {
    if (lookups.fit("row_key", row)) found.push_back(row);
  }
  std::string out;
  protocol::json::Writer(out).array(page.of(std::span<const std::string_view>(found)));
  return held_by(std::move(query), esmond_json(200, std::move(out)));
}

}  // namespace varve::api::esmond
