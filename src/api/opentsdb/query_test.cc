// SPDX-License-Identifier: Apache-2.0
// Scripts of puts, questions and answers (testdata/opentsdb_query/*.txt), run through the handlers over a store in
// memory (query_script.h). Now is 2027-01-15T08:00:00Z = 1800000000. Its words:
//   put metric{k=v,k=v} seconds:value seconds:value …      a value with a point is a double
//   get /api/…            or: post /api/… {body}
//   200 the body, byte for byte; or with … at its end: how it begins
#include "api/opentsdb/routes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <sstream>
#include <thread>

#include "api/shared/http.h"
#include "api/testing/query_script.h"
#include "http/url.h"

namespace varve::api {
namespace {

class OpentsdbQueryTest : public testing::QueryScript {
 protected:
  OpentsdbQueryTest() { add_opentsdb_routes(router_, whole_.of(engine_, pool_, metrics_)); }

  // metric{k=v} seconds:value …
  void put(const std::string& line, const std::string& tenant = "default") {
    std::istringstream words(line);
    std::string name;
    words >> name;
    const auto open = name.find('{');
    ASSERT_NE(open, std::string::npos) << line;
    http::Parameters pairs;
    std::string inside = name.substr(open + 1, name.size() - open - 2);
    std::ranges::replace(inside, ',', '&');
    ASSERT_TRUE(http::parse_query(inside, pairs));
    model::TagViews tags;
    for (const auto& [key, value] : pairs) tags.push_back({key, value});
    for (std::string word; words >> word;) {
      const auto colon = word.find(':');
      const auto time = static_cast<std::int64_t>(std::llround(std::stod(word.substr(0, colon)) * 1000));
      const std::string value = word.substr(colon + 1);
      store_.put(tenant, name.substr(0, open), tags, time,
                 value.find('.') != std::string::npos ? model::Value::of_double(std::stod(value))
                                                      : model::Value::of_long(std::stoll(value)));
    }
  }

  Response ask(Method method, const std::string& target, std::string_view body = {}, std::string tenant = "default",
               bool gone = false) {
    Request request;
    request.method = method;
    request.tenant = std::move(tenant);
    request.body = body;
    request.gone = std::make_shared<std::atomic<bool>>(gone);
    EXPECT_TRUE(http::parse_target(target, request.path, request.query)) << target;
    return QueryScript::ask(request);
  }
  std::string get(const std::string& target, const std::string& tenant = "default") {
    return ask(Method::get, target, {}, tenant).body;
  }
  std::string post(const std::string& target, std::string_view body) { return ask(Method::post, target, body).body; }
};

class OpentsdbScript : public OpentsdbQueryTest, public ::testing::WithParamInterface<std::filesystem::path> {};

TEST_P(OpentsdbScript, Answers) {
  const auto asks = [this](const std::string& rest) {
    const std::size_t space = rest.find(' ');
    const std::string body = space == std::string::npos ? "" : rest.substr(space + 1);
    response_ = ask(Method::post, rest.substr(0, space), body);
  };
  const Words words = {
      {"put", [&](const std::string& rest) { put(rest); }},
      {"get", [&](const std::string& rest) { response_ = ask(Method::get, rest); }},
      {"post", asks},
  };
  run(GetParam(), words, [](const std::string& body, const std::string& expected, const std::string& name) {
    if (!expected.ends_with("…")) {
      EXPECT_EQ(body, expected) << name;
    } else {
      EXPECT_EQ(body.substr(0, expected.size() - 3), expected.substr(0, expected.size() - 3)) << name;
    }
  });
}

INSTANTIATE_TEST_SUITE_P(All, OpentsdbScript,
                         ::testing::ValuesIn(scripts_in(VARVE_SOURCE_DIR "/testdata/opentsdb_query")),
                         [](const auto& script) { return script.param.stem().string(); });

// Hosts of the results, then the total.
TEST_F(OpentsdbQueryTest, LookupFindsWholeSeries) {
  put("cpu{host=a,os=linux,was=bsd} 1:1");
  put("cpu{host=b,os=bsd} 1:1");
  put("cpu{host=c,os=linux} 1:1");
  put("mem{host=a} 1:1");
  const auto hosts = [&](const std::string& parameters, std::string_view body = {}) {
    const std::string text = body.empty() ? get("/api/search/lookup?" + parameters) : post("/api/search/lookup", body);
    std::string out;
    for (auto at = text.find(R"("host":")"); at != std::string::npos; at = text.find(R"("host":")", at + 1)) {
      out += text[at + 8];
    }
    const auto total = text.find(R"("totalResults":)");
    return out + (total == std::string::npos ? text : " " + text.substr(total + 15, text.size() - total - 16));
  };
  EXPECT_EQ(hosts("m=cpu"), "abc 3");
  EXPECT_EQ(hosts("m=cpu{host=*}"), "abc 3");
  EXPECT_EQ(hosts("m=cpu{os=linux,host=*}"), "ac 2");
  EXPECT_EQ(hosts("m=cpu{os=linux,host=a}"), "a 1");
  EXPECT_EQ(hosts("m=cpu{was=*}"), "a 1");
  EXPECT_EQ(hosts("m=cpu{host=a,host=b}"), "ab 2");
  EXPECT_EQ(hosts("m=cpu{*=bsd}"), "ab 2");
  EXPECT_EQ(hosts("m=cpu{os=linux,*=bsd}"), "a 1");
  EXPECT_EQ(hosts("m=cpu{*=bsd,*=linux}"), "a 1");
  EXPECT_EQ(hosts("m=cpu{*=*}"), "abc 3");
  EXPECT_EQ(hosts("m={host=a}"), "aa 2");
  EXPECT_EQ(hosts("m=*{host=a}"), "aa 2");
  EXPECT_EQ(hosts("m=cpu&limit=2"), "ab 3");
  EXPECT_EQ(hosts("m=cpu&limit=0"), " 3");
  EXPECT_EQ(hosts("m=cpu&limit=2&start_index=2"), "c 3");
  EXPECT_EQ(hosts("m={*=a}&limit=1&start_index=1"), "a 2");
  EXPECT_EQ(hosts("", R"({"metric":"cpu","tags":[{"key":"os","value":"linux"}],"limit":1})"), "a 2");
}

// The example of Ceres' tests; each result is a series there is, and not a pair of one. No limit said: 25.
TEST_F(OpentsdbQueryTest, LookupHasLimits) {
  put("cpu_active{os=linux,host=linux} 1:1");
  put("cpu_active{os=linux,host=h-1} 1:1");
  put("cpu_active{os=windows,host=h-2} 1:1");
  const auto shown = [&](const std::string& parameters) {
    const std::string text = get("/api/search/lookup?m=cpu_active" + parameters);
    std::size_t results = 0;
    for (auto at = text.find("\"tsuid\""); at != std::string::npos; at = text.find("\"tsuid\"", at + 1)) ++results;
    const auto total = text.find(R"("totalResults":)");
    return std::to_string(results) + " of " + text.substr(total + 15, text.size() - total - 16);
  };
  EXPECT_EQ(shown("{host=*}&limit=2"), "2 of 3");
  EXPECT_EQ(shown("{host=*,os=windows}&limit=4"), "1 of 1");
  EXPECT_EQ(shown("{*=linux}"), "2 of 2");
  EXPECT_EQ(shown(""), "3 of 3");
  for (int i = 0; i < 30; ++i) put("many{host=h" + std::to_string(i) + "} 1:1");
  const std::string many = get("/api/search/lookup?m=many");
  EXPECT_NE(many.find(R"("limit":25)"), std::string::npos);
  EXPECT_NE(many.find(R"("totalResults":30)"), std::string::npos);
}

// One set of handlers for everybody: many questions at once, of several tenants, with several queries and filters each,
// and nobody finds anything of another's, nor of another query of its own.
TEST_F(OpentsdbQueryTest, QuestionsAtOnceDoNotMix) {
  constexpr int kTenants = 4;
  constexpr int kHosts = 3;
  for (int t = 0; t < kTenants; ++t) {
    for (int h = 0; h < kHosts; ++h) {
      for (const char* metric : {"cpu", "mem"}) {
        const std::string value = std::to_string(t) + std::to_string(h) + (*metric == 'c' ? "1" : "2");
        put(std::string(metric) + "{host=h" + std::to_string(h) + ",owner=o" + std::to_string(t) +
                "} 1799999000:" + value + " 1799999060:" + value,
            "t" + std::to_string(t));
      }
    }
  }
  const std::string filters =
      R"("filters":[{"type":"literal_or","tagk":"host","filter":"h0|h2","groupBy":true},{"type":"wildcard","tagk":"owner","filter":"*"}])";
  const std::string body = R"({"start":1799998000,"queries":[{"metric":"cpu","aggregator":"sum",)" + filters +
                           R"(},{"metric":"mem","aggregator":"max","downsample":"1m-avg",)" + filters + "}]}";
  const auto ask_all = [&](int t) {
    const std::string tenant = "t" + std::to_string(t);
    return ask(Method::post, "/api/query", body, tenant).body +
           ask(Method::get, "/api/search/lookup?m=cpu{host=*}", {}, tenant).body +
           ask(Method::get, "/api/suggest?type=tagv&q=o", {}, tenant).body;
  };
  std::vector<std::string> alone;
  for (int t = 0; t < kTenants; ++t) alone.push_back(ask_all(t));
  EXPECT_NE(alone[3].find(R"("dps":{"1799998980":322,"1799999040":322}})"), std::string::npos) << alone[3];
  EXPECT_EQ(alone[3].find("h1\",\"owner\":\"o2"), std::string::npos);
  std::vector<std::thread> threads;
  for (int t = 0; t < kTenants; ++t) {
    threads.emplace_back([&, t] {
      for (int round = 0; round < 100; ++round) EXPECT_EQ(ask_all(t), alone[static_cast<std::size_t>(t)]);
    });
  }
  for (auto& thread : threads) thread.join();
}

TEST_F(OpentsdbQueryTest, TenantsDoNotSeeOneAnother) {
  put("cpu{host=a} 1799999999:1", "one");
  for (const std::string target : {"/api/query?start=1h-ago&m=sum:cpu", "/api/query/last?timeseries=cpu",
                                   "/api/suggest?type=metrics", "/api/suggest?type=tagk", "/api/suggest?type=tagv"}) {
    EXPECT_EQ(get(target, "two"), "[]") << target;
    EXPECT_NE(get(target, "one"), "[]") << target;
    EXPECT_EQ(ask(Method::get, target, {}, "").status, 400) << target;
  }
  EXPECT_NE(get("/api/search/lookup?m=cpu", "two").find(R"("totalResults":0)"), std::string::npos);
  EXPECT_NE(get("/api/search/lookup?m=cpu", "one").find(R"("totalResults":1)"), std::string::npos);
}

TEST_F(OpentsdbQueryTest, SuggestsTheFirstOfAllKeys) {
  put("cpu{host=b1,dc=b} 1799999999:1");
  put("mem{host=b2,dc=b} 1799999999:1");
  EXPECT_EQ(get("/api/suggest?type=tagv&q=b&max=2"), R"(["b","b1"])");
  EXPECT_EQ(get("/api/suggest?type=tagv&q=b1"), R"(["b1"])");
  EXPECT_EQ(get("/api/suggest?type=tagk&max=1"), R"(["dc"])");
  EXPECT_EQ(get("/api/suggest?type=tagk&q=h"), R"(["host"])");
  EXPECT_EQ(get("/api/suggest?type=metrics&max=1"), R"(["cpu"])");
  EXPECT_EQ(get("/api/suggest?type=tagv&max=0"), "[]");
}

TEST_F(OpentsdbQueryTest, ALargeAnswerComesInPieces) {
  for (const char* host : {"a", "b"}) {
    for (int i = 0; i < 10'000; ++i) {
      store_.put("default", "m", {{"host", host}}, 1'799'000'000'000 + std::int64_t{1000} * i,
                 model::Value::of_double(0.5));
    }
  }
  const std::string body = get("/api/query?start=1799000000&end=1799010000&m=sum:m{host=*}");
  EXPECT_GE(pieces_.load(), 3U);
  EXPECT_EQ(std::ranges::count(body, '.'), 20'000);
  EXPECT_TRUE(body.ends_with(R"("1799009998":0.5,"1799009999":0.5}}])")) << body.substr(body.size() - 100);
}

TEST_F(OpentsdbQueryTest, LimitsAndClientsThatAreGone) {
  for (int i = 0; i < 4000; ++i)
    store_.put("default", "m", {{"host", "a"}}, std::int64_t{1000} * i, model::Value::of_long(i));
  EXPECT_EQ(ask(Method::get, "/api/query?start=0&m=sum:m", {}, "default", true).status, 503);
  query::Engine small(store_, store_, clock_, {.memory_bytes = 10'000});
  Router router;
  add_opentsdb_routes(router, whole_.of(small, pool_, metrics_));
  std::swap(router, router_);
  const Response response = ask(Method::get, "/api/query?start=0&m=sum:m");
  EXPECT_EQ(response.status, 422);
  EXPECT_TRUE(response.body.starts_with(R"({"error":{"code":422,"message":"the query needs more memory)"));
}

TEST_F(OpentsdbQueryTest, SaysWhatItRead) {
  store_.put("default", "m", {{"host", "a"}}, clock_.now_ms() - 5000, model::Value::of_long(1));
  store_.put("default", "m", {{"host", "b"}}, 5000, model::Value::of_long(1));
  EXPECT_EQ(header_of(ask(Method::get, "/api/query?start=1&m=sum:m"), "Varve-Read"), "series=2, samples=2, ms=0.000");
  // The last hour, the last day, the last month and all that there is.
  EXPECT_EQ(header_of(ask(Method::get, "/api/query/last?timeseries=m"), "Varve-Read"), "series=8, samples=2, ms=0.000");
}

TEST_F(OpentsdbQueryTest, CountsQueries) {
  get("/api/query?start=0&m=sum:m");
  post("/api/query", "bad");
  get("/api/suggest?type=metrics");
  EXPECT_NE(metrics_.text().find("varve_queries_total{api=\"opentsdb\"} 2\n"), std::string::npos) << metrics_.text();
  EXPECT_NE(metrics_.text().find("varve_queries_total{api=\"opentsdb_names\"} 1\n"), std::string::npos);
  EXPECT_NE(metrics_.text().find("varve_query_seconds_count{api=\"opentsdb\"} 2\n"), std::string::npos);
}

TEST_F(OpentsdbQueryTest, WhatItCanDo) {
  for (const Method method : {Method::get, Method::post}) {
    const std::string aggregators = ask(method, "/api/aggregators").body;
    EXPECT_TRUE(aggregators.starts_with(R"(["avg","count","dev","ep50r3",)")) << aggregators;
    EXPECT_NE(aggregators.find("\"zimsum\"]"), std::string::npos);
    EXPECT_TRUE(ask(method, "/api/config/filters").body.starts_with(R"({"literal_or":{"examples":)"));
    EXPECT_TRUE(ask(method, "/api/version").body.starts_with(R"({"version":"1.2.3",)"));
  }
  EXPECT_EQ(ask(Method::delete_, "/api/query").status, 405);
}

}  // namespace
}  // namespace varve::api
