// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "http/handler.h"

namespace varve::http {
namespace {

Router router() {
  Router r;
  const Handler none = [](const Request&, const Responder&) {};
  r.add(Method::post, "/api/put", none);
  r.add(Method::get, "/ping", none);
  r.add(Method::head, "/ping", none);
  r.add(Method::get, "/query", none);
  r.add(Method::post, "/query", none);
  r.add(Method::delete_, "/api/v1/metric/{name}", none);
  r.add(Method::get, "/meta/{service}/{key}", none);
  r.add(Method::get, "/label/{name}/values", none);
  return r;
}

// "pattern" when found, "405 allow" or "404".
std::string shown_route(Method method, std::string_view path) {
  const Router r = router();
  const Router::Match match = r.find(method, path);
  if (match.handler != nullptr) return std::string(match.pattern);
  return match.pattern.empty() ? "404" : "405 " + match.allow;
}

TEST(Router, Finds) {
  EXPECT_EQ(shown_route(Method::post, "/api/put"), "/api/put");
  EXPECT_EQ(shown_route(Method::delete_, "/api/v1/metric/a.b"), "/api/v1/metric/{name}");
  EXPECT_EQ(shown_route(Method::delete_, "/api/v1/metric/a/b"), "/api/v1/metric/{name}");
  EXPECT_EQ(shown_route(Method::get, "/meta/s/k"), "/meta/{service}/{key}");
  EXPECT_EQ(shown_route(Method::get, "/label/host/values"), "/label/{name}/values");
}

// name=value of each segment in braces.
std::string captured(Method method, std::string path, std::vector<std::size_t> slashes = {}) {
  const Router r = router();
  Request request;
  request.method = method;
  request.path = std::move(path);
  request.name_slashes = std::move(slashes);
  request.captures = {{"of another path", 0, 1}};
  static_cast<void>(r.find(request));
  std::string out;
  for (const Capture& one : request.captures) {
    out.append(out.empty() ? "" : " ").append(one.name).append("=").append(request.captured(one.name));
  }
  return out;
}

TEST(Router, SegmentsInBracesAreCaptured) {
  EXPECT_EQ(captured(Method::get, "/ping"), "");
  EXPECT_EQ(captured(Method::get, "/nothing"), "");
  EXPECT_EQ(captured(Method::post, "/label/host/values"), "") << "a wrong method";
  EXPECT_EQ(captured(Method::delete_, "/api/v1/metric/a.b"), "name=a.b");
  EXPECT_EQ(captured(Method::delete_, "/api/v1/metric/a/b"), "name=a/b") << "the last one takes what is left";
  EXPECT_EQ(captured(Method::get, "/meta/s/k"), "service=s key=k");
  EXPECT_EQ(captured(Method::get, "/meta/s/k/l"), "service=s key=k/l");
  EXPECT_EQ(captured(Method::get, "/meta/a/b/c", {7}), "service=a/b key=c") << "a slash that was encoded";
  EXPECT_EQ(captured(Method::head, "/label/host/values"), "name=host") << "answered as GET";
  EXPECT_EQ(Request().captured("name"), "");
}

TEST(Router, APrefixTakesWhatNoRouteHas) {
  Router r = router();
  const Handler none = [](const Request&, const Responder&) {};
  r.add_prefix("/ui/", none);
  r.add_prefix("/ui/old/", none);
  r.add(Method::get, "/ui/version", none);
  const auto found = [&](Method method, std::string_view path) {
    const Router::Match match = r.find(method, path);
    return std::string(match.handler != nullptr ? "" : "not ") + std::string(match.pattern);
  };
  for (const Method method : {Method::get, Method::head, Method::post, Method::put, Method::delete_}) {
    EXPECT_EQ(found(method, "/ui/"), "/ui/");
    EXPECT_EQ(found(method, "/ui/a/b.js"), "/ui/");
  }
  EXPECT_EQ(found(Method::get, "/ui/old/a"), "/ui/old/");
  EXPECT_EQ(found(Method::get, "/ui/version"), "/ui/version");
  EXPECT_EQ(found(Method::post, "/ui/version"), "not /ui/version");
  EXPECT_EQ(found(Method::get, "/ui"), "not ");
  EXPECT_EQ(found(Method::options, "/ui/a"), "not /ui/");
  EXPECT_EQ(found(Method::other, "/ui/a"), "not /ui/");
  EXPECT_EQ(r.find(Method::options, "/ui/a").allow, "GET, HEAD, POST, PUT, DELETE, OPTIONS");
}

TEST(Router, PrefixesAreNotAddedWhereTheirEffectIsNotServed) {
  Router r([](Effect effect) { return effect == Effect::administers; });
  r.add_prefix("/ui/", [](const Request&, const Responder&) {});
  EXPECT_EQ(r.size(), 0U);
}

TEST(Router, AVariantTakesItsRequests) {
  std::string by;
  Router r;
  r.add(Method::get, "/q", [&](const Request&, const Responder&) { by += "route "; });
  r.add_variant(
      Method::get, "/q", [](const Request& request) { return request.param("mine").has_value(); },
      [&](const Request&, const Responder&) { by += "variant "; });
  Request request;
  const auto ask = [&] { (*r.find(Method::get, "/q").handler)(request, Responder(nullptr)); };
  ask();
  request.query = {{"mine", "1"}};
  ask();
  EXPECT_EQ(by, "route variant ");
}

TEST(Router, Misses) {
  EXPECT_EQ(shown_route(Method::post, "/api/put/"), "404");
  EXPECT_EQ(shown_route(Method::get, "/api"), "404");
  EXPECT_EQ(shown_route(Method::get, "/"), "404");
  EXPECT_EQ(shown_route(Method::get, ""), "404");
  EXPECT_EQ(shown_route(Method::delete_, "/api/v1/metric/"), "404");
  EXPECT_EQ(shown_route(Method::get, "/meta//k"), "404");
  EXPECT_EQ(shown_route(Method::get, "/meta/s/"), "404");
  EXPECT_EQ(shown_route(Method::get, "/label/host/value"), "404");
}

TEST(Router, AWrongMethodNamesTheRightOnes) {
  EXPECT_EQ(shown_route(Method::get, "/api/put"), "405 POST, OPTIONS");
  EXPECT_EQ(shown_route(Method::put, "/query"), "405 GET, POST, HEAD, OPTIONS");
  EXPECT_EQ(shown_route(Method::options, "/api/put"), "405 POST, OPTIONS");
  EXPECT_EQ(shown_route(Method::other, "/api/v1/metric/x"), "405 DELETE, OPTIONS");
}

TEST(Router, SlashesOfNamesPartNothing) {
  const Router r = router();
  const auto found = [&](std::string_view path, std::vector<std::size_t> slashes) {
    return r.find(Method::get, path, slashes).pattern;
  };
  EXPECT_EQ(found("/label/a/b/values", {}), "");
  EXPECT_EQ(found("/label/a/b/values", {8}), "/label/{name}/values");
  EXPECT_EQ(found("/meta/a/b", {7}), "");
  EXPECT_EQ(found("/meta/a/b/c", {7}), "/meta/{service}/{key}");
}

TEST(Router, GetAnswersHead) { EXPECT_EQ(shown_route(Method::head, "/query"), "/query"); }

TEST(Router, WhatIsNotServedIsNotThere) {
  Router r([](Effect effect) { return effect != Effect::writes; });
  const Handler none = [](const Request&, const Responder&) {};
  r.add(Method::get, "/one", none);
  r.add(Method::put, "/one", none, Effect::writes);
  r.add(Method::post, "/two", none, Effect::writes);
  r.add(Method::delete_, "/two", none, Effect::deletes);
  EXPECT_NE(r.find(Method::get, "/one").handler, nullptr);
  EXPECT_EQ(r.find(Method::put, "/one").handler, nullptr);
  EXPECT_EQ(r.find(Method::put, "/one").allow, "GET, HEAD, OPTIONS");
  EXPECT_EQ(r.find(Method::post, "/two").allow, "DELETE, OPTIONS");
}

}  // namespace
}  // namespace varve::http
