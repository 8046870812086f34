// SPDX-License-Identifier: Apache-2.0
// Some hundred routes, looked at one after the other: comparing lengths first makes that cheaper than a hash.
#include "http/router.h"

#include <algorithm>

#include "base/check.h"
#include "http/url.h"
#include "model/tenant.h"

namespace varve::http {
namespace {

constexpr std::string_view name_of(Method method) {
  switch (method) {
    case Method::get: return "GET";
    case Method::head: return "HEAD";
    case Method::post: return "POST";
    case Method::put: return "PUT";
    case Method::delete_: return "DELETE";
    case Method::options: return "OPTIONS";
    case Method::other: break;
  }
  return "";
}

// A segment in braces stands for one non-empty segment; the last one for all that is left, slashes too, because
// metric names may contain them. What the segments stand for goes to `captures`, unless that is nullptr.
bool matches(std::string_view pattern, std::string_view path, std::span<const std::size_t> name_slashes,
             std::vector<Capture>* captures) {
  for (std::size_t from = 0;;) {
    const auto brace = pattern.find('{');
    if (brace == std::string_view::npos) return pattern == path.substr(from);
    if (path.substr(from, brace) != pattern.substr(0, brace)) return false;
    from += brace;
    if (from >= path.size()) return false;
    const auto behind = pattern.find('}', brace);
    const std::string_view name = pattern.substr(brace + 1, behind - brace - 1);
    pattern.remove_prefix(behind + 1);
    const std::size_t end = pattern.empty() ? path.size() : segment_end(path, from, name_slashes);
    if (captures != nullptr) captures->push_back({name, from, end - from});
    if (pattern.empty()) return true;
    if (end == from || end == path.size()) return false;
    from = end;
  }
}

// A path, of which each segment is a text without braces or one name in braces, no name twice.
bool is_pattern(std::string_view text) {
  std::vector<std::string_view> names;
  if (!text.starts_with('/')) return false;
  while (!text.empty()) {
    text.remove_prefix(1);
    const std::string_view segment = text.substr(0, text.find('/'));
    text.remove_prefix(segment.size());
    if (segment.find_first_of("{}") == std::string_view::npos) continue;
    if (segment.size() < 3 || segment.front() != '{' || segment.back() != '}') return false;
    const std::string_view name = segment.substr(1, segment.size() - 2);
    if (name.find_first_of("{}") != std::string_view::npos || std::ranges::find(names, name) != names.end()) {
      return false;
    };
    names.push_back(name);
  }
  return true;
}

// How many plain segments two paths begin with that are the same; names in braces are like nothing.
std::size_t shared_segments(std::string_view pattern, std::string_view path) {
  std::size_t shared = 0;
  while (pattern.starts_with('/') && path.starts_with('/')) {
    pattern.remove_prefix(1);
    path.remove_prefix(1);
    const std::string_view segment = pattern.substr(0, pattern.find('/'));
    if (segment.starts_with('{') || segment != path.substr(0, path.find('/'))) break;
    pattern.remove_prefix(segment.size());
    path.remove_prefix(segment.size());
    ++shared;
  }
  return shared;
}

}  // namespace

Status check_tenant(const Route& route, const Request& request) {
  if (!route.needs_tenant) return {};
  if (request.tenant.empty()) return fail(Code::invalid, "the request names no tenant");
  const bool changes = route.effect == Effect::writes || route.effect == Effect::deletes;
  return changes ? model::check_writable(request.tenant) : Status();
}

void Router::add(Route route) {
  if (serves_ && !serves_(route.effect)) return;
  check(is_pattern(route.pattern) && route.handler != nullptr && route.shape != nullptr,
        "a route has a pattern, a handler and a shape of errors");
  check(!route.takes_below || (route.pattern.ends_with('/') && !route.pattern.contains('{')),
        "what takes all paths below one ends with a slash, and is plain");
  check(!route.changes_by_get || route.method == Method::get, "what changes by GET is a GET");
  const auto is_same = [&](const Route& r) { return r.method == route.method && r.pattern == route.pattern; };
  check(std::ranges::none_of(routes_, [&](const Route& r) { return is_same(r) && r.takes == route.takes; }),
        "a route is added once");
  // What takes some requests is asked before what takes the others.
  const auto others = route.takes != nullptr ? std::ranges::find_if(routes_, is_same) : routes_.end();
  const auto plain = std::min(route.pattern.find('{'), route.pattern.size());
  plain_.insert(plain_.begin() + (others - routes_.begin()), plain);
  routes_.insert(others, std::move(route));
}

const Route* Router::below(std::string_view path) const {
  const Route* longest = nullptr;
  for (const Route& route : routes_) {
    if (!route.takes_below || !path.starts_with(route.pattern)) continue;
    if (longest == nullptr || route.pattern.size() > longest->pattern.size()) longest = &route;
  }
  return longest;
}

// Of those that share as much, the shortest is nearest: /api/put rather than /api/v1/datapoints for /api/nothing.
ErrorShape Router::nearest_shape(std::string_view path) const {
  const Route* nearest = nullptr;
  std::size_t most = 0, length = 0;
  for (const Route& route : routes_) {
    const std::size_t shared = shared_segments(route.pattern, path);
    const auto segments = static_cast<std::size_t>(std::ranges::count(route.pattern, '/'));
    if (shared < most || shared == 0 || (shared == most && segments >= length)) continue;
    nearest = &route;
    most = shared;
    length = segments;
  }
  return nearest == nullptr ? plain_error : nearest->shape;
}

Router::Match Router::match(const Request& request) const {
  Match match;
  const Route* get = nullptr;  // answers HEAD where nothing else does
  const auto index_of = [&](const Route& route) { return static_cast<std::size_t>(&route - routes_.data()); };
  for (const Route& route : routes_) {
    const bool is_plain = plain_[index_of(route)] == route.pattern.size();
    if (route.takes_below || (is_plain && route.pattern != request.path)) continue;
    if (!is_plain && !matches(route.pattern, request.path, request.name_slashes, nullptr)) continue;
    if (route.takes != nullptr && !route.takes(request)) continue;
    if (route.method == request.method) return {&route, route.pattern, {}, index_of(route)};
    if (get == nullptr && route.method == Method::get && !route.changes_by_get) get = &route;
    if (match.pattern.empty()) {
      match.pattern = route.pattern;
      match.index = index_of(route);
    }
    if (match.allow.find(name_of(route.method)) != std::string::npos) continue;
    match.allow += match.allow.empty() ? "" : ", ";
    match.allow += name_of(route.method);
  }
  if (get != nullptr && request.method == Method::head) return {get, get->pattern, {}, index_of(*get)};
  if (match.pattern.empty()) {
    if (const Route* const route = below(request.path)) {
      match.pattern = route->pattern;
      match.index = index_of(*route);
      match.allow = "GET, HEAD, POST, PUT, DELETE";
      if (request.method != Method::options && request.method != Method::other) match.route = route;
    }
  }
  if (get != nullptr) match.allow += ", HEAD";
  if (!match.allow.empty()) match.allow += ", OPTIONS";
  return match;
}

Router::Match Router::find(Request& request) const {
  Match found = match(request);
  request.captures.clear();
  request.shape = found.pattern.empty() ? nearest_shape(request.path) : routes_[found.index].shape;
  if (found.route != nullptr) matches(found.pattern, request.path, request.name_slashes, &request.captures);
  return found;
}

}  // namespace varve::http
