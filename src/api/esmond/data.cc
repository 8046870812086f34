// SPDX-License-Identifier: Apache-2.0
#include "api/esmond/data.h"

#include <algorithm>

#include "api/esmond/devices.h"
#include "api/esmond/interfaces.h"
#include "api/shared/query_answer.h"

namespace varve::api::esmond {
namespace {

using protocol::json::Writer;
using snmp::inventory::Device;
using snmp::inventory::HistoryKind;
using snmp::inventory::HistoryRow;

// Did the device ever have it?
Result<bool> is_known(const Call& call, const Device& device, const std::string& interface) {
  VARVE_ASSIGN_OR_RETURN(const auto rows,
                         call.parts.history.rows(call.request.tenant, device.name, HistoryKind::interfaces, {}));
  return std::ranges::find(rows, interface, &HistoryRow::name) != rows.end();
}

}  // namespace

Result<Cf> cf_asked(std::optional<std::string_view> text, Cf unless_said) {
  if (!text || text->empty()) return unless_said;
  if (const auto cf = cf_of(*text)) return *cf;
  return fail(Code::invalid, "cf: \"" + std::string(text->substr(0, 100)) + "\" is none of average, min, max, raw");
}

Result<std::int64_t> width_of(const Source& source, std::optional<std::int64_t> agg) {
  if (!agg) return source.base_ms;
  const auto is_that = [&](std::int64_t width_ms) {
    return width_ms % model::kSecondMs == 0 && width_ms / model::kSecondMs == *agg;
  };
  if (is_that(source.base_ms)) return source.base_ms;
  const bool has_more = source.set != nullptr && (source.object == nullptr || source.object->aggregate);
  if (has_more) {
    const auto found = std::ranges::find_if(source.set->aggregates_ms, is_that);
    if (found != source.set->aggregates_ms.end()) return *found;
  }
  return fail(Code::invalid,
              "agg: " + std::to_string(*agg) + " is neither the frequency nor an aggregate of the oidset");
}

Status check_span(const Call& call, const Span& span, std::int64_t unit_ms, std::int64_t width_ms) {
  std::int64_t most_days = 30;
  if (width_ms == model::kHourMs) most_days = 365;
  if (width_ms == model::kDayMs) most_days = 3650;
  if (call.is_known || (span.end - span.begin) * unit_ms <= most_days * model::kDayMs) return {};
  return fail(Code::invalid,
              "without a key a range of this frequency is of " + std::to_string(most_days) + " days at most");
}

Result<Source> source_of_interface(const Call& call, const snmp::inventory::Inventory& inventory, const Device& device,
                                   const std::string& interface, const std::string& alias, const Span& span) {
  const query::Engine& engine = call.parts.engine;
  auto source = source_of_alias(engine, call.request.tenant, inventory, device, interface, alias);
  if (!source) return fail(Code::invalid, "nothing of the device is named \"" + alias.substr(0, 300) + "\"");
  VARVE_ASSIGN_OR_RETURN(const bool hidden, is_hidden(call, device.name, interface,
                                                      {span.begin * model::kSecondMs, span.end * model::kSecondMs}));
  bool is_there = !hidden;
  if (is_there) {
    VARVE_ASSIGN_OR_RETURN(is_there, is_written(engine, call.request.tenant, source->raw));
  }
  if (!is_there && !hidden) {
    VARVE_ASSIGN_OR_RETURN(is_there, is_known(call, device, interface));
  }
  if (is_there) return std::move(*source);
  return fail(Code::invalid, "there is no interface \"" + interface.substr(0, 300) + "\"");
}

Result<std::span<const DataPoint>> page_of_points(const Call& call, const DataPoints& points) {
  VARVE_ASSIGN_OR_RETURN(const EsmondPage page, page_of(call, 0));
  return page.of(std::span<const DataPoint>(points));
}

Result<Response> show_data(const Call& call) {
  VARVE_ASSIGN_OR_RETURN(const auto inventory, call.inventory());
  VARVE_ASSIGN_OR_RETURN(const Device* const device, device_of(call, *inventory));
  std::string alias = call.names[3];
  for (std::size_t i = 4; i < call.names.size(); ++i) alias += "/" + call.names[i];
  VARVE_ASSIGN_OR_RETURN(const Span span, data_span(call, model::kSecondMs));
  VARVE_ASSIGN_OR_RETURN(const Cf cf, cf_asked(call.request.param("cf"), Cf::average));
  VARVE_ASSIGN_OR_RETURN(const Source source,
                         source_of_interface(call, *inventory, *device, call.names[2], alias, span));
  VARVE_ASSIGN_OR_RETURN(const auto agg, whole_param(call.request, "agg"));
  VARVE_ASSIGN_OR_RETURN(const std::int64_t width_ms, width_of(source, agg));
  VARVE_RETURN_IF_ERROR(check_span(call, span, model::kSecondMs, width_ms));
  VARVE_ASSIGN_OR_RETURN(auto query, begin_query(call.parts.engine, call.request, "esmond", source.raw.metric));
  const Source* const one = &source;
  const BinsAsked asked{.sources = {&one, 1},
                        .cf = cf,
                        .width_ms = width_ms,
                        .bins = bins_in(span.begin * model::kSecondMs, span.end * model::kSecondMs, width_ms)};
  VARVE_ASSIGN_OR_RETURN(const auto bins, read_bins(call.parts.engine, call.request.tenant, asked, *query));
  VARVE_ASSIGN_OR_RETURN(const auto points, page_of_points(call, bins[0]));
  std::string out;
  Writer json(out);
  json.begin_object().member("agg", std::to_string(width_ms / model::kSecondMs)).member("begin_time", span.begin);
  json.member("cf", to_text(cf)).key("data");
  append_points(
      json, points,
      {.unit_ms = model::kSecondMs, .with_extremes = cf == Cf::min || cf == Cf::max, .are_rates = cf != Cf::raw});
  json.member("end_time", span.end);
  json.member("resource_uri", uri_of_interface(call, device->name, call.names[2]) + "/" + alias).end_object();
  Response response = with_read(esmond_json(200, std::move(out)), query->ticket().read());
  return held_by(std::move(query), std::move(response));
}

}  // namespace varve::api::esmond
