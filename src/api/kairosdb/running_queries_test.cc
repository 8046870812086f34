// SPDX-License-Identifier: Apache-2.0
// Running queries are seen and ended, by their tenant.
#include "api/testing/ceres_fixture.h"
#include "protocol/json/tree.h"

namespace varve::api {
namespace {

using namespace testing;
class AdminQueriesTest : public CeresFixture {};

TEST_F(AdminQueriesTest, NothingRuns) {
  EXPECT_EQ(get("/api/v1/admin/runningqueries"), R"({"queries":[],"queries waiting":0})");
  EXPECT_EQ(ask(Method::get, "/api/v1/admin/killquery/abc").status, 204);
  EXPECT_EQ(ask(Method::delete_, "/api/v1/admin/killquery/abc").status, 404);
}

// A store whose scans go on until they are cancelled.
class EndlessStore final : public storage::SampleStore {
 public:
  explicit EndlessStore(storage::testing::MemoryStore& store) : store_(store) {}
  void append(const model::RowBatch& batch, AppendDone done) override { store_.append(batch, std::move(done)); }
  Status scan(model::TenantId tenant, std::span<const model::SeriesId> series, const storage::ScanOptions& options,
              storage::PieceSink& sink) override {
    VARVE_RETURN_IF_ERROR(store_.scan(tenant, series, options, sink));
    scanning_ = true;
    scanning_.notify_all();
    options.cancelled->wait(false);
    return fail(Code::cancelled, "cancelled");
  }
  Result<storage::EraseReport> erase(model::TenantId, std::span<const model::SeriesId>, model::TimeRange,
                                     const std::atomic<bool>*) override {
    return storage::EraseReport{};
  }
  Result<storage::SettleReport> settle() override { return storage::SettleReport{}; }
  [[nodiscard]] storage::StorageBytes storage_bytes() const override { return {}; }
  void wait() const { scanning_.wait(false); }
  void reset() { scanning_ = false; }

 private:
  storage::testing::MemoryStore& store_;
  std::atomic<bool> scanning_{false};
};

TEST_F(AdminQueriesTest, AKilledQuerySaysSo) {
  put("m", {{"host", "a"}}, 0, Value::of_long(1));
  put("m", {{"host", "a"}}, 1, Value::of_long(1));
  EndlessStore endless(store_);
  query::Engine engine(store_, endless, clock_, {});
  router_ = {};
  add_ceres_routes(router_, whole_.of(engine, pool_, metrics_));
  add_kairosdb_routes(router_, whole_.of(engine, pool_, metrics_));

  Request request;
  request.tenant = "t-1";
  request.path = "/api/query";
  request.query = {{"metricName", "m"}, {"start", "1d-ago"}};
  request.gone = std::make_shared<std::atomic<bool>>(false);
  auto sink = std::make_shared<WaitingSink>();
  router_.find(request).route->handler(request, Responder(sink));
  endless.wait();

  const std::string list = get("/api/v1/admin/runningqueries");
  static const std::regex shape(
      R"x(\{"queries":\[\{"query hash":"([0-9a-f]{16})","metric name":"m",)x"
      R"x("query JSON":"/api/query\?metricName=m&start=1d-ago","api":"ceres","started":"2021-03-31T12:00:00Z",)x"
      R"x("seconds":0,"samples":2,"chunks":0,"windows":0,"bytes":\d+\}\],"queries waiting":0\})x");
  std::smatch match;
  ASSERT_TRUE(std::regex_match(list, match, shape)) << list;
  const std::string kill = "/api/v1/admin/killquery/" + match[1].str();
  // Of another tenant it cannot be seen, nor ended.
  EXPECT_EQ(ask(Method::get, "/api/v1/admin/runningqueries", "", "t-2").body, R"({"queries":[],"queries waiting":0})");
  EXPECT_EQ(ask(Method::delete_, kill, "", "t-2").status, 404);
  EXPECT_EQ(ask(Method::get, kill, "", "t-2").status, 204);
  EXPECT_FALSE(*request.gone);

  EXPECT_EQ(ask(Method::delete_, kill).status, 204);
  const Response killed = sink->wait();
  EXPECT_EQ(killed.status, 422);
  EXPECT_NE(killed.body.find(R"("message":"the query was killed by an operator")"), std::string::npos) << killed.body;
  EXPECT_EQ(get("/api/v1/admin/runningqueries"), R"({"queries":[],"queries waiting":0})");
}

// KairosDB's JSON need not be JSON; the list is.
TEST_F(AdminQueriesTest, AQueryThatIsNoJsonIsShownAsText) {
  put("m", {{"host", "a"}}, 0, Value::of_long(1));
  EndlessStore endless(store_);
  query::Engine engine(store_, endless, clock_, {});
  for (const auto& [body, shown] :
       {std::pair{R"({"start_absolute":1,"x":TRUE,"metrics":[{"name":"m"}]})",
                  R"("{\"start_absolute\":1,\"x\":TRUE,\"metrics\":[{\"name\":\"m\"}]}")"},
        std::pair{"\xef\xbb\xbf{\"start_absolute\":1,\"metrics\":[{\"name\":\"m\"}]}",
                  "\"\xef\xbb\xbf{\\\"start_absolute\\\":1,\\\"metrics\\\":[{\\\"name\\\":\\\"m\\\"}]}\""},
        std::pair{"{\"start_absolute\":1,\n\"metrics\":[{\"name\":\"m\"}]}",
                  "{\"start_absolute\":1,\n\"metrics\":[{\"name\":\"m\"}]}"}}) {
    router_ = {};
    add_kairosdb_routes(router_, whole_.of(engine, pool_, metrics_));
    Request request;
    request.method = Method::post;
    request.tenant = "t-1";
    request.path = "/api/v1/datapoints/query";
    request.body = body;
    request.gone = std::make_shared<std::atomic<bool>>(false);
    auto sink = std::make_shared<WaitingSink>();
    router_.find(request).route->handler(request, Responder(sink));
    endless.wait();
    const std::string list = get("/api/v1/admin/runningqueries");
    EXPECT_NE(list.find(std::string(R"("query JSON":)") + shown + ","), std::string::npos) << list;
    EXPECT_TRUE(protocol::json::check_strict(list)) << list;
    *request.gone = true;
    request.gone->notify_all();
    endless.reset();
    sink->wait();
  }
}

}  // namespace
}  // namespace varve::api
