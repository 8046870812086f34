// SPDX-License-Identifier: Apache-2.0
#include "api/esmond/bulk.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "api/esmond/data.h"
#include "api/esmond/timeseries.h"
#include "api/shared/query_answer.h"
#include "protocol/json/tree.h"

namespace varve::api::esmond {
namespace {

using protocol::json::Kind;
using protocol::json::Node;
using protocol::json::Writer;
using snmp::inventory::Device;
using snmp::inventory::Inventory;

constexpr std::size_t kAnonymousMost = 30;  // of what is asked for at once

// A list that the body must have.
Result<const Node*> list_in(const Node& body, const char* name) {
  const Node* const node = body.find(name);
  if (node == nullptr || node->kind != Kind::array)
    return fail(Code::invalid, std::string(name) + ": a list is missing");
  return node;
}

Result<std::string> text_in(const Node& body, const char* name) {
  const Node* const node = body.find(name);
  if (node == nullptr || node->kind != Kind::string)
    return fail(Code::invalid, std::string(name) + ": a text is missing");
  return std::string(node->text);
}

// A number, or a text of one, cut to a whole one.
Result<std::optional<std::int64_t>> whole_in(const Node& body, const char* name) {
  const Node* const node = body.find(name);
  if (node == nullptr) return std::nullopt;
  double number = 0;
  const char* const end = node->text.data() + node->text.size();
  const auto [behind, error] = std::from_chars(node->text.data(), end, number);
  const bool is_text = node->kind == Kind::number || node->kind == Kind::string;
  if (!is_text || error != std::errc() || behind != end || !(std::abs(number) < 0x1p62)) {
    return fail(Code::invalid, std::string(name) + ": it is not a number");
  }
  return static_cast<std::int64_t>(number);
}

Result<std::optional<std::string>> cf_in(const Node& body) {
  if (body.find("cf") == nullptr) return std::nullopt;
  VARVE_ASSIGN_OR_RETURN(auto text, text_in(body, "cf"));
  return text;
}

Result<Span> span_in(const Call& call, const Node& body, std::int64_t unit_ms) {
  VARVE_ASSIGN_OR_RETURN(const auto begin, whole_in(body, "begin"));
  VARVE_ASSIGN_OR_RETURN(const auto end, whole_in(body, "end"));
  return data_span(call, begin, end, unit_ms);
}

// By its name, or by the uri that v1 has of it.
const Device* device_named(const Inventory& inventory, const std::string& text) {
  auto found = inventory.devices.find(text);
  std::string_view uri = text;
  if (found == inventory.devices.end() && (uri.starts_with("/v1/device/") || uri.starts_with("/v2/device/"))) {
    uri.remove_prefix(std::string_view("/v1/device/").size());
    found = inventory.devices.find(at_decode(uri.substr(0, uri.find('/'))));
  }
  return found == inventory.devices.end() ? nullptr : &found->second;
}

struct Wanted {
  const Device* device = nullptr;
  std::string interface;
  std::string endpoint;
  Source source;
  std::int64_t width_ms = 0;
  DataPoints points;
};

Result<std::vector<Wanted>> wanted_in(const Call& call, const Inventory& inventory, const Node& body,
                                      const Span& span) {
  VARVE_ASSIGN_OR_RETURN(const Node* const interfaces, list_in(body, "interfaces"));
  VARVE_ASSIGN_OR_RETURN(const Node* const endpoints, list_in(body, "endpoint"));
  VARVE_ASSIGN_OR_RETURN(const auto agg, whole_in(body, "agg"));
  std::vector<Wanted> out;
  for (const Node& one : interfaces->children) {
    VARVE_ASSIGN_OR_RETURN(const std::string name, text_in(one, "device"));
    VARVE_ASSIGN_OR_RETURN(const std::string interface, text_in(one, "iface"));
    const Device* const device = device_named(inventory, name);
    if (device == nullptr) return fail(Code::invalid, "there is no device \"" + name.substr(0, 300) + "\"");
    for (const Node& endpoint : endpoints->children) {
      if (endpoint.kind != Kind::string) return fail(Code::invalid, "endpoint: a list of texts");
      Wanted& wanted = out.emplace_back();
      wanted.device = device;
      wanted.interface = interface;
      wanted.endpoint = endpoint.text;
      VARVE_ASSIGN_OR_RETURN(wanted.source,
                             source_of_interface(call, inventory, *device, interface, wanted.endpoint, span));
      VARVE_ASSIGN_OR_RETURN(wanted.width_ms, width_of(wanted.source, agg));
      VARVE_RETURN_IF_ERROR(check_span(call, span, model::kSecondMs, wanted.width_ms));
    }
  }
  return out;
}

// Those of one width and one frequency are read together: read(width_ms, sources) says their points, in order.
template <class One, class Read>
Status read_together(std::vector<One>& all, std::int64_t One::* width_ms, const Read& read) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<One*>> together;
  for (One& one : all) together[{one.*width_ms, one.source.base_ms}].push_back(&one);
  for (const auto& [of, some] : together) {
    std::vector<const Source*> sources;
    for (const One* const one : some) sources.push_back(&one->source);
    VARVE_ASSIGN_OR_RETURN(auto points, read(of.first, sources));
    for (std::size_t i = 0; i < some.size(); ++i) some[i]->points = std::move(points[i]);
  }
  return {};
}

std::string interfaces_json(const Node& body, const std::vector<Wanted>& all, Cf cf, const Span& span) {
  std::string out;
  Writer json(out);
  json.begin_object().member("begin_time", span.begin).member("end_time", span.end).member("cf", to_text(cf));
  json.key("agg");
  if (const Node* const agg = body.find("agg")) {
    json.value(agg->text);
  } else {
    json.null();
  }
  json.key("iface_dataset").begin_array();
  for (const Node& endpoint : body.find("endpoint")->children) json.value(endpoint.text);
  json.end_array().key("device_names").begin_array();
  std::vector<const Device*> devices;
  for (const Wanted& wanted : all) {
    if (std::ranges::find(devices, wanted.device) != devices.end()) continue;
    devices.push_back(wanted.device);
    json.value(wanted.device->name);
  }
  json.end_array().key("data").begin_array();
  for (const Wanted& wanted : all) {
    json.begin_object().key("path").begin_object().member("dev", wanted.device->name);
    json.member("iface", wanted.interface).member("endpoint", wanted.endpoint).end_object().key("data");
    append_points(
        json, wanted.points,
        {.unit_ms = model::kSecondMs, .with_extremes = cf == Cf::min || cf == Cf::max, .are_rates = cf != Cf::raw});
    json.end_object();
  }
  json.end_array().end_object();
  return out;
}

Response too_many(const Request& request, std::size_t count) {
  return request.error(401, "without a key " + std::to_string(kAnonymousMost) + " may be asked for at once, not " +
                                std::to_string(count));
}

std::size_t count_of(const Node* list) { return list != nullptr ? list->children.size() : 0; }

// ["snmp",…,30000]
Result<std::int64_t> path_in(const Node& node, std::vector<std::string>& names) {
  if (node.kind != Kind::array || node.children.size() < 2) {
    return fail(Code::invalid, "paths: each is a list of names, and a frequency in milliseconds");
  }
  for (const Node& name : std::span(node.children).first(node.children.size() - 1)) {
    if (name.kind != Kind::string && name.kind != Kind::number) return fail(Code::invalid, "paths: names are texts");
    names.emplace_back(name.text);
  }
  const std::string_view text = node.children.back().text;
  std::int64_t frequency_ms = 0;
  const auto [behind, error] = std::from_chars(text.data(), text.data() + text.size(), frequency_ms);
  if (error != std::errc() || behind != text.data() + text.size() || frequency_ms <= 0 ||
      frequency_ms > kFrequencyMostMs) {
    return fail(Code::invalid,
                "paths: \"" + std::string(text.substr(0, 100)) + "\" is not a frequency in milliseconds");
  }
  return frequency_ms;
}

struct WantedSeries {
  std::vector<std::string> names;
  std::int64_t frequency_ms = 0;
  Source source;
  DataPoints points;
};

std::string series_json(const std::vector<WantedSeries>& all, SeriesKind kind, Cf cf, const Span& span) {
  std::string out;
  Writer json(out);
  json.begin_object().member("begin_time", span.begin).member("end_time", span.end).member("cf", to_text(cf));
  json.key("data").begin_array();
  for (const WantedSeries& one : all) {
    json.begin_object().key("path").begin_array();
    for (const std::string& name : one.names) json.value(name);
    json.value(one.frequency_ms).end_array().key("data");
    append_points(json, one.points, points_text_of(kind, one.source, cf));
    json.end_object();
  }
  json.end_array().end_object();
  return out;
}

}  // namespace

Result<Response> bulk_interfaces(const Call& call) {
  protocol::json::Reader reader(call.request.body);
  VARVE_ASSIGN_OR_RETURN(const Node body, protocol::json::read_strict(reader));
  const std::size_t count = count_of(body.find("interfaces")) * (call.is_v1 ? count_of(body.find("endpoint")) : 1);
  if (!call.is_known && count > kAnonymousMost) return too_many(call.request, count);
  VARVE_ASSIGN_OR_RETURN(const auto cf_text, cf_in(body));
  VARVE_ASSIGN_OR_RETURN(const Cf cf, cf_asked(cf_text, Cf::average));
  VARVE_ASSIGN_OR_RETURN(const Span span, span_in(call, body, model::kSecondMs));
  VARVE_ASSIGN_OR_RETURN(const auto inventory, call.inventory());
  VARVE_ASSIGN_OR_RETURN(auto all, wanted_in(call, *inventory, body, span));
  VARVE_ASSIGN_OR_RETURN(auto query, begin_query(call.parts.engine, call.request, "esmond"));
  VARVE_RETURN_IF_ERROR(
      read_together(all, &Wanted::width_ms, [&](std::int64_t width_ms, std::span<const Source* const> sources) {
        const model::TimeRange bins = bins_in(span.begin * model::kSecondMs, span.end * model::kSecondMs, width_ms);
        return read_bins(call.parts.engine, call.request.tenant,
                         BinsAsked{.sources = sources, .cf = cf, .width_ms = width_ms, .bins = bins}, *query);
      }));
  return held_by(std::move(query), esmond_json(201, interfaces_json(body, all, cf, span)));
}

Result<Response> bulk_series(const Call& call) {
  protocol::json::Reader reader(call.request.body);
  VARVE_ASSIGN_OR_RETURN(const Node body, protocol::json::read_strict(reader));
  VARVE_ASSIGN_OR_RETURN(const Node* const paths, list_in(body, "paths"));
  if (!call.is_known && paths->children.size() > kAnonymousMost) return too_many(call.request, paths->children.size());
  VARVE_ASSIGN_OR_RETURN(const std::string type, text_in(body, "type"));
  const auto kind = series_kind_of(type);
  if (!kind) return fail(Code::invalid, "type: it is none of RawData, BaseRate, Aggs");
  VARVE_ASSIGN_OR_RETURN(const auto cf_text, cf_in(body));
  const bool is_raw = *kind == SeriesKind::raw_data;
  VARVE_ASSIGN_OR_RETURN(const Cf asked, cf_asked(cf_text, is_raw ? Cf::raw : Cf::average));
  const Cf cf = is_raw ? Cf::raw : asked;
  VARVE_ASSIGN_OR_RETURN(const Span span, span_in(call, body, 1));
  VARVE_ASSIGN_OR_RETURN(const auto inventory, call.inventory());
  std::vector<WantedSeries> all(paths->children.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    VARVE_ASSIGN_OR_RETURN(all[i].frequency_ms, path_in(paths->children[i], all[i].names));
    VARVE_ASSIGN_OR_RETURN(all[i].source,
                           written_source(call, *inventory, *kind, all[i].names, all[i].frequency_ms, span));
    VARVE_RETURN_IF_ERROR(check_span(call, span, 1, all[i].frequency_ms));
  }
  VARVE_ASSIGN_OR_RETURN(auto query, begin_query(call.parts.engine, call.request, "esmond"));
  VARVE_RETURN_IF_ERROR(read_together(all, &WantedSeries::frequency_ms,
                                      [&](std::int64_t frequency_ms, std::span<const Source* const> sources) {
                                        return read_series(call, *kind, sources, cf, frequency_ms, span, *query);
                                      }));
  return held_by(std::move(query), esmond_json(201, series_json(all, *kind, cf, span)));
}

}  // namespace varve::api::esmond
