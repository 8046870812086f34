// SPDX-License-Identifier: Apache-2.0
#include "api/kairosdb/routes.h"

#include <gtest/gtest.h>

#include "api/testing/texts_api.h"
#include "api/testing/whole_context.h"

namespace varve::api {
namespace {

class Metadata : public testing::TextsApi {
 protected:
  Metadata() { add_kairosdb_routes(router_, whole_.of(engine_, pool_, metrics_, {.texts = &texts_})); }

  int put(const std::string& path, std::string_view body) { return ask(Method::post, path, body).status; }

  storage::testing::MemoryStore store_;
  ManualClock clock_;
  query::Engine engine_{store_, store_, clock_, {}};
  Metrics metrics_;
  testing::WholeContext whole_{store_, clock_};
};

TEST_F(Metadata, texts_are_kept_and_listed) {
  EXPECT_EQ(put("/api/v1/metadata/s/k1/a", "one"), 204);
  EXPECT_EQ(put("/api/v1/metadata/s/k1/b", R"({"x":2})"), 204);
  EXPECT_EQ(put("/api/v1/metadata/s/k2/b/c d", ""), 204);
  EXPECT_EQ(got("/api/v1/metadata/s"), R"(200 {"results":["k1","k1","k2"]})");
  EXPECT_EQ(got("/api/v1/metadata/s/k1"), R"(200 {"results":["a","b"]})");
  EXPECT_EQ(got("/api/v1/metadata/s/k2"), R"(200 {"results":["b/c d"]})");
  EXPECT_EQ(got("/api/v1/metadata/s/"), R"(200 {"results":["k1","k1","k2"]})") << "a slash behind a list is no name's";
  EXPECT_EQ(got("/api/v1/metadata/s/k1/"), R"(200 {"results":["a","b"]})");
  EXPECT_EQ(got("/api/v1/metadata/s/k1/b"), R"(200 {"x":2})");
  EXPECT_EQ(got("/api/v1/metadata/s/k2/b/c d"), "200 ");
  EXPECT_EQ(got("/api/v1/metadata/s/none"), R"(200 {"results":[]})");
  EXPECT_EQ(put("/api/v1/metadata/a%2Fb/k%2F/x", "slashes"), 204);
  EXPECT_EQ(got("/api/v1/metadata/a%2Fb"), R"(200 {"results":["k/"]})");
  EXPECT_EQ(got("/api/v1/metadata/a%2Fb/k%2F"), R"(200 {"results":["x"]})");
  EXPECT_EQ(got("/api/v1/metadata/a%2Fb/k%2F/x"), "200 slashes");
  EXPECT_EQ(got("/api/v1/metadata/a/b"), R"(200 {"results":[]})");
  EXPECT_EQ(got("/api/v1/metadata/none"), R"(200 {"results":[]})");
  EXPECT_EQ(got("/api/v1/metadata/s/k1/none"), R"(404 {"errors":["Key not found"]})");
  query_ = {{"startsWith", "b"}};
  EXPECT_EQ(got("/api/v1/metadata/s/k1"), R"(200 {"results":["b"]})");
  tenant_ = "varve";
  EXPECT_EQ(put("/api/v1/metadata/s/k1/a", "one"), 403);
  EXPECT_EQ(ask(Method::delete_, "/api/v1/metadata/s/k1/a").status, 403);
  tenant_ = "t";
  EXPECT_EQ(ask(Method::delete_, "/api/v1/metadata/s/k1/a").status, 204);
  EXPECT_EQ(ask(Method::delete_, "/api/v1/metadata/s/k1/a").status, 204);
  EXPECT_EQ(got("/api/v1/metadata/s/k1/a"), R"(404 {"errors":["Key not found"]})");
}

TEST_F(Metadata, what_is_not_a_clients) {
  for (const Method method : {Method::get, Method::post, Method::delete_}) {
    const Response refused = ask(method, "/api/v1/metadata/_x/k/a");
    EXPECT_EQ(refused.status, 401);
    EXPECT_EQ(refused.body, "");
  }
  EXPECT_EQ(ask(Method::get, "/api/v1/metadata/_x").status, 401);
  EXPECT_EQ(ask(Method::get, "/api/v1/metadata/_x/k").status, 401);
  put("/api/v1/metadata/s/k/a", "mine");
  tenant_ = "other";
  EXPECT_EQ(got("/api/v1/metadata/s/k/a").substr(0, 3), "404");
  EXPECT_EQ(got("/api/v1/metadata/s"), R"(200 {"results":[]})");
  tenant_ = "";
  EXPECT_EQ(got("/api/v1/metadata/s").substr(0, 3), "400");
}

TEST_F(Metadata, what_is_wrong_is_said) {
  EXPECT_EQ(ask(Method::post, "/api/v1/metadata/s/k", "x").status, 405);
  EXPECT_EQ(put("/api/v1/metadata/s/k/" + std::string(600, 'x'), "x"), 400);
  EXPECT_EQ(put("/api/v1/metadata/s/k/\xff", "x"), 400);
  EXPECT_EQ(put("/api/v1/metadata/s/k/a", std::string(storage::kTextBytesMax + 1, 'x')), 413);
  texts_.away(true);
  const Response away = ask(Method::get, "/api/v1/metadata/s/k/a");
  EXPECT_EQ(away.status, 503);
  EXPECT_EQ(header_of(away, "Retry-After"), "1");
}

}  // namespace
}  // namespace varve::api
