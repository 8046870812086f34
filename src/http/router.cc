// SPDX-License-Identifier: Apache-2.0
// Some forty routes, looked at one after the other: comparing lengths first makes that cheaper than a hash.
#include <algorithm>

#include "base/check.h"
#include "http/handler.h"
#include "http/url.h"

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

}  // namespace

bool Router::Route::matches(std::string_view path, std::span<const std::size_t> name_slashes) const {
  if (is_prefix) return false;
  return is_plain ? pattern == path : http::matches(pattern, path, name_slashes, nullptr);
}

void Router::add(Method method, std::string pattern, Handler handler, Effect effect) {
  if (serves_ && !serves_(effect)) return;
  const bool taken = std::any_of(routes_.begin(), routes_.end(),
                                 [&](const Route& r) { return r.method == method && r.pattern == pattern; });
  check(!taken, "a route is added once");
  check(pattern.starts_with('/') && handler != nullptr, "a route has a path and a handler");
  const bool is_plain = !pattern.contains('{');
  routes_.push_back({method, std::move(pattern), std::move(handler), is_plain});
}

void Router::add_changing_get(std::string pattern, Handler handler, Effect effect) {
  if (serves_ && !serves_(effect)) return;
  add(Method::get, std::move(pattern), std::move(handler), effect);
  routes_.back().changing_get = true;
}

void Router::add_prefix(std::string prefix, Handler handler, Effect effect) {
  check(prefix.ends_with('/') && prefix.find('{') == std::string::npos, "a prefix ends with a slash, and is plain");
  add(Method::other, std::move(prefix), std::move(handler), effect);
  if (!serves_ || serves_(effect)) routes_.back().is_prefix = true;
}

Router::Route* Router::added(Method method, std::string_view pattern) {
  const auto route = std::ranges::find_if(
      routes_, [&](const Route& r) { return r.method == method && r.pattern == pattern && !r.is_prefix; });
  if (route != routes_.end()) return &*route;
  check(static_cast<bool>(serves_), "what is said of a route is said of one that is there");
  return nullptr;
}

void Router::answers_later(Method method, std::string_view pattern) {
  if (Route* const route = added(method, pattern)) route->answers_later = true;
}

void Router::add_variant(Method method, std::string_view pattern, std::function<bool(const Request&)> is_theirs,
                         Handler handler) {
  Route* const route = added(method, pattern);
  if (route == nullptr) return;
  route->handler = [is_theirs = std::move(is_theirs), theirs = std::move(handler), others = std::move(route->handler)](
                       const Request& request, Responder respond) {
    (is_theirs(request) ? theirs : others)(request, std::move(respond));
  };
}

const Router::Route* Router::prefix_of(std::string_view path) const {
  const Route* longest = nullptr;
  for (const Route& route : routes_) {
    if (!route.is_prefix || !path.starts_with(route.pattern)) continue;
    if (longest == nullptr || route.pattern.size() > longest->pattern.size()) longest = &route;
  }
  return longest;
}

Router::Match Router::find(Method method, std::string_view path, std::span<const std::size_t> name_slashes) const {
  Match match;
  const Route* get = nullptr;  // answers HEAD where nothing else does
  for (std::size_t i = 0; i < routes_.size(); ++i) {
    const Route& route = routes_[i];
    if (!route.matches(path, name_slashes)) continue;
    if (route.method == method) return {&route.handler, route.pattern, {}, i, route.changing_get, route.answers_later};
    if (route.method == Method::get && !route.changing_get) get = &route;
    if (match.pattern.empty()) {
      match.pattern = route.pattern;
      match.index = i;
    }
    if (match.allow.find(name_of(route.method)) != std::string::npos) continue;
    match.allow += match.allow.empty() ? "" : ", ";
    match.allow += name_of(route.method);
  }
  if (get != nullptr && method == Method::head) {
    return {&get->handler, get->pattern, {}, static_cast<std::size_t>(get - routes_.data())};
  }
  if (match.pattern.empty()) {
    if (const Route* prefix = prefix_of(path)) {
      match.pattern = prefix->pattern;
      match.index = static_cast<std::size_t>(prefix - routes_.data());
      match.allow = "GET, HEAD, POST, PUT, DELETE";
      if (method != Method::options && method != Method::other) match.handler = &prefix->handler;
    }
  }
  if (get != nullptr) match.allow += ", HEAD";
  if (!match.allow.empty()) match.allow += ", OPTIONS";
  return match;
}

Router::Match Router::find(Request& request) const {
  const Match match = find(request.method, request.path, request.name_slashes);
  request.captures.clear();
  if (match.handler != nullptr && match.pattern.contains('{')) {
    http::matches(match.pattern, request.path, request.name_slashes, &request.captures);
  }
  return match;
}

}  // namespace varve::http
