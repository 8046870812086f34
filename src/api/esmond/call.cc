// SPDX-License-Identifier: Apache-2.0
#include "api/esmond/call.h"

#include <charconv>
#include <cmath>

#include "base/hex.h"
#include "codec/hash.h"
#include "http/url.h"
#include "model/instant.h"
#include "protocol/json/writer.h"

namespace varve::api::esmond {
namespace {

constexpr std::int64_t kHourSeconds = 3600;

// Of a second that can be a time in milliseconds.
model::Timestamp ms_of(std::int64_t seconds) {
  constexpr std::int64_t kMost = model::kTimestampMax / model::kSecondMs;
  return std::clamp(seconds, -kMost, kMost) * model::kSecondMs;
}

constexpr CharSet kPlainInUrls("-_.~/@,", true);

void append_url_text(std::string& out, std::string_view text) { append_escaped(out, text, '%', kPlainInUrls); }

// The same list from another place on.
std::string page_uri(const Call& call, const EsmondPage& page, std::size_t offset) {
  std::string out;
  constexpr std::string_view kRoot = "/esmond";
  append_url_text(out, std::string_view(call.request.path).substr(kRoot.size()));
  out += "?limit=" + std::to_string(page.limit) + "&offset=" + std::to_string(offset);
  for (const auto& [name, value] : call.request.query) {
    if (name == "limit" || name == "offset") continue;
    out += '&';
    append_url_text(out, name);
    out += '=';
    append_url_text(out, value);
  }
  return out;
}

void append_page(protocol::json::Writer& json, const char* key, const std::optional<std::string>& uri) {
  json.key(key);
  if (uri) {
    json.value(*uri);
  } else {
    json.null();
  }
}

}  // namespace

Result<std::shared_ptr<const snmp::inventory::Inventory>> Call::inventory() const {
  VARVE_RETURN_IF_ERROR(parts.inventory.refresh());
  return parts.inventory.of(request.tenant);
}

std::optional<std::vector<std::string>> names_of_path(const Request& request) {
  std::vector<std::string> out;
  const std::string_view path = request.path;
  const std::string_view captured = request.captured("path");
  if (captured.empty()) return out;
  for (auto from = static_cast<std::size_t>(captured.data() - path.data()); from <= path.size();) {
    const std::size_t end = http::segment_end(path, from, request.name_slashes);
    out.push_back(at_decode(path.substr(from, end - from)));
    if (!protocol::json::is_utf8(out.back())) return std::nullopt;
    from = end + 1;
  }
  while (!out.empty() && out.back().empty()) out.pop_back();  // a slash at the end
  return out;
}

Result<std::optional<std::int64_t>> whole_param(const Request& request, std::string_view name) {
  const auto text = request.param(name);
  if (!text || text->empty()) return std::nullopt;
  const char* const end = text->data() + text->size();
  std::int64_t whole = 0;
  if (const auto [behind, error] = std::from_chars(text->data(), end, whole); error == std::errc() && behind == end) {
    return whole;
  }
  double number = 0;
  const auto [behind, error] = std::from_chars(text->data(), end, number);
  if (error != std::errc() || behind != end || !(std::abs(number) < 0x1p62)) {
    return fail(Code::invalid, std::string(name) + ": \"" + std::string(text->substr(0, 100)) + "\" is not a number");
  }
  return static_cast<std::int64_t>(number);
}

Result<Span> data_span(const Call& call, std::optional<std::int64_t> begin, std::optional<std::int64_t> end,
                       std::int64_t unit_ms) {
  const std::int64_t now = model::window_start(call.now(), unit_ms) / unit_ms;
  const std::int64_t most = model::kTimestampMax / unit_ms;
  const Span span{begin.value_or(now - kHourSeconds * model::kSecondMs / unit_ms), end.value_or(now)};
  if (span.begin < -most || span.end > most || span.begin > span.end) {
    return fail(Code::invalid, "begin " + std::to_string(span.begin) + " and end " + std::to_string(span.end) +
                                   " are not a range of time");
  }
  return span;
}

Result<Span> data_span(const Call& call, std::int64_t unit_ms) {
  VARVE_ASSIGN_OR_RETURN(const auto begin, whole_param(call.request, "begin"));
  VARVE_ASSIGN_OR_RETURN(const auto end, whole_param(call.request, "end"));
  return data_span(call, begin, end, unit_ms);
}

Result<Span> valid_span(const Call& call) {
  VARVE_ASSIGN_OR_RETURN(const auto begin, whole_param(call.request, "begin"));
  VARVE_ASSIGN_OR_RETURN(const auto end, whole_param(call.request, "end"));
  return Span{begin ? ms_of(*begin) : call.now(), end ? ms_of(*end) : call.now()};
}

bool overlaps(const Span& span, std::optional<model::Timestamp> begin, std::optional<model::Timestamp> end) {
  return (!end || *end >= span.begin) && (!begin || *begin <= span.end);
}

Result<EsmondPage> page_of(const Call& call, std::size_t unless_said) {
  VARVE_ASSIGN_OR_RETURN(const auto limit, whole_param(call.request, "limit"));
  VARVE_ASSIGN_OR_RETURN(const auto offset, whole_param(call.request, "offset"));
  if (limit.value_or(0) < 0 || offset.value_or(0) < 0) {
    return fail(Code::invalid, "limit and offset are not negative");
  }
  return EsmondPage{limit ? static_cast<std::size_t>(*limit) : unless_said,
                    static_cast<std::size_t>(offset.value_or(0))};
}

std::string meta_json(const Call& call, const EsmondPage& page, std::size_t count) {
  std::optional<std::string> next, previous;
  if (page.limit != 0 && page.offset < count && count - page.offset > page.limit) {
    next = page_uri(call, page, page.offset + page.limit);
  }
  if (page.limit != 0 && page.offset != 0) {
    previous = page_uri(call, page, page.offset - std::min(page.offset, page.limit));
  }
  std::string out;
  protocol::json::Writer json(out);
  json.begin_object().member("limit", page.limit);
  append_page(json, "next", next);
  json.member("offset", page.offset);
  append_page(json, "previous", previous);
  json.member("total_count", count).end_object();
  return out;
}

std::int64_t epoch_of(std::optional<model::Timestamp> time) {
  if (!time) return kForEverSeconds;
  return std::min(model::window_start(*time, model::kSecondMs) / model::kSecondMs, kForEverSeconds);
}

std::string iso_of(std::optional<model::Timestamp> time) {
  if (!time || epoch_of(time) == kForEverSeconds) return "9999-12-29T23:59:59.999999";
  std::string out = model::instant(*time);
  out.pop_back();  // the Z
  return out;
}

std::int64_t id_of(std::string_view text) { return static_cast<std::int64_t>(codec::hash64(text) >> 33) + 1; }

}  // namespace varve::api::esmond
