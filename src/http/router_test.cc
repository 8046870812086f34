// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "http/answer.h"
#include "http/router.h"

namespace varve::http {
namespace {

Router router() {
  Router r;
  const Handler none = [](const Request&, const Responder&) {};
  r.add({Method::post, "/api/put", none});
  r.add({Method::get, "/ping", none});
  r.add({Method::head, "/ping", none});
  r.add({Method::get, "/query", none});
  r.add({Method::post, "/query", none});
  r.add({Method::delete_, "/api/v1/metric/{name}", none});
  r.add({Method::get, "/meta/{service}/{key}", none});
  r.add({Method::get, "/label/{name}/values", none});
  return r;
}

Router::Match find(const Router& router, Method method, std::string_view path, std::vector<std::size_t> slashes = {}) {
  Request request;
  request.method = method;
  request.path = path;
  request.name_slashes = std::move(slashes);
  return router.find(request);
}

// "pattern" when found, "405 allow" or "404".
std::string shown_route(Method method, std::string_view path) {
  const Router r = router();
  const Router::Match match = find(r, method, path);
  if (match.route != nullptr) return std::string(match.pattern);
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
  r.add({.method = Method::other, .pattern = "/ui/", .handler = none, .takes_below = true});
  r.add({.method = Method::other, .pattern = "/ui/old/", .handler = none, .takes_below = true});
  r.add({Method::get, "/ui/version", none});
  const auto found = [&](Method method, std::string_view path) {
    const Router::Match match = find(r, method, path);
    return std::string(match.route != nullptr ? "" : "not ") + std::string(match.pattern);
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
  EXPECT_EQ(find(r, Method::options, "/ui/a").allow, "GET, HEAD, POST, PUT, DELETE, OPTIONS");
}

TEST(Router, PrefixesAreNotAddedWhereTheirEffectIsNotServed) {
  Router r([](Effect effect) { return effect == Effect::administers; });
  r.add({.method = Method::other,
         .pattern = "/ui/",
         .handler = [](const Request&, const Responder&) {},
         .takes_below = true});
  EXPECT_TRUE(r.routes().empty());
}

TEST(Router, ARouteMayTakeSomeRequestsOfAnother) {
  const Handler none = [](const Request&, const Responder&) {};
  const auto in_text = [](int status, std::string_view message, const Request&) {
    return Response::text(status, std::string(message));
  };
  const auto is_mine = [](const Request& request) { return request.param("mine").has_value(); };
  const Route all{.method = Method::get, .pattern = "/q", .handler = none};
  const Route mine{.method = Method::get, .pattern = "/q", .handler = none, .shape = in_text, .takes = is_mine};
  for (const bool is_first : {true, false}) {
    Router r;
    r.add(is_first ? mine : all);
    r.add(is_first ? all : mine);
    Request request;
    request.path = "/q";
    EXPECT_EQ(r.find(request).route->takes, nullptr);
    EXPECT_EQ(request.shape, plain_error);
    request.query = {{"mine", "1"}};
    EXPECT_NE(r.find(request).route->takes, nullptr);
    EXPECT_EQ(request.error(400, "m").body, "m");
    request.method = Method::put;
    EXPECT_EQ(r.find(request).allow, "GET, HEAD, OPTIONS");
  }
  Router alone;
  alone.add(mine);
  EXPECT_EQ(find(alone, Method::get, "/q").pattern, "") << "what it does not take is nobody's";
}

TEST(Router, ErrorsHaveTheShapeOfTheRoute) {
  const auto shape = []<int kNumber>() {
    return [](int, std::string_view, const Request&) { return Response::text(kNumber, ""); };
  };
  const Handler none = [](const Request&, const Responder&) {};
  Router r;
  const auto add = [&](Method method, const char* pattern, ErrorShape of) {
    r.add({.method = method, .pattern = pattern, .handler = none, .shape = of});
  };
  add(Method::get, "/api/v1/points", shape.operator()<201>());
  add(Method::post, "/api/put", shape.operator()<202>());
  add(Method::get, "/{index}/_bulk", shape.operator()<203>());
  const auto shown = [&](Method method, std::string path) {
    Request request;
    request.method = method;
    request.path = std::move(path);
    static_cast<void>(r.find(request));
    return request.error({Code::invalid, ""}).status;
  };
  EXPECT_EQ(shown(Method::get, "/api/v1/points"), 201);
  EXPECT_EQ(shown(Method::get, "/api/put"), 202) << "a wrong method";
  EXPECT_EQ(shown(Method::get, "/x/_bulk"), 203);
  EXPECT_EQ(shown(Method::get, "/api/v1/nothing"), 201) << "the nearest";
  EXPECT_EQ(shown(Method::get, "/api/nothing"), 202) << "the shortest of the nearest";
  EXPECT_EQ(shown(Method::get, "/apix"), 400) << "a segment is whole";
  EXPECT_EQ(shown(Method::get, "/x/_other"), 400) << "a name is like nothing";
  EXPECT_EQ(shown(Method::get, "/"), 400);
}

TEST(Router, ARouteSaysWhichTenantsItTakes) {
  const auto may = [](bool needs, Effect effect, std::string tenant) {
    Request request;
    request.tenant = std::move(tenant);
    const Status status =
        check_tenant({.pattern = "/", .handler = {}, .effect = effect, .needs_tenant = needs}, request);
    return status ? std::string("may") : status.error().message;
  };
  EXPECT_EQ(may(false, Effect::writes, ""), "may");
  EXPECT_EQ(may(true, Effect::reads, ""), "the request names no tenant");
  EXPECT_EQ(may(true, Effect::reads, "varve"), "may");
  EXPECT_EQ(may(true, Effect::administers, "varve"), "may");
  EXPECT_EQ(may(true, Effect::writes, "t"), "may");
  EXPECT_TRUE(may(true, Effect::writes, "varve").contains("varve"));
  EXPECT_TRUE(may(true, Effect::deletes, "varve").contains("varve"));
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
    return find(r, Method::get, path, std::move(slashes)).pattern;
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
  r.add({Method::get, "/one", none});
  r.add({Method::put, "/one", none, Effect::writes});
  r.add({Method::post, "/two", none, Effect::writes});
  r.add({Method::delete_, "/two", none, Effect::deletes});
  EXPECT_NE(find(r, Method::get, "/one").route, nullptr);
  EXPECT_EQ(find(r, Method::put, "/one").route, nullptr);
  EXPECT_EQ(find(r, Method::put, "/one").allow, "GET, HEAD, OPTIONS");
  EXPECT_EQ(find(r, Method::post, "/two").allow, "DELETE, OPTIONS");
}

}  // namespace
}  // namespace varve::http
