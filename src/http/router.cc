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
// metric names may contain them.
bool matches(std::string_view pattern, std::string_view path, std::span<const std::size_t> name_slashes) {
  for (std::size_t from = 0;;) {
    const auto brace = pattern.find('{');
    if (brace == std::string_view::npos) return pattern == path.substr(from);
    if (path.substr(from, brace) != pattern.substr(0, brace)) return false;
    from += brace;
    if (from >= path.size()) return false;
    pattern.remove_prefix(pattern.find('}', brace) + 1);
    if (pattern.empty()) return true;
    const std::size_t end = segment_end(path, from, name_slashes);
    if (end == from || end == path.size()) return false;
    from = end;
  }
}

}  // namespace

void Router::add(Method method, std::string pattern, Handler handler, Effect effect) {
  if (serves_ && !serves_(effect)) return;
  const bool taken = std::any_of(routes_.begin(), routes_.end(),
                                 [&](const Route& r) { return r.method == method && r.pattern == pattern; });
  check(!taken, "a route is added once");
  routes_.push_back({method, std::move(pattern), std::move(handler)});
}

void Router::add_changing_get(std::string pattern, Handler handler, Effect effect) {
  if (serves_ && !serves_(effect)) return;
  add(Method::get, std::move(pattern), std::move(handler), effect);
  routes_.back().changing_get = true;
}

Router::Match Router::find(Method method, std::string_view path, std::span<const std::size_t> name_slashes) const {
  Match match;
  const Route* get = nullptr;  // answers HEAD where nothing else does
  for (std::size_t i = 0; i < routes_.size(); ++i) {
    const Route& route = routes_[i];
    if (!matches(route.pattern, path, name_slashes)) continue;
    if (route.method == method) return {&route.handler, route.pattern, {}, i, route.changing_get};
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
  if (get != nullptr) match.allow += ", HEAD";
  if (!match.allow.empty()) match.allow += ", OPTIONS";
  return match;
}

}  // namespace varve::http
