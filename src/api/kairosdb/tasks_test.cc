// SPDX-License-Identifier: Apache-2.0
#include "api/kairosdb/tasks.h"

#include <gtest/gtest.h>

#include <regex>

#include "api/testing/texts_api.h"

namespace varve::api {
namespace {

class RollupTasks : public testing::TextsApi {
 protected:
  RollupTasks() {
    add_rollup_tasks(router_, {tasks_, pool_, clock_, [this] { ++changes_; }});
  }
  // Its id.
  std::string make(const std::string& path = "/api/v1/rollups") {
    const auto made = ask(Method::post, path, kTask);
    EXPECT_EQ(made.status, 200) << made.body;
    std::smatch found;
    EXPECT_TRUE(std::regex_match(made.body, found,
                                 std::regex(R"x(\{"id":"([0-9a-f-]{36})","name":"R","attributes":)x"
                                            R"x(\{"url":"/api/v1/rollups/([0-9a-f-]{36})"\}\})x")))
        << made.body;
    return found.size() > 1 ? found[1].str() : "";
  }

  static constexpr const char* kTask = R"({"name":"R","execution_interval":{"value":1,"unit":"hours"},"rollups":[]})";
  std::string shown(const std::string& id) { return R"({"id":")" + id + "\"," + std::string(kTask).substr(1); }

  task::TaskStore tasks_{texts_};
  ManualClock clock_;
  std::atomic<int> changes_ = 0;
};

TEST_F(RollupTasks, live_and_die) {
  EXPECT_EQ(got("/api/v1/rollups"), "200 []");
  const std::string id = make();
  EXPECT_EQ(changes_, 1);
  EXPECT_EQ(got("/api/v1/rollups/" + id), "200 " + shown(id));
  EXPECT_EQ(got("/api/v1/rollups"), "200 [" + shown(id) + "]");
  const std::string other = make("/api/v1/rollups/");
  EXPECT_NE(id, other);
  EXPECT_EQ(got("/api/v1/rollups/").size(), 4 + 2 + 1 + shown(id).size() + shown(other).size());
  const auto changed = ask(Method::put, "/api/v1/rollups/" + id + "/",
                           R"({"id":"x","name":"S","execution_interval":{"value":2,"unit":"days"}})");
  EXPECT_EQ(changed.status, 200);
  EXPECT_EQ(changed.body, R"({"id":")" + id + R"(","name":"S","attributes":{"url":"/api/v1/rollups/)" + id + "\"}}");
  EXPECT_EQ(got("/api/v1/rollups/" + id),
            R"(200 {"id":")" + id + R"(","name":"S","execution_interval":{"value":2,"unit":"days"}})");
  EXPECT_EQ(ask(Method::delete_, "/api/v1/rollups/" + id).status, 204);
  EXPECT_EQ(got("/api/v1/rollups/" + id), R"(404 {"errors":["Resource not found for id )" + id + "\"]}");
  EXPECT_EQ(got("/api/v1/rollups"), "200 [" + shown(other) + "]");
}

TEST_F(RollupTasks, none_in_the_servers_own_tenant) {
  tenant_ = "varve";
  EXPECT_EQ(ask(Method::post, "/api/v1/rollups", kTask).status, 403);
  EXPECT_EQ(ask(Method::put, "/api/v1/rollups/x", kTask).status, 403);
  EXPECT_EQ(ask(Method::delete_, "/api/v1/rollups/x").status, 403);
  EXPECT_EQ(ask(Method::get, "/api/v1/rollups/backfill/x").status, 403);
  EXPECT_EQ(got("/api/v1/rollups"), "200 []");
  EXPECT_EQ(changes_, 0);
}

TEST_F(RollupTasks, their_json_is_json) {
  for (const char* sloppy :
       {R"({'name':'R','execution_interval':{'value':1,'unit':'hours'},'rollups':[]})",
        R"({"name":"R","execution_interval":{"value":1,"unit":"hours"},"rollups":[],"x":TRUE})",
        "{\"name\":\"R\\q\",\"execution_interval\":{\"value\":1,\"unit\":\"hours\"},\"rollups\":[]}"}) {
    EXPECT_EQ(ask(Method::post, "/api/v1/rollups", sloppy).status, 400) << sloppy;
  }
  EXPECT_EQ(changes_, 0);
}

TEST_F(RollupTasks, what_is_wrong_is_said) {
  const auto wrong = ask(Method::post, "/api/v1/rollups", "{}");
  EXPECT_EQ(wrong.status, 400);
  EXPECT_EQ(wrong.body, R"({"errors":["name may not be null","executionInterval may not be null"]})");
  EXPECT_EQ(ask(Method::post, "/api/v1/rollups", "").status, 400);
  for (const Method method : {Method::get, Method::put, Method::delete_}) {
    const auto response = ask(method, "/api/v1/rollups/none", kTask);
    EXPECT_EQ(response.status, 404);
    EXPECT_EQ(response.body, R"({"errors":["Resource not found for id none"]})");
  }
  EXPECT_EQ(got("/api/v1/rollups/status/none").substr(0, 3), "404");
  EXPECT_EQ(got("/api/v1/rollups/backfill/none").substr(0, 3), "404");
  EXPECT_EQ(got("/api/v1/rollups/" + std::string(600, 'x')).substr(0, 3), "404");
  EXPECT_EQ(ask(Method::post, "/api/v1/rollups/none", kTask).status, 405);
  texts_.away(true);
  EXPECT_EQ(got("/api/v1/rollups").substr(0, 3), "503");
}

TEST_F(RollupTasks, are_a_tenants_own) {
  const std::string id = make();
  tenant_ = "other";
  EXPECT_EQ(got("/api/v1/rollups"), "200 []");
  EXPECT_EQ(got("/api/v1/rollups/" + id).substr(0, 3), "404");
  EXPECT_EQ(ask(Method::put, "/api/v1/rollups/" + id, kTask).status, 404);
  EXPECT_EQ(ask(Method::delete_, "/api/v1/rollups/" + id).status, 404);
  tenant_ = "";
  EXPECT_EQ(got("/api/v1/rollups").substr(0, 3), "400");
  tenant_ = "t";
  EXPECT_EQ(got("/api/v1/rollups/" + id), "200 " + shown(id));
}

TEST_F(RollupTasks, not_without_end) {
  for (std::size_t i = 0; i < kTasksMax; ++i) ASSERT_TRUE(tasks_.put({"t", std::to_string(i)}, kTask));
  EXPECT_EQ(ask(Method::post, "/api/v1/rollups", kTask).status, 429);
  tenant_ = "other";
  make();
}

TEST_F(RollupTasks, status) {
  const std::string id = make();
  EXPECT_EQ(got("/api/v1/rollups/status/" + id), R"(404 {"errors":["Status not found for id )" + id + "\"]}");
  const auto task = task::parse_task(shown(id), id, [](std::string_view) { return Status(); });
  ASSERT_TRUE(tasks_.put_state({"t", id}, {task::version_of(*task), "h", 1'700'000'000'000, true, {}}));
  EXPECT_EQ(got("/api/v1/rollups/status/" + id),
            R"(200 {"nextScheduled":"14 Nov 2023 11:13:20 PM","executingHost":"h","statuses":[]})");
}

TEST_F(RollupTasks, backfill) {
  const std::string id = make();
  const std::string path = "/api/v1/rollups/backfill/" + id;
  EXPECT_EQ(got(path).substr(0, 3), "400");
  query_ = {{"startTime", "2023-01-02-03-04-05-006"}};
  EXPECT_EQ(got(path).substr(0, 3), "204");
  EXPECT_EQ(tasks_.backfill({"t", id}).value()->range.first, 1'672'628'645'006);
  EXPECT_EQ(tasks_.backfill({"t", id}).value()->range.last, clock_.now_ms());
  query_.emplace_back("endTime", "2023-01-02-03-04-05-005");
  EXPECT_EQ(got(path).substr(0, 3), "400");
}

}  // namespace
}  // namespace varve::api
