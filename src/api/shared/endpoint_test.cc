// SPDX-License-Identifier: Apache-2.0
#include "api/shared/endpoint.h"

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <new>
#include <stdexcept>

#include "api/testing/waiting_sink.h"

namespace varve::api {
namespace {

Response in_words(int status, std::string_view message, const Request& request) {
  return Response::text(status, request.path + ": " + std::string(message));
}

class EndpointTest : public ::testing::Test {
 protected:
  Response ask(const Handler& handler, std::string tenant = "t") {
    Request request;
    request.path = "/p";
    request.shape = in_words;
    request.tenant = std::move(tenant);
    std::size_t pieces = 0;
    return answer_of(handler, request, pieces);
  }
  std::string shown(const Handler& handler, std::string tenant = "t") {
    const Response response = ask(handler, std::move(tenant));
    return std::to_string(response.status) + " " + response.body;
  }
  [[nodiscard]] bool has_metric(const std::string& line) const {
    return metrics_.text().find(line + "\n") != std::string::npos;
  }

  Metrics metrics_;
  ManualClock clock_{0};
  TaskPool pool_{1, 1};
  const Endpoint endpoint_{pool_, QueryMetrics(metrics_, clock_, "test")};
};

Result<Response> well(const Request& request) { return Response::text(200, request.tenant); }

TEST_F(EndpointTest, AnswersWithTheResult) {
  EXPECT_EQ(shown(endpoint_.on_pool(well)), "200 t");
  const auto failing = [](Code code) {
    return [code](const Request&) -> Result<Response> { return fail(code, "no"); };
  };
  EXPECT_EQ(shown(endpoint_.on_pool(failing(Code::invalid))), "400 /p: no");
  EXPECT_EQ(shown(endpoint_.on_pool(failing(Code::limit))), "422 /p: no");
  EXPECT_EQ(shown(Endpoint(pool_, status_of).on_pool(failing(Code::limit))), "429 /p: no");
  EXPECT_TRUE(has_metric(R"(varve_queries_total{api="test"} 3)"));
  EXPECT_TRUE(has_metric(R"(varve_query_seconds_count{api="test"} 3)"));
}

TEST_F(EndpointTest, TellsSomeOfALongError) {
  const auto failing = [](std::string message) {
    return [message = std::move(message)](const Request&) -> Result<Response> { return fail(Code::invalid, message); };
  };
  EXPECT_EQ(shown(endpoint_.on_pool(failing(std::string(2000, 'x')))), "400 /p: " + std::string(2000, 'x'));
  EXPECT_EQ(shown(endpoint_.on_pool(failing(std::string(5'000'000, 'x')))), "400 /p: " + std::string(2000, 'x'));
  EXPECT_EQ(shown(endpoint_.on_pool(failing(std::string(1999, 'x') + "\u20ac" + "y"))),
            "400 /p: " + std::string(1999, 'x'));
}

TEST_F(EndpointTest, WhatIsOfNoTenantWaitsForNone) {
  TaskPool pool(1);
  std::promise<void> started, release;
  ASSERT_TRUE(pool.post([&] {
    started.set_value();
    release.get_future().wait();
  }));
  started.get_future().wait();
  Request request;
  request.tenant = "t";
  const auto sink = std::make_shared<WaitingSink>();
  Endpoint(pool).on_pool(well, Endpoint::Share::of_all)(request, Responder(sink));
  EXPECT_EQ(pool.waiting("t"), 0U);
  EXPECT_EQ(pool.waiting(""), 1U);
  release.set_value();
  EXPECT_EQ(sink->wait().status, 200);
}

TEST_F(EndpointTest, WhatIsThrownIsAnErrorInTheFamilysShape) {
  EXPECT_EQ(shown(endpoint_.on_pool([](const Request&) -> Result<Response> { throw std::bad_alloc(); })),
            "503 /p: out of memory");
  EXPECT_EQ(shown(endpoint_.on_pool([](const Request&) -> Result<Response> { throw std::runtime_error("secret"); })),
            "500 /p: internal error");
}

TEST_F(EndpointTest, AFullPoolRefuses) {
  // The task may still be at its end when this function has returned: nothing of its frame is in it.
  const auto begun = std::make_shared<std::promise<void>>();
  std::promise<void> go_on;
  ASSERT_TRUE(pool_.post([begun, waited = go_on.get_future().share()] {
    begun->set_value();
    waited.wait();
  }));
  begun->get_future().wait();
  ASSERT_TRUE(pool_.post([] {}));
  EXPECT_EQ(shown(endpoint_.on_pool(well)), "503 /p: too many requests are waiting");
  go_on.set_value();
}

TEST_F(EndpointTest, SmallQuestionsAreAnsweredWhereTheyCame) {
  const auto here = std::this_thread::get_id();
  const auto planned = [&](bool is_small) {
    return endpoint_.here_or_on_pool([=](const Request&) -> Result<Endpoint::Planned> {
      return Endpoint::Planned{[=]() -> Result<Response> {
                                 return Response::text(200, std::this_thread::get_id() == here ? "here" : "there");
                               },
                               is_small};
    });
  };
  EXPECT_EQ(shown(planned(true)), "200 here");
  EXPECT_EQ(shown(planned(false)), "200 there");
  const Handler bad =
      endpoint_.here_or_on_pool([](const Request&) -> Result<Endpoint::Planned> { return fail(Code::invalid, "no"); });
  EXPECT_EQ(shown(bad), "400 /p: no");
  EXPECT_TRUE(has_metric(R"(varve_query_seconds_count{api="test"} 3)"));
}

}  // namespace
}  // namespace varve::api
