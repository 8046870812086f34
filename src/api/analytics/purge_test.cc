// SPDX-License-Identifier: Apache-2.0
#include "api/analytics/purge.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "api/kairosdb/routes.h"
#include "api/shared/endpoint.h"
#include "api/testing/memory_api.h"

namespace varve::api {
namespace {

std::string shown_purge(std::string_view body) {
  const auto input = read_purge(body, 1'000'000'000);
  if (!input) return input.error().message;
  return std::to_string(input->percent) + "% " + std::to_string(input->before_us);
}

TEST(PurgeInput, PercentOrTime) {
  EXPECT_EQ(shown_purge(R"({"purge_input":1})"), "1% 0");
  EXPECT_EQ(shown_purge(R"({"purge_input":100})"), "100% 0");
  EXPECT_EQ(shown_purge(R"({"purge_input":"50"})"), "50% 0");
  EXPECT_EQ(shown_purge(R"({"purge_input":1488491800401440})"), "0% 1488491800401440");
  EXPECT_EQ(shown_purge(R"({"purge_input":"now-10s"})"), "0% 990000000");
}

TEST(PurgeInput, NothingElse) {
  for (const char* const body :
       {"", "{", "[]", "{}", R"({"purge_input":null})", R"({"purge_input":0})", R"({"purge_input":-1})",
        R"({"purge_input":1.5})", R"({"purge_input":true})", R"({"purge_input":[1]})", R"({"purge_input":"soon"})",
        R"({"purge_input":""})", R"({"purge_input":1,"more":2})", R"({"purge_input":1,"purge_input":2})"}) {
    const auto input = read_purge(body, 1'000'000'000);
    ASSERT_FALSE(input) << body;
    EXPECT_EQ(input.error().code, Code::invalid) << body;
  }
}

// A store whose deletes go on until they may not.
class EndlessMessages final : public storage::MessageStore {
 public:
  void append_messages(std::string_view, const message::Batch&, AppendDone done) override { done({}); }
  [[nodiscard]] Result<std::vector<storage::MessagePart>> message_parts(std::string_view, std::int64_t,
                                                                        std::int64_t) const override {
    return {};
  }
  [[nodiscard]] Result<storage::MessageNames> message_names(std::string_view) const override { return {}; }
  Result<std::uint64_t> delete_messages(std::string_view, std::int64_t, std::int64_t, const message::Condition&,
                                        const storage::GoOn& go_on) override {
    for (deleting = true;;) {
      VARVE_RETURN_IF_ERROR(go_on());
    }
  }
  std::atomic<bool> deleting{false};
};

class PurgeTest : public testing::MemoryApi {
 protected:
  PurgeTest() : MemoryApi("") {
    router_.add(
        {.method = Method::post,
         .pattern = "/analytics/operation/database-purge",
         .handler = Endpoint(pool_).on_pool([this](const Request& request) { return purging_.answer(request); }),
         .effect = Effect::deletes});
    add_kairosdb_routes(router_, whole_.of(engine_, pool_, metrics_));
  }
  Response purge() {
    Request request;
    request.method = Method::post;
    request.tenant = "t";
    request.path = "/analytics/operation/database-purge";
    request.body = R"({"purge_input":100})";
    request.gone = gone_;
    return answer_of(router_, request);
  }

  EndlessMessages messages_;
  testing::NoSlots slots_;
  TaskPool slow_{1};
  const Purging purging_{{{messages_, engine_, clock_, 100}, messages_, slots_, slow_}};
};

TEST_F(PurgeTest, IsListedAndEndsWhenItIsKilled) {
  const Response started = purge();
  EXPECT_EQ(started.status, 200) << started.body;
  EXPECT_NE(started.body.find(R"("status":"started")"), std::string::npos) << started.body;
  while (!messages_.deleting) std::this_thread::yield();
  EXPECT_NE(purge().body.find(R"("status":"running")"), std::string::npos);
  const auto running = engine_.running().list("t");
  ASSERT_EQ(running.size(), 1U);
  EXPECT_EQ(running[0].api, "messages_purge");
  EXPECT_EQ(running[0].text, R"({"purge_input":100})");
  EXPECT_FALSE(engine_.running().kill("other", running[0].id));
  EXPECT_TRUE(engine_.running().kill("t", running[0].id));
  while (!engine_.running().list("t").empty()) std::this_thread::yield();
}

}  // namespace
}  // namespace varve::api
