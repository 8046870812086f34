// SPDX-License-Identifier: Apache-2.0
#include "http/static_content.h"

#include <gtest/gtest.h>

#include <memory>

namespace varve::http {
namespace {

class Kept final : public Responder::Sink {
 public:
  void send(Response response) override { kept = std::move(response); }
  Response kept;
};

Response ask(const Handler& handler, std::string if_none_match = {}) {
  const auto sink = std::make_shared<Kept>();
  Request request;
  if (!if_none_match.empty()) request.headers = {{"if-none-match", std::move(if_none_match)}};
  handler(request, Responder(sink));
  return std::move(sink->kept);
}

TEST(StaticContent, HasATypeAndATag) {
  const Response response = ask(static_content("<p>", "text/html"));
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "<p>");
  EXPECT_EQ(response.content_type, "text/html");
  EXPECT_EQ(response.headers.at(0).first, "ETag");
  EXPECT_EQ(response.headers.at(0).second, ask(static_content("<p>", "text/plain")).headers.at(0).second);
  EXPECT_NE(response.headers.at(0).second, ask(static_content("<b>", "text/html")).headers.at(0).second);
}

TEST(StaticContent, IsNotSentToWhomHasIt) {
  const Handler handler = static_content("<p>", "text/html");
  const std::string tag = ask(handler).headers.at(0).second;
  for (const std::string& has : {tag, tag.substr(2), "\"a\" , " + tag, std::string("*")}) {
    const Response response = ask(handler, has);
    EXPECT_EQ(response.status, 304) << has;
    EXPECT_EQ(response.body, "") << has;
    EXPECT_EQ(response.headers.at(0).second, tag) << has;
  }
  for (const char* other : {"\"a\"", "W/\"a\", \"b\"", ",,", "W/"}) EXPECT_EQ(ask(handler, other).status, 200) << other;
}

}  // namespace
}  // namespace varve::http
