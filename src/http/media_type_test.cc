// SPDX-License-Identifier: Apache-2.0
#include "http/media_type.h"

#include <gtest/gtest.h>

namespace varve::http {
namespace {

// "essence; name=value …", or "bad".
std::string shown_media_type(std::string_view text) {
  const auto type = parse_media_type(text);
  if (!type) return "bad";
  std::string out = type->essence;
  for (const auto& [name, value] : type->parameters) out.append("; ").append(name).append("=").append(value);
  return out;
}

TEST(MediaType, Parses) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"application/json", "application/json"},
      {"Application/X-Protobuf", "application/x-protobuf"},
      {"a/b;c=d", "a/b; c=d"},
      {"a/b \t;\t C=D ; e=\"f g\"", "a/b; c=D; e=f g"},
      {R"(a/b; c="d\"\\;e")", R"(a/b; c=d"\;e)"},
      {"a/b; c=\"\"", "a/b; c="},
      {"a/b;", "a/b"},
      {"a/b;;c=d", "a/b; c=d"},
      {"", "bad"},
      {"a", "bad"},
      {"a/", "bad"},
      {"/b", "bad"},
      {"a /b", "bad"},
      {"a/b c", "bad"},
      {"a/b, c/d", "bad"},
      {"a/b; c", "bad"},
      {"a/b; c=", "bad"},
      {"a/b; c =d", "bad"},
      {"a/b; c= d", "bad"},
      {"a/b; c=\"d", "bad"},
      {"a/b; c=\"d\\", "bad"},
      {"a/b; c=\"d\"e", "bad"},
  };
  for (const auto& [text, want] : cases) EXPECT_EQ(shown_media_type(text), want) << text;
}

TEST(MediaType, IsOfAnEssence) {
  EXPECT_TRUE(is_media_type("Application/GZIP; a=b", "application/gzip"));
  EXPECT_FALSE(is_media_type("application/gzipped", "application/gzip"));
  EXPECT_FALSE(is_media_type("", "application/gzip"));
}

TEST(MediaType, AcceptNamesIt) {
  constexpr std::string_view kLines = "application/x-ndjson";
  for (const std::string_view text :
       {"application/x-ndjson", "text/html, Application/X-NDJSON;q=0.5", "application/x-ndjson; q=1 , */*"}) {
    EXPECT_TRUE(accepts(text, kLines)) << text;
  }
  for (const std::string_view text : {"", "*/*", "application/*", "application/json", "application/x-ndjson;q=0",
                                      "application/x-ndjson;q=0.000", "application/x-ndjsonx", ",;,", "a/b c"}) {
    EXPECT_FALSE(accepts(text, kLines)) << text;
  }
}

}  // namespace
}  // namespace varve::http
