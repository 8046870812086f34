// SPDX-License-Identifier: Apache-2.0
#include "api/esmond/timeseries.h"

#include <algorithm>
#include <charconv>

#include "api/esmond/data.h"
#include "api/esmond/interfaces.h"
#include "api/shared/query_answer.h"

namespace varve::api::esmond {
namespace {

using protocol::json::Writer;

constexpr std::int64_t kAggs[] = {60'000, 300'000, model::kHourMs, model::kDayMs};

bool is_aggregate(const Source& source, std::int64_t frequency_ms) {
  if (std::ranges::find(kAggs, frequency_ms) != std::end(kAggs)) return true;
  return source.set != nullptr &&
         std::ranges::find(source.set->aggregates_ms, frequency_ms) != source.set->aggregates_ms.end();
}

}  // namespace

std::optional<SeriesKind> series_kind_of(std::string_view text) {
  if (text == "RawData") return SeriesKind::raw_data;
  if (text == "BaseRate") return SeriesKind::base_rate;
  if (text == "Aggs") return SeriesKind::aggs;
  return std::nullopt;
}

Result<SeriesPath> series_path_of(const Call& call) {
  const auto kind = call.names.empty() ? std::nullopt : series_kind_of(call.names[0]);
  if (!kind || call.names.size() < 3)
    return fail(Code::not_found, "a series is RawData, BaseRate or Aggs/NAME/…/FREQ_MS");
  const std::string& text = call.names.back();
  std::int64_t frequency_ms = 0;
  const char* const end = text.data() + text.size();
  const auto [behind, error] = std::from_chars(text.data(), end, frequency_ms);
  if (error != std::errc() || behind != end || frequency_ms <= 0 || frequency_ms > kFrequencyMostMs) {
    return fail(Code::invalid, "\"" + text.substr(0, 100) + "\" is not a frequency in milliseconds, a year at most");
  }
  return SeriesPath{*kind, {call.names.begin() + 1, call.names.end() - 1}, frequency_ms};
}

Result<Source> written_source(const Call& call, const snmp::inventory::Inventory& inventory, SeriesKind kind,
                              std::span<const std::string> path, std::int64_t frequency_ms, const Span& span) {
  constexpr std::size_t kDevice = 1;  // snmp/DEVICE/OIDSET/OBJECT/INTERFACE
  constexpr std::size_t kInterface = 4;
  const query::Engine& engine = call.parts.engine;
  const auto never = [&] {
    return fail(Code::invalid,
                "nobody has written " + at_encode(path).substr(0, 300) + "/" + std::to_string(frequency_ms));
  };
  if (path.size() > kInterface) {
    VARVE_ASSIGN_OR_RETURN(const bool hidden, is_hidden(call, path[kDevice], path[kInterface], span));
    if (hidden) return never();
  }
  std::optional<Source> source;
  if (kind == SeriesKind::aggs) {
    VARVE_ASSIGN_OR_RETURN(source, least_source_of(engine, call.request.tenant, inventory, path));
    if (!source) return never();
    if (!is_aggregate(*source, frequency_ms)) {
      return fail(Code::invalid, std::to_string(frequency_ms) + " is not a width of aggregates in milliseconds");
    }
  } else {
    source = source_of(engine, call.request.tenant, inventory, path, frequency_ms);
    VARVE_ASSIGN_OR_RETURN(bool is_there, is_written(engine, call.request.tenant, source->raw));
    if (!is_there && kind == SeriesKind::base_rate) {
      VARVE_ASSIGN_OR_RETURN(is_there, is_written(engine, call.request.tenant, source->posted));
    }
    if (!is_there) return never();
  }
  if (kind != SeriesKind::raw_data && !source->is_counter) {
    return fail(Code::invalid, at_encode(path).substr(0, 300) + " is not a counter, it has RawData only");
  }
  return std::move(*source);
}

Result<std::vector<DataPoints>> read_series(const Call& call, SeriesKind kind, std::span<const Source* const> sources,
                                            Cf cf, std::int64_t frequency_ms, const Span& span,
                                            query::UnderWay& query) {
  if (kind != SeriesKind::raw_data) {
    const BinsAsked asked{
        .sources = sources, .cf = cf, .width_ms = frequency_ms, .bins = bins_in(span.begin, span.end, frequency_ms)};
    return read_bins(call.parts.engine, call.request.tenant, asked, query);
  }
  std::vector<const Target*> targets;
  for (const Source* const source : sources) targets.push_back(&source->raw);
  return read_samples(call.parts.engine, call.request.tenant, targets, {span.begin, span.end + 1}, query);
}

PointsText points_text_of(SeriesKind kind, const Source& source, Cf cf) {
  const bool is_raw = kind == SeriesKind::raw_data;
  return {.is_unsigned = is_raw && source.is_unsigned, .are_rates = !is_raw && cf != Cf::raw};
}

Result<Response> show_series(const Call& call) {
  VARVE_ASSIGN_OR_RETURN(const SeriesPath path, series_path_of(call));
  const auto kind = path.kind;
  VARVE_ASSIGN_OR_RETURN(const auto inventory, call.inventory());
  VARVE_ASSIGN_OR_RETURN(const Span span, data_span(call, 1));
  const bool is_raw = kind == SeriesKind::raw_data;
  VARVE_ASSIGN_OR_RETURN(const Cf asked, cf_asked(call.request.param("cf"), is_raw ? Cf::raw : Cf::average));
  const Cf cf = is_raw ? Cf::raw : asked;
  VARVE_ASSIGN_OR_RETURN(const auto agg, whole_param(call.request, "agg"));
  if (agg && *agg != path.frequency_ms) return fail(Code::invalid, "agg: it is not the frequency of the path");
  VARVE_ASSIGN_OR_RETURN(const Source source,
                         written_source(call, *inventory, kind, path.names, path.frequency_ms, span));
  VARVE_RETURN_IF_ERROR(check_span(call, span, 1, path.frequency_ms));
  VARVE_ASSIGN_OR_RETURN(auto query, begin_query(call.parts.engine, call.request, "esmond", source.raw.metric));
  const Source* const one = &source;
  VARVE_ASSIGN_OR_RETURN(const auto found, read_series(call, kind, {&one, 1}, cf, path.frequency_ms, span, *query));
  VARVE_ASSIGN_OR_RETURN(const auto points, page_of_points(call, found[0]));
  std::string out;
  Writer json(out);
  json.begin_object().member("agg", std::to_string(path.frequency_ms)).member("begin_time", span.begin);
  json.member("cf", to_text(cf)).key("data");
  append_points(json, points, points_text_of(kind, source, cf));
  json.member("end_time", span.end).member("resource_uri", call.root() + "timeseries/" + at_encode(call.names));
  json.end_object();
  VARVE_RETURN_IF_ERROR(query->budget().charge(out.size()));
  Response response = with_read(esmond_json(200, std::move(out)), query->ticket().read());
  return held_by(std::move(query), std::move(response));
}

}  // namespace varve::api::esmond
