// SPDX-License-Identifier: Apache-2.0
// Setters of who may come over the network: origins of browsers' pages, names of this server, who names the tenant.
#include <algorithm>
#include <string>

#include "base/ascii.h"
#include "config/setters.h"
#include "config/units.h"

namespace varve::config {
namespace {

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

bool is_name(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](char c) { return is_letter_or_digit(c) || c == '-' || c == '.' || c == '_'; });
}

bool is_scheme(std::string_view text) {
  return !text.empty() && text[0] >= 'a' &&
         std::ranges::all_of(text, [](char c) { return is_letter_or_digit(c) || c == '+' || c == '-' || c == '.'; });
}

// As a browser says an origin: in lower case and without the port that its scheme has anyway. "" if it is none.
std::string origin_of(std::string_view text) {
  std::string origin = lower(text);
  const std::size_t scheme = origin.find("://");
  if (scheme == std::string::npos || !is_scheme(std::string_view(origin).substr(0, scheme))) return {};
  const std::string_view rest = std::string_view(origin).substr(scheme + 3);
  const bool ipv6 = rest.starts_with('[');
  const std::size_t bracket = ipv6 ? rest.find(']') : 0;
  if (bracket == std::string_view::npos) return {};
  const std::size_t colon = rest.find(':', bracket);
  const std::string_view host = rest.substr(0, colon);
  const bool named =
      ipv6 ? host.size() > 2 && host.find_first_not_of("0123456789abcdef:.", 1) == host.size() - 1 : is_name(host);
  if (!named) return {};
  if (colon == std::string_view::npos) return origin;
  const auto port = parse_count(rest.substr(colon + 1));
  if (!port || *port == 0 || *port > 65535) return {};
  const bool implied =
      (*port == 80 && origin.starts_with("http://")) || (*port == 443 && origin.starts_with("https://"));
  return implied ? origin.substr(0, scheme + 3 + colon) : origin;
}

}  // namespace

Status set_http_origins(Config& config, std::string_view text) {
  config.http.origins.clear();
  for (const auto part : split_list(text)) {
    const std::string origin = part == "*" ? "*" : origin_of(part);
    if (origin.empty()) {
      return fail(Code::invalid,
                  "*, or a list of scheme://host[:port] without a path, such as https://grafana.example.org");
    }
    config.http.origins.push_back(origin);
  }
  return {};
}

Status set_http_hosts(Config& config, std::string_view text) {
  config.http.hosts.clear();
  for (const auto part : split_list(text)) {
    const std::string name = lower(part);
    const bool below = name.starts_with("*.");
    if (name != "*" && !is_name(std::string_view(name).substr(below ? 2 : 0))) {
      return fail(Code::invalid, "*, or a list of names without a port, such as db.example.org,*.lan.example.org");
    }
    config.http.hosts.push_back(name);
  }
  return {};
}

Status set_tenant_from(Config& config, std::string_view text) {
  Config::TenantFrom from;
  for (const auto part : split_list(text)) {
    bool* way = part == "path"            ? &from.path
                : part == "x-tenant"      ? &from.x_tenant
                : part == "x-scope-orgid" ? &from.x_scope_orgid
                : part == "tag"           ? &from.tag
                                          : nullptr;
    if (way == nullptr || *way)
      return fail(Code::invalid, "a list of path, x-tenant, x-scope-orgid and tag, each once");
    *way = true;
  }
  config.tenant_from = from;
  return {};
}

}  // namespace varve::config
