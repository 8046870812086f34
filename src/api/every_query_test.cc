// SPDX-License-Identifier: Apache-2.0
// Every question of every API is a query: listed, killed, with query.timeout and query.memory.
#include <optional>

#include "api/catalog/routes.h"
#include "api/opentsdb/routes.h"
#include "api/testing/ceres_fixture.h"

namespace varve::api::testing {
namespace {

// Kills every query as soon as it is listed, which is before it has done anything.
class KillingClock final : public Clock {
 public:
  [[nodiscard]] std::int64_t now_ms() const override { return kNow; }
  [[nodiscard]] std::int64_t steady_ns() const override {
    const query::Engine* const of = engine;
    if (of == nullptr || inside_) return 0;
    inside_ = true;
    for (const auto& query : of->running().list("t-1")) {
      EXPECT_TRUE(of->running().kill("t-1", query.id));
      shown = query;
      engine = nullptr;  // once
    }
    inside_ = false;
    return 0;
  }
  mutable std::atomic<const query::Engine*> engine{nullptr};
  mutable query::RunningQuery shown;

 private:
  mutable bool inside_ = false;
};

// A second passes with each look at it.
class HastyClock final : public Clock {
 public:
  [[nodiscard]] std::int64_t now_ms() const override { return kNow; }
  [[nodiscard]] std::int64_t steady_ns() const override { return now_ns_ += 1'000'000'000; }

 private:
  mutable std::atomic<std::int64_t> now_ns_{0};
};

struct Question {
  const char* api;
  Method method;
  std::string target;
  std::string body{};
};

const std::string kRequest = R"({"start_absolute":1,"metrics":[{"name":"cpu"}]})";

std::vector<Question> questions() {
  std::vector<Question> out;
  const auto get = [&](const char* api, std::string target) { out.push_back({api, Method::get, std::move(target)}); };
  for (const char* list : {"metricnames", "tagnames", "tagvalues", "tagvalues?tag=host", "tagnames?metric=cpu"}) {
    const std::string path = std::string("/api/v1/") + list;
    get("kairosdb_names", path);
    get("kairosdb_names", path + (path.find('?') == path.npos ? "?" : "&") + "start=1");
  }
  for (const char* list : {"metrics", "tags", "tags?metric=cpu", "series?metric=cpu", "series?metric=cpu&width=1d",
                           "windows?metric=cpu"}) {
    const std::string path = std::string("/api/v1/catalog/") + list;
    get("catalog", path);
    get("catalog", path + (path.find('?') == path.npos ? "?" : "&") + "start=1");
  }
  out.push_back({"kairosdb", Method::post, "/api/v1/datapoints/query", kRequest});
  out.push_back({"kairosdb", Method::post, "/api/v1/datapoints/query/tags", kRequest});
  for (const char* list : {"tenants", "metricNames", "metricNames?metricGroup=CPU", "metricGroups", "devices",
                           "tagKeys?metricName=cpu", "tagValues?metricName=cpu&tagKey=host", "tags?metricName=cpu"}) {
    get("ceres_metadata", std::string("/api/metadata/") + list);
  }
  out.push_back({"ceres_metadata", Method::post, "/api/metadata/search", "{}"});
  get("ceres", "/api/query?metricName=cpu&start=1d-ago");
  get("ceres", "/api/query?metricGroup=CPU&start=1d-ago");
  for (const char* list : {"suggest?type=metrics", "suggest?type=tagk", "suggest?type=tagv", "search/lookup?m=cpu",
                           "query/last?timeseries=cpu&back_scan=24", "query?start=1d-ago&m=sum:cpu"}) {
    get("opentsdb", std::string("/api/") + list);
  }
  return out;
}

class EveryQueryTest : public CeresFixture {
 protected:
  EveryQueryTest() { put_hosts(); }
  // All APIs over this engine.
  void serve(query::Engine& engine) {
    router_ = {};
    Context context = whole_.of(engine, pool_, metrics_);
    context.retentions = {6 * kHour, {}};
    for (const auto add : {add_catalog_routes, add_kairosdb_routes, add_opentsdb_routes, add_ceres_routes}) {
      add(router_, context);
    }
  }
};

TEST_F(EveryQueryTest, IsAnsweredAndChargedUntilThen) {
  const auto memory = std::make_shared<MemoryLedger>(std::size_t{16} << 20);
  query::Engine engine(store_, store_, clock_, {}, memory);
  serve(engine);
  for (const Question& asked : questions()) {
    {
      const Response response = ask(asked.method, asked.target, asked.body);
      EXPECT_EQ(response.status, 200) << asked.target << " " << response.body;
      ASSERT_NE(response.held, nullptr) << asked.target;
      EXPECT_EQ(memory->held(MemoryLedger::Kind::query), 0U) << asked.target;
      EXPECT_GE(memory->held(MemoryLedger::Kind::answer), response.body.size()) << asked.target;
      EXPECT_EQ(engine.running().list("t-1").size(), 1U) << asked.target;
    }
    EXPECT_EQ(memory->held(), 0U) << asked.target;
    EXPECT_TRUE(engine.running().list("t-1").empty()) << asked.target;
  }
}

TEST_F(EveryQueryTest, IsListedAndKilled) {
  for (const Question& asked : questions()) {
    KillingClock clock;
    query::Engine engine(store_, store_, clock, {});
    serve(engine);
    clock.engine = &engine;
    const Response response = ask(asked.method, asked.target, asked.body);
    EXPECT_EQ(response.status, 422) << asked.target << " " << response.body;
    EXPECT_NE(response.body.find("killed by an operator"), std::string::npos) << asked.target << " " << response.body;
    EXPECT_EQ(clock.shown.api, asked.api) << asked.target;
    if (asked.api != std::string("opentsdb") || asked.target.find("query?") == std::string::npos) {
      EXPECT_EQ(clock.shown.text, asked.body.empty() ? asked.target : asked.body);
    }
  }
}

TEST_F(EveryQueryTest, HasItsTimeout) {
  for (const Question& asked : questions()) {
    if (asked.target.ends_with("/tenants")) continue;  // reads nothing
    const HastyClock clock;
    query::Engine engine(store_, store_, clock, {.timeout = std::chrono::milliseconds(1)});
    serve(engine);
    const Response response = ask(asked.method, asked.target, asked.body);
    EXPECT_EQ(response.status, 504) << asked.target << " " << response.body;
  }
}

TEST_F(EveryQueryTest, HasItsMemory) {
  query::Engine engine(store_, store_, clock_, {.memory_bytes = 3});
  serve(engine);
  for (const Question& asked : questions()) {
    const Response response = ask(asked.method, asked.target, asked.body);
    EXPECT_EQ(response.status, 422) << asked.target << " " << response.body;
    EXPECT_NE(response.body.find("query.memory"), std::string::npos) << asked.target << " " << response.body;
  }
}

TEST_F(EveryQueryTest, FindsNoMemory) {
  const auto memory = std::make_shared<MemoryLedger>(0);
  query::Engine engine(store_, store_, clock_, {}, memory);
  serve(engine);
  std::uint64_t refused = 0;
  for (const Question& asked : questions()) {
    const Response response = ask(asked.method, asked.target, asked.body);
    EXPECT_EQ(response.status, 503) << asked.target << " " << response.body;
    EXPECT_EQ(header_of(response, "Retry-After"), "1") << asked.target;
    EXPECT_EQ(memory->refused(), ++refused) << asked.target;
  }
}

}  // namespace
}  // namespace varve::api::testing
