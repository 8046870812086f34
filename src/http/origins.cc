// SPDX-License-Identifier: Apache-2.0
#include "http/origins.h"

#include <algorithm>

namespace varve::http {
namespace {

constexpr std::string_view kScheme = "http://";

bool is_own(std::string_view origin, const std::optional<Authority>& host) {
  if (!host || !origin.starts_with(kScheme)) return false;
  const auto authority = parse_authority(origin.substr(kScheme.size()));
  return authority && *authority == *host;
}

}  // namespace

Origin Origins::of(const Request& request, const std::optional<Authority>& host) const {
  Origin found = Origin::none;
  for (const auto& [name, value] : request.headers) {
    if (name != "origin") continue;
    if (found != Origin::none) return Origin::foreign;  // no browser sends two
    const bool listed =
        std::ranges::any_of(origins_, [&value](const std::string& o) { return o == "*" || o == value; });
    found = listed ? Origin::allowed : is_own(value, host) ? Origin::own : Origin::foreign;
  }
  return found;
}

bool may_change(const Request& request, Origin origin) {
  if (origin != Origin::none) return origin != Origin::foreign;
  return std::ranges::none_of(request.headers, [](const auto& header) {
    return header.first == "sec-fetch-site" && (header.second == "cross-site" || header.second == "same-site");
  });
}

bool is_preflight(const Request& request) {
  return request.method == Method::options && !request.header("access-control-request-method").empty();
}

}  // namespace varve::http
