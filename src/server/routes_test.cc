// SPDX-License-Identifier: Apache-2.0
// Walks all routes that there are: none is hidden by another, and each refuses in its own shape.
#include "server/routes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "api/ceres/error.h"
#include "api/elasticsearch/handlers.h"
#include "api/esmond/error.h"
#include "api/influx/error.h"
#include "api/kairosdb/kairosdb_parts.h"
#include "api/loki/error.h"
#include "api/opentsdb/error.h"
#include "api/otlp/form.h"
#include "api/prometheus/handlers.h"
#include "api/testing/whole_context.h"
#include "write/message_feed.h"

namespace varve::server {
namespace {

using http::Effect;
using http::Method;
using http::Route;

class NoMessages final : public storage::MessageStore {
 public:
  void append_messages(std::string_view, const message::Batch&, AppendDone done) override { done({}); }
  [[nodiscard]] Result<std::vector<storage::MessagePart>> message_parts(std::string_view, std::int64_t,
                                                                        std::int64_t) const override {
    return {};
  }
  [[nodiscard]] Result<storage::MessageNames> message_names(std::string_view) const override { return {}; }
  Result<std::uint64_t> delete_messages(std::string_view, std::int64_t, std::int64_t, const message::Condition&,
                                        const storage::GoOn&) override {
    return 0;
  }
};

class RoutesTest : public ::testing::Test {
 protected:
  RoutesTest() {
    api::Context context = whole_.of(engine_, pool_, metrics_);
    context.messages = &feed_;
    context.news = &feed_;
    context.message_intake = &intake_;
    router_ = make_routes({}, context, {tasks_, pool_, clock_, nullptr},
                          {inventory_, history_, board_, {}, pool_, clock_}, {inventory_, history_, keys_});
  }

  // A request of the route, with `x` for each name.
  static http::Request request_of(const Route& route, Method method) {
    http::Request request;
    request.method = method;
    request.tenant = "t";
    for (std::string_view rest = route.pattern; !rest.empty();) {
      const std::size_t brace = std::min(rest.find('{'), rest.size());
      request.path += rest.substr(0, brace);
      rest.remove_prefix(brace);
      if (rest.empty()) break;
      request.path += 'x';
      rest.remove_prefix(rest.find('}') + 1);
    }
    if (route.takes != nullptr) request.query = {{"metricName", "m"}};
    return request;
  }
  [[nodiscard]] http::ErrorShape shape_of(std::string path) const {
    http::Request request;
    request.method = Method::other;
    request.path = std::move(path);
    static_cast<void>(router_.find(request));
    return request.shape;
  }

  storage::testing::MemoryStore store_;
  ManualClock clock_;
  query::Engine engine_{store_, store_, clock_, {}};
  TaskPool pool_{1};
  Metrics metrics_;
  api::testing::WholeContext whole_{store_, clock_};
  storage::testing::MemoryTexts texts_;
  NoMessages messages_;
  write::MessageFeed feed_{messages_, metrics_};
  write::MessageIntake intake_{{}, clock_, metrics_};
  task::TaskStore tasks_{texts_};
  snmp::inventory::InventoryStore inventory_{texts_, pool_, clock_};
  snmp::inventory::HistoryStore history_{texts_};
  snmp::inventory::StatusBoard board_{nullptr};
  api::EsmondKeys keys_;
  http::Router router_;
};

TEST_F(RoutesTest, NoneIsHiddenByAnother) {
  EXPECT_GT(router_.routes().size(), 150U);
  for (const Route& route : router_.routes()) {
    http::Request request = request_of(route, route.method);
    const auto found = router_.find(request);
    EXPECT_EQ(found.route, &route) << route.pattern << " is found as " << found.pattern;
    EXPECT_EQ(request.captures.size(), static_cast<std::size_t>(std::ranges::count(route.pattern, '{')));
    EXPECT_EQ(request.shape, route.shape) << route.pattern;
  }
}

TEST_F(RoutesTest, EachKnowsItsMethods) {
  constexpr std::pair<Method, std::string_view> kMethods[] = {
      {Method::get, "GET"}, {Method::post, "POST"}, {Method::put, "PUT"}, {Method::delete_, "DELETE"}};
  for (const Route& route : router_.routes()) {
    const auto named = std::ranges::find(kMethods, route.method, [](const auto& one) { return one.first; });
    ASSERT_NE(named, std::end(kMethods)) << route.pattern;
    http::Request wrong = request_of(route, Method::other);
    const auto refused = router_.find(wrong);
    EXPECT_EQ(refused.route, nullptr);
    EXPECT_TRUE(refused.allow.contains(named->second)) << route.pattern << ": " << refused.allow;
    EXPECT_TRUE(refused.allow.ends_with("OPTIONS"));
    http::Request options = request_of(route, Method::options);
    EXPECT_EQ(router_.find(options).allow, refused.allow) << route.pattern;
    http::Request head = request_of(route, Method::head);
    const auto by_head = router_.find(head);
    EXPECT_EQ(by_head.route != nullptr, refused.allow.contains("HEAD")) << route.pattern;
    if (by_head.route == nullptr) continue;
    EXPECT_EQ(by_head.route->method, Method::get);
    EXPECT_FALSE(by_head.route->changes_by_get) << route.pattern;
  }
}

TEST_F(RoutesTest, EachRefusesARequestWithoutATenantInItsShape) {
  std::set<std::string> of_none;
  for (const Route& route : router_.routes()) {
    if (!route.needs_tenant) of_none.insert(route.pattern);
    http::Request request = request_of(route, route.method);
    ASSERT_EQ(router_.find(request).route, &route);
    request.tenant = "";
    const Status none = check_tenant(route, request);
    EXPECT_EQ(none.has_value(), !route.needs_tenant) << route.pattern;
    if (none) continue;
    const http::Response refusal = request.error(none.error());
    EXPECT_EQ(refusal.status, 400);
    EXPECT_EQ(request.shape, route.shape) << route.pattern;
    EXPECT_TRUE(refusal.body.contains("the request names no tenant")) << route.pattern << ": " << refusal.body;
    request.tenant = "varve";
    const bool changes = route.effect == Effect::writes || route.effect == Effect::deletes;
    EXPECT_EQ(check_tenant(route, request).has_value(), !changes) << route.pattern;
  }
  const std::set<std::string> expected = {
      "/-/settle",
      "/-/trust-clock",
      "/_cat/health",
      "/analytics",
      "/api/aggregators",
      "/api/config/filters",
      "/api/put",  // a point may name it
      "/api/v1/admin/jobs",
      "/api/v1/alerts",
      "/api/v1/datapoints/index",
      "/api/v1/features",
      "/api/v1/features/{name}",
      "/api/v1/format_query",
      "/api/v1/health/check",
      "/api/v1/health/status",
      "/api/v1/parse_query",
      "/api/v1/query_exemplars",
      "/api/v1/rules",
      "/api/v1/status/buildinfo",
      "/api/v1/status/config",
      "/api/v1/status/flags",
      "/api/v1/status/runtimeinfo",
      "/api/v1/targets",
      "/api/v1/version",
      "/api/version",
      "/elasticsearch",
      "/elasticsearch/",
      "/elasticsearch/_alias/{name}",
      "/elasticsearch/_cat/health",
      "/elasticsearch/_cluster/health",
      "/elasticsearch/_component_template/{name}",
      "/elasticsearch/_data_stream/{name}",
      "/elasticsearch/_ilm/policy/{name}",
      "/elasticsearch/_index_template/{name}",
      "/elasticsearch/_ingest/pipeline/{name}",
      "/elasticsearch/_license",
      "/elasticsearch/_nodes/{name}",
      "/elasticsearch/_template/{name}",
      "/health",
      "/loki/api/v1/status/buildinfo",
      "/ping",
      "/query",
  };
  EXPECT_EQ(of_none, expected);
}

TEST_F(RoutesTest, PathsHaveTheShapeOfTheirFamily) {
  const std::pair<const char*, http::ErrorShape> expected[] = {
      {"/api/query", api::opentsdb_error},
      {"/api/nothing", api::opentsdb_error},
      {"/api/metric", api::ceres_error},
      {"/api/metadata/nothing", api::ceres_error},
      {"/api/v1/datapoints/query", api::kairosdb_error},
      {"/api/v1/write", api::prometheus_error},
      {"/api/v1/catalog/nothing", http::plain_error},
      {"/api/v2/nothing", api::influx2_error},
      {"/write", api::influx1_error},
      {"/query", api::influx1_error},
      {"/loki/nothing", api::loki_error},
      {"/v1/logs", api::otlp_error},
      {"/v1/metrics", api::otlp_error},
      {"/api/v1/otlp/v1/metrics", api::otlp_error},
      {"/v1/nothing", api::otlp_error},
      {"/_bulk", api::elasticsearch_error},
      {"/an-index/_bulk", api::elasticsearch_error},
      {"/elasticsearch/nothing", api::elasticsearch_error},
      {"/esmond/v1/device/", api::esmond_error},
      {"/esmond/nothing", api::esmond_error},
      {"/analytics/nothing", http::plain_error},
      {"/nothing", http::plain_error},
  };
  for (const auto& [path, shape] : expected) EXPECT_EQ(shape_of(path), shape) << path;
}

}  // namespace
}  // namespace varve::server
