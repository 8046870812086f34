// SPDX-License-Identifier: Apache-2.0
#include "protocol/ceres/parameters.h"

#include <algorithm>
#include <charconv>

namespace varve::protocol::ceres {

namespace {

std::unexpected<Error> unknown(std::string_view name, std::span<const std::string_view> known) {
  std::string list;
  for (const std::string_view k : known) list.append(list.empty() ? "" : ", ").append(k);
  return fail(Code::invalid, "there is no parameter " + in_quotes(name) + " here; " + (list.empty() ? "none" : list));
}

}  // namespace

std::string in_quotes(std::string_view text) { return "'" + std::string(text.substr(0, 100)) + "'"; }

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

Status check_parameters(std::span<const Parameter> parameters, std::span<const std::string_view> known,
                        std::string_view tenant) {
  for (auto at = parameters.begin(); at != parameters.end(); ++at) {
    const auto& [name, value] = *at;
    if (name == "tenant" || name == "maskTenantId") {
      if (value == tenant) continue;
      return fail(Code::invalid, "the parameter " + name +
                                     " cannot choose a tenant; the header X-Tenant or the path /t/<tenant>/ does");
    }
    if (std::ranges::find(known, name) == known.end()) return unknown(name, known);
    const bool again = std::any_of(parameters.begin(), at, [&](const Parameter& other) { return other.first == name; });
    if (again && name != "tag") return fail(Code::invalid, "the parameter " + name + " stands twice");
  }
  return {};
}

std::optional<std::string_view> parameter(std::span<const Parameter> parameters, std::string_view name) {
  const auto at = std::ranges::find(parameters, name, &Parameter::first);
  if (at == parameters.end()) return std::nullopt;
  return at->second;
}

Result<Subject> subject_of(std::span<const Parameter> parameters) {
  const std::string_view name = parameter(parameters, "metricName").value_or("");
  const std::string_view group = parameter(parameters, "metricGroup").value_or("");
  if (is_blank(name) == is_blank(group)) {
    return fail(Code::invalid, "Either metricName or metricGroup must be given, and not both");
  }
  return is_blank(name) ? Subject{std::string(group), true} : Subject{std::string(name), false};
}

Result<std::string> required(std::span<const Parameter> parameters, std::string_view name) {
  const auto text = parameter(parameters, name);
  if (text && !is_blank(*text)) return std::string(*text);
  return fail(Code::invalid, "Required parameter " + in_quotes(name) + " is not present");
}

std::pair<std::size_t, std::size_t> Paging::part(std::size_t size) const {
  const std::size_t first = std::min<std::uint64_t>(offset, size);
  const std::size_t count = std::min<std::uint64_t>(limit == 0 ? size : limit, size - first);
  return {first, first + count};
}

Result<Paging> paging_of(std::span<const Parameter> parameters) {
  Paging out;
  for (const auto& [name, field] : {std::pair("offset", &Paging::offset), std::pair("limit", &Paging::limit)}) {
    const auto text = parameter(parameters, name);
    if (!text) continue;
    const char* const begin = text->data();
    const char* const end = begin + text->size();
    const auto [at, error] = std::from_chars(begin, end, out.*field);
    if (error != std::errc{} || at != end) {
      return fail(Code::invalid, "the parameter " + std::string(name) + " must be a whole number, 0 or more");
    }
  }
  return out;
}

}  // namespace varve::protocol::ceres
