// SPDX-License-Identifier: Apache-2.0
#include "api/shared/routes.h"

#include <gtest/gtest.h>

#include <memory>

#include "api/shared/writing.h"
#include "api/testing/waiting_sink.h"

namespace varve::api {
namespace {

struct TableParts {
  std::string name;
  Endpoint endpoint;
};

Response in_stars(int status, std::string_view message, const Request&) {
  return Response::text(status, "*" + std::string(message) + "*");
}
Response in_dashes(int status, std::string_view message, const Request&) {
  return Response::text(status, "-" + std::string(message) + "-");
}

Result<Response> say_name(const TableParts& parts, const Request& request) {
  return Response::text(200, parts.name + " " + std::string(request.captured("what")));
}
Result<Response> say_no(const TableParts&, const Request&) { return fail(Code::invalid, "no"); }
Result<Endpoint::Planned> plan_name(const TableParts& parts, const Request&) {
  return Endpoint::Planned{[&parts]() -> Result<Response> { return Response::text(200, "planned " + parts.name); },
                           true};
}
void say_itself(const TableParts& parts, const Request&, const Responder& respond) {
  respond(Response::text(200, "itself " + parts.name));
}
bool is_called_b(const TableParts& parts) { return parts.name == "b"; }

constexpr Route<TableParts> kTableRoutes[] = {
    {Method::get, "/pool/{what}", OnPool{say_name, &TableParts::endpoint}},
    {Method::get, "/planned", Planned{plan_name, &TableParts::endpoint}},
    {.pattern = "/itself", .answer = Itself{say_itself}, .needs_tenant = false},
    {Method::put, "/pool/{what}", OnPool{say_no, &TableParts::endpoint}, Effect::writes},
    {Method::get, "/no", OnPool{say_no, &TableParts::endpoint}, Effect::reads, in_dashes},
    {.pattern = "/b", .answer = Itself{say_itself}, .is_there = is_called_b},
};

class TableTest : public ::testing::Test {
 protected:
  std::string shown(const std::string& name, Method method, const std::string& path, std::string tenant = "t") {
    Router router;
    const auto parts = std::make_shared<const TableParts>(TableParts{name, Endpoint(pool_)});
    add_routes(router, parts, kTableRoutes, in_stars);
    Request request;
    request.method = method;
    request.path = path;
    request.tenant = std::move(tenant);
    const Response response = answer_of(router, request);
    return std::to_string(response.status) + " " + response.body;
  }
  TaskPool pool_{1};
};

TEST_F(TableTest, RowsAnswerFromTheirParts) {
  EXPECT_EQ(shown("a", Method::get, "/pool/x"), "200 a x");
  EXPECT_EQ(shown("a", Method::get, "/planned"), "200 planned a");
  EXPECT_EQ(shown("a", Method::get, "/itself"), "200 itself a");
  EXPECT_EQ(shown("a", Method::get, "/b"), "404 ");
  EXPECT_EQ(shown("b", Method::get, "/b"), "200 itself b");
}

TEST_F(TableTest, ErrorsHaveTheShapeOfTheRowOrOfTheTable) {
  EXPECT_EQ(shown("a", Method::put, "/pool/x"), "400 *no*");
  EXPECT_EQ(shown("a", Method::get, "/no"), "400 -no-");
  EXPECT_EQ(shown("a", Method::get, "/no", ""), "400 -the request names no tenant-");
  EXPECT_EQ(shown("a", Method::put, "/pool/x", "varve").substr(0, 5), "403 *");
  EXPECT_EQ(shown("a", Method::get, "/itself", ""), "200 itself a");
}

TEST(WhenStored, AnswersOnceItIsKnown) {
  Request request;
  request.shape = in_stars;
  const auto answered = [&](const Status& status, const auto& made) {
    const auto sink = std::make_shared<WaitingSink>();
    when_stored(request, Responder(sink), made)(status);
    const Response response = sink->wait();
    return std::to_string(response.status) + " " + response.body;
  };
  const Response well = Response::text(200, "well");
  EXPECT_EQ(answered({}, well), "200 well");
  EXPECT_EQ(answered({}, [] { return Response::text(201, "made"); }), "201 made");
  EXPECT_EQ(answered(fail(Code::unavailable, "the disk is full"), well), "503 *the disk is full*");
}

TEST(RefusedRows, AreNamedUpToTwenty) {
  protocol::Outcome outcome;
  outcome.accepted = 1;
  outcome.reject(3, {Code::invalid, "bad time"});
  outcome.reject(7, {Code::invalid, "no value"});
  EXPECT_EQ(refused_rows(outcome, "line"), "line 3: bad time; line 7: no value");
  EXPECT_EQ(status_of_refused(outcome), 400);
  for (std::size_t i = 0; i < 20; ++i) outcome.reject(10 + i, {Code::unavailable, "x"});
  EXPECT_TRUE(refused_rows(outcome, "line").ends_with("line 27: x; and 2 more")) << refused_rows(outcome, "line");
  EXPECT_EQ(status_of_refused(outcome), 503);
  protocol::Outcome full;
  full.reject(1, {Code::limit, "too many series"});
  EXPECT_EQ(status_of_refused(full), 429);
  full.accepted = 1;
  EXPECT_EQ(status_of_refused(full), 400) << "what was kept must not come again";
}

}  // namespace
}  // namespace varve::api
