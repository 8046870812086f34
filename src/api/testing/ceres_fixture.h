// SPDX-License-Identifier: Apache-2.0
// What the tests of Ceres' handlers share: asking them over a store in memory, at 2021-03-31T12:00:00Z.
#pragma once

#include <memory>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "api/ceres/routes.h"
#include "api/kairosdb/routes.h"
#include "api/shared/http.h"
#include "api/testing/waiting_sink.h"
#include "api/testing/whole_context.h"
#include "http/url.h"
#include "model/testing/lengths.h"
#include "storage/testing/memory_store.h"

namespace varve::api::testing {

using model::Value;

using model::testing::kDay;
using model::testing::kHour;
using model::testing::kMinute;
inline constexpr model::Timestamp kNow = 1'617'192'000'000;  // 2021-03-31T12:00:00Z

// A store, an engine over it and the routes of Ceres and KairosDB.
class CeresFixture : public ::testing::Test {
 protected:
  CeresFixture() {
    Context context = whole_.of(engine_, pool_, metrics_);
    context.retentions = {6 * kHour, {{5 * kMinute, 14 * kDay}, {kHour, 365 * kDay}, {2 * kHour, 500 * kDay}}};
    add_ceres_routes(router_, context);
    add_kairosdb_routes(router_, context);
  }

  // Times are minutes before (negative) or after 10:00 of the day.
  void put(std::string_view metric, model::TagViews tags, double minute, const Value& value,
           std::string_view tenant = "t-1") {
    store_.put(tenant, metric, std::move(tags), kNow - 2 * kHour + static_cast<std::int64_t>(minute * kMinute), value);
  }
  void put_hosts() {
    for (const auto& [host, os, value] :
         {std::tuple("h-1", "linux", 1.5), {"h-2", "linux", 2.0}, {"h-3", "bsd", 3.0}}) {
      put("cpu", {{"host", host}, {"os", os}, {"metricGroup", "CPU"}, {"resource", host}}, 0, Value::of_double(value));
    }
    put("load", {{"host", "h-1"}, {"metricGroup", "CPU"}, {"resource", "h-1"}}, 1, Value::of_long(7));
    put("disk", {{"host", "h-1"}, {"metricGroup", "Disk"}, {"resource", "h-1"}}, 1, Value::of_long(8));
  }

  Response ask(Method method, const std::string& target, std::string_view body = {}, std::string tenant = "t-1") {
    Request request;
    request.method = method;
    request.tenant = std::move(tenant);
    request.body = body;
    request.peer = "192.0.2.7";
    EXPECT_TRUE(http::parse_target(target, request.path, request.query)) << target;
    return answer_of(router_, request, pieces_);
  }
  std::string get(const std::string& target) {
    const Response response = ask(Method::get, target);
    EXPECT_EQ(response.status, 200) << target << " " << response.body;
    return response.body;
  }
  std::string search(std::string_view body) {
    const Response response = ask(Method::post, "/api/metadata/search", body);
    EXPECT_EQ(response.status, 200) << body << " " << response.body;
    return response.body;
  }
  // tags[host]=values of each element.
  std::string hosts(const std::string& target) {
    const std::string body = get(target);
    static const std::regex element(
        R"x("metricName":"([^"]*)","tags":\{"host":"([^"]*)"[^}]*\},"values":\{([^}]*)\})x");
    std::string out;
    for (auto at = std::sregex_iterator(body.begin(), body.end(), element); at != std::sregex_iterator(); ++at) {
      out += (out.empty() ? "" : " ") + (*at)[1].str() + "/" + (*at)[2].str();
    }
    return out;
  }
  // The values of the only series.
  std::string values(const std::string& parameters) {
    const std::string body = get("/api/query?metricName=m&" + parameters);
    const auto from = body.find(R"("values":{)");
    if (from == std::string::npos) return body;
    EXPECT_EQ(body.find(R"("values":{)", from + 1), std::string::npos);
    const auto to = body.find('}', from);
    std::string out;
    for (const char c : body.substr(from + 10, to - from - 10)) {
      if (c != '"') out += c;
    }
    return out;
  }
  std::string granularity(const std::string& parameters) {
    const std::string body = get("/api/query?metricName=m&aggregator=max&" + parameters);
    const auto from = body.find(R"("granularity":")");
    return from == std::string::npos ? body : body.substr(from + 15, body.find('"', from + 15) - from - 15);
  }

  std::size_t pieces_ = 0;
  ::varve::storage::testing::MemoryStore store_;
  ManualClock clock_{kNow};
  query::Engine engine_{store_, store_, clock_, {}};
  TaskPool pool_{2};
  Metrics metrics_;
  WholeContext whole_{store_, clock_};
  Router router_;
};

}  // namespace varve::api::testing
