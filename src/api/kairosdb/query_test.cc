// SPDX-License-Identifier: Apache-2.0
// Scripts of puts, queries and the answers that a KairosDB gives (testdata/kairosdb_query/*.txt), run through the
// handlers over a store in memory (query_script.h). Its words:
//   put {one metric of a KairosDB put; "datapoints" may be {"from","step","count","value"} for a regular series}
//   query {body}      or: tags {body}
//   200 {answer}      compared as JSON: 1 equals 1.0, order of names does not matter
#include "api/kairosdb/routes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "api/testing/query_script.h"
#include "protocol/json/number_text.h"
#include "protocol/json/text.h"
#include "protocol/json/tree.h"

namespace varve::api {
namespace {

namespace json = protocol::json;

double number(const json::Node& node) { return std::strtod(std::string(node.text).c_str(), nullptr); }
std::int64_t whole(const json::Node& node) { return std::strtoll(std::string(node.text).c_str(), nullptr, 10); }

// One spelling for equal documents.
std::string canonical(const json::Node& node) {
  std::string out;
  switch (node.kind) {
    case json::Kind::number:
      if (node.text.find_first_of(".eE") == std::string_view::npos) return std::string(node.text);
      json::append_double(out, number(node) + 0.0);  // −0 is 0
      return out;
    case json::Kind::string: json::append_string(out, node.text); return out;
    case json::Kind::array:
    case json::Kind::object: {
      std::vector<std::string> parts;
      bool strings = true;
      for (std::size_t i = 0; i < node.children.size(); ++i) {
        strings &= node.children[i].kind == json::Kind::string;
        const std::string name = node.kind == json::Kind::object ? std::string(node.names[i]) + ":" : "";
        parts.push_back(name + canonical(node.children[i]));
      }
      if (node.kind == json::Kind::object || strings) std::ranges::sort(parts);  // lists of tag values are sets
      for (const std::string& part : parts) out += (out.empty() ? "" : ",") + part;
      return node.kind == json::Kind::object ? "{" + out + "}" : "[" + out + "]";
    }
    default: return std::string(node.text.empty() ? "null" : node.text);
  }
}

std::string canonical(const std::string& text) {
  json::Reader reader(text);
  const auto tree = json::read_tree(reader);
  return tree ? canonical(*tree) : "not JSON: " + text;
}

class KairosdbQueryTest : public testing::QueryScript {
 protected:
  KairosdbQueryTest() { add_kairosdb_routes(router_, whole_.of(engine_, pool_, metrics_)); }

  void put(const std::string& text) {
    json::Reader reader(text);
    const auto tree = json::read_tree(reader);
    ASSERT_TRUE(tree) << text;
    model::TagViews tags;
    const json::Node& tag_node = *tree->find("tags");
    for (std::size_t i = 0; i < tag_node.names.size(); ++i)
      tags.push_back({tag_node.names[i], tag_node.children[i].text});
    const auto* type = tree->find("type");
    const auto put_one = [&](std::int64_t time, const json::Node& v) {
      const bool is_double =
          (type != nullptr && type->text == "double") || v.text.find_first_of(".e") != std::string_view::npos;
      store_.put("default", tree->find("name")->text, tags, time,
                 v.kind == json::Kind::string ? model::Value::of_string(v.text)
                 : is_double                  ? model::Value::of_double(number(v))
                                              : model::Value::of_long(whole(v)));
    };
    const json::Node& points = *tree->find("datapoints");
    if (points.kind == json::Kind::array) {
      for (const json::Node& point : points.children) put_one(whole(point.children[0]), point.children[1]);
      return;
    }
    for (std::int64_t i = 0; i < whole(*points.find("count")); ++i) {
      put_one(whole(*points.find("from")) + i * whole(*points.find("step")), *points.find("value"));
    }
  }

  Response post(const std::string& path, std::string_view body) {
    Request request;
    request.method = Method::post;
    request.path = path;
    request.tenant = "default";
    request.body = body;
    return ask(std::move(request));
  }
  Response get(const std::string& path, std::vector<std::pair<std::string, std::string>> query = {}) {
    Request request;
    request.path = path;
    request.tenant = "default";
    request.query = std::move(query);
    return ask(std::move(request));
  }
  Response query(std::string_view body) { return post("/api/v1/datapoints/query", body); }
};

class KairosdbScript : public KairosdbQueryTest, public ::testing::WithParamInterface<std::filesystem::path> {};

TEST_P(KairosdbScript, Answers) {
  const Words words = {
      {"put", [&](const std::string& rest) { put(rest); }},
      {"query", [&](const std::string& rest) { response_ = query(rest); }},
      {"tags", [&](const std::string& rest) { response_ = post("/api/v1/datapoints/query/tags", rest); }},
  };
  run(GetParam(), words, [](const std::string& body, const std::string& expected, const std::string& name) {
    EXPECT_EQ(canonical(body), canonical(expected)) << name;
  });
}

INSTANTIATE_TEST_SUITE_P(All, KairosdbScript,
                         ::testing::ValuesIn(scripts_in(VARVE_SOURCE_DIR "/testdata/kairosdb_query")),
                         [](const auto& script) { return script.param.stem().string(); });

TEST_F(KairosdbQueryTest, ByGet) {
  put(R"({"name":"m","datapoints":[[5,1]],"tags":{"host":"a"}})");
  const Response response =
      get("/api/v1/datapoints/query", {{"query", R"({"start_absolute":1,"metrics":[{"name":"m"}]})"}});
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body,
            R"({"queries":[{"sample_size":1,"results":[{"name":"m","group_by":[{"name":"type","type":"number"}],)"
            R"("tags":{"host":["a"]},"values":[[5,1]]}]}]})");
  const Response none = get("/api/v1/datapoints/query");
  EXPECT_EQ(none.status, 400);
  EXPECT_EQ(none.body, R"({"errors":["query json must not be null or empty"]})");
}

TEST_F(KairosdbQueryTest, Names) {
  put(R"({"name":"mn.metric2","datapoints":[[5,1]],"tags":{"host":"a","dc":"x"}})");
  put(R"({"name":"mn.Metric3","datapoints":[[5,1]],"tags":{"host":"b"}})");
  put(R"({"name":"other","datapoints":[[5,1]],"tags":{"k":"a"}})");
  EXPECT_EQ(get("/api/v1/metricnames").body, R"({"results":["mn.Metric3","mn.metric2","other"]})");
  EXPECT_EQ(get("/api/v1/metricnames", {{"prefix", "mn."}}).body, R"({"results":["mn.Metric3","mn.metric2"]})");
  EXPECT_EQ(get("/api/v1/metricnames", {{"prefix", "zz"}}).body, R"({"results":[]})");
  EXPECT_EQ(get("/api/v1/tagnames").body, R"({"results":["dc","host","k"]})");
  EXPECT_EQ(get("/api/v1/tagnames", {{"metric", "other"}}).body, R"({"results":["k"]})");
  EXPECT_EQ(get("/api/v1/tagvalues").body, R"({"results":["a","b","x"]})");
  EXPECT_EQ(get("/api/v1/tagvalues", {{"tag", "host"}}).body, R"({"results":["a","b"]})");
  EXPECT_EQ(get("/api/v1/tagvalues", {{"tag", "host"}, {"metric", "mn.Metric3"}}).body, R"({"results":["b"]})");
}

TEST_F(KairosdbQueryTest, TagsOfTheExactRange) {
  put(R"({"name":"m","datapoints":[[5,1],[9,1]],"tags":{"host":"a"}})");
  put(R"({"name":"m","datapoints":[[7,1]],"tags":{"host":"b"}})");
  const auto tags = [&](std::string exact) {
    Request request;
    request.method = Method::post;
    request.path = "/api/v1/datapoints/query/tags";
    request.tenant = "default";
    request.body = R"({"start_absolute":8,"end_absolute":8,"metrics":[{"name":"m"}]})";
    if (!exact.empty()) request.query = {{"exact", std::move(exact)}};
    return ask(request).body;
  };
  const std::string both = R"({"queries":[{"results":[{"name":"m","tags":{"host":["a","b"]},"values":[]}]}]})";
  EXPECT_EQ(tags(""), both);
  EXPECT_EQ(tags("false"), both);
  EXPECT_EQ(tags("true"), R"({"queries":[{"results":[{"name":"m","tags":{"host":["a"]},"values":[]}]}]})");
}

TEST_F(KairosdbQueryTest, AnotherTenantSeesNothing) {
  put(R"({"name":"m","datapoints":[[5,1]],"tags":{"host":"a"}})");
  Request request;
  request.path = "/api/v1/metricnames";
  request.tenant = "other";
  EXPECT_EQ(ask(request).body, R"({"results":[]})");
  request.tenant = "";
  EXPECT_EQ(ask(request).status, 400);
}

TEST_F(KairosdbQueryTest, ALargeAnswerComesInPieces) {
  put(R"({"name":"m","datapoints":{"from":0,"step":1,"count":80000,"value":1.5},"tags":{"host":"a"}})");
  const Response response = query(R"({"start_absolute":0,"metrics":[{"name":"m"},{"name":"m","limit":1}]})");
  EXPECT_EQ(response.status, 200);
  EXPECT_GE(pieces_, 3U);
  EXPECT_EQ(std::ranges::count(response.body, '.'), 80'001);
  EXPECT_TRUE(canonical(response.body).starts_with("{queries:[{results:")) << canonical(response.body).substr(0, 100);
  EXPECT_TRUE(response.body.ends_with(R"("values":[[0,1.5]]}]}]})"));
}

TEST_F(KairosdbQueryTest, SaysWhatItRead) {
  put(R"({"name":"m","datapoints":[[5,1],[6,2],[7,3]],"tags":{"host":"a"}})");
  put(R"({"name":"m","datapoints":[[5,1]],"tags":{"host":"b"}})");
  const auto read = [&](const std::string& path, const std::string& metrics) {
    return header_of(post(path, R"({"start_absolute":0,"end_absolute":9,"metrics":[)" + metrics + "]}"), "Varve-Read");
  };
  const std::string path = "/api/v1/datapoints/query";
  EXPECT_EQ(read(path, R"({"name":"m"})"), "series=2, samples=4, ms=0.000");
  EXPECT_EQ(read(path, R"({"name":"m","aggregators":[{"name":"sum","sampling":{"value":1,"unit":"hours"}}]})"),
            "series=2, chunks=2, ms=0.000");
  EXPECT_EQ(read(path + "/tags", R"({"name":"m"})"), "series=2, ms=0.000");
  EXPECT_EQ(read(path, R"({"name":"none"})"), "ms=0.000");
  EXPECT_EQ(engine_.running().read_in_all().samples, 4U);
}

TEST_F(KairosdbQueryTest, CountsQueries) {
  query(R"({"start_absolute":0,"metrics":[]})");
  query("bad");
  get("/api/v1/metricnames");
  EXPECT_NE(metrics_.text().find("varve_queries_total{api=\"kairosdb\"} 2\n"), std::string::npos) << metrics_.text();
  EXPECT_NE(metrics_.text().find("varve_query_seconds_count{api=\"kairosdb\"} 2\n"), std::string::npos);
  EXPECT_NE(metrics_.text().find("varve_query_seconds_count{api=\"kairosdb_names\"} 1\n"), std::string::npos);
}

TEST_F(KairosdbQueryTest, AClientThatIsGoneGetsNoWork) {
  put(R"({"name":"m","datapoints":[[5,1]],"tags":{"host":"a"}})");
  Request request;
  request.method = Method::post;
  request.path = "/api/v1/datapoints/query";
  request.tenant = "default";
  request.body = R"({"start_absolute":0,"metrics":[{"name":"m"}]})";
  request.gone = std::make_shared<std::atomic<bool>>(true);
  EXPECT_EQ(ask(request).status, 503);
}

}  // namespace
}  // namespace varve::api
