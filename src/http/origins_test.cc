// SPDX-License-Identifier: Apache-2.0
#include "http/origins.h"

#include <gtest/gtest.h>

namespace varve::http {
namespace {

using Headers = std::vector<std::pair<std::string, std::string>>;

Request with(Headers headers, Method method = Method::get) {
  Request request;
  request.method = method;
  request.headers = std::move(headers);
  return request;
}

Origin of(std::vector<std::string> allowed, const std::string& origin, std::string_view host = "127.0.0.1:8080") {
  std::optional<Authority> authority;
  if (!host.empty()) authority = parse_authority(host).value();
  return Origins(std::move(allowed)).of(with({{"origin", origin}}), authority);
}

TEST(Origins, OneIsOwnAllowedOrForeign) {
  EXPECT_EQ(Origins({}).of(with({{"host", "x"}}), std::nullopt), Origin::none);
  EXPECT_EQ(of({}, "http://127.0.0.1:8080"), Origin::own);
  EXPECT_EQ(of({}, "http://varve", "Varve:80"), Origin::own);
  EXPECT_EQ(of({}, "http://[::1]:8080", "[::1]:8080"), Origin::own);
  for (const char* foreign :
       {"", "null", "http://127.0.0.1", "http://127.0.0.1:8081", "https://127.0.0.1:8080", "http://localhost:8080",
        "http://127.0.0.1:8080/", "http://127.0.0.1:8080.evil.example", "http://evil.example", "127.0.0.1:8080"}) {
    EXPECT_EQ(of({}, foreign), Origin::foreign) << foreign;
  }
  EXPECT_EQ(of({}, "http://127.0.0.1:8080", ""), Origin::foreign);
}

TEST(Origins, AreComparedWhole) {
  const std::vector<std::string> list{"https://a.example:3000", "http://b.example"};
  EXPECT_EQ(of(list, "https://a.example:3000"), Origin::allowed);
  EXPECT_EQ(of(list, "http://b.example"), Origin::allowed);
  for (const char* foreign : {"https://a.example", "http://a.example:3000", "https://a.example:30000",
                              "http://b.example.evil.example", "http://x.b.example", "null"}) {
    EXPECT_EQ(of(list, foreign), Origin::foreign) << foreign;
  }
  EXPECT_EQ(of({"*"}, "null"), Origin::allowed);
}

TEST(Origins, TwoAreForeign) {
  const Request request = with({{"origin", "http://a.example"}, {"origin", "http://a.example"}});
  EXPECT_EQ(Origins({"http://a.example"}).of(request, std::nullopt), Origin::foreign);
}

TEST(Origins, AGetOfAnotherSiteChangesNothing) {
  EXPECT_TRUE(may_change(with({}), Origin::none));
  EXPECT_TRUE(may_change(with({{"sec-fetch-site", "same-origin"}}), Origin::none));
  EXPECT_TRUE(may_change(with({{"sec-fetch-site", "none"}}), Origin::none));
  EXPECT_FALSE(may_change(with({{"sec-fetch-site", "cross-site"}}), Origin::none));
  EXPECT_FALSE(may_change(with({{"sec-fetch-site", "same-site"}}), Origin::none)) << "another port of this machine";
  EXPECT_TRUE(may_change(with({{"sec-fetch-site", "cross-site"}}), Origin::allowed));
  EXPECT_TRUE(may_change(with({}), Origin::own));
  EXPECT_FALSE(may_change(with({}), Origin::foreign));
}

TEST(Origins, KnowPreflights) {
  EXPECT_TRUE(is_preflight(with({{"access-control-request-method", "POST"}}, Method::options)));
  EXPECT_FALSE(is_preflight(with({}, Method::options)));
  EXPECT_FALSE(is_preflight(with({{"access-control-request-method", "POST"}}, Method::post)));
}

}  // namespace
}  // namespace varve::http
