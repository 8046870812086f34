// SPDX-License-Identifier: Apache-2.0
#include "http/authority.h"

#include <gtest/gtest.h>

namespace varve::http {
namespace {

std::string shown_authority(std::string_view text) {
  const auto authority = parse_authority(text);
  if (!authority) return "bad";
  return authority->host + " " + std::to_string(authority->port) + (authority->is_address ? " address" : "");
}

TEST(Authority, Parses) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"varve", "varve 80"},
      {"Varve.Example.ORG:8080", "varve.example.org 8080"},
      {"varve:", "varve 80"},
      {"127.0.0.1:8080", "127.0.0.1 8080 address"},
      {"127.1", "127.1 80"},
      {"1.2.3.4.example", "1.2.3.4.example 80"},
      {"[::1]", "[::1] 80 address"},
      {"[2001:DB8::1]:65535", "[2001:db8::1] 65535 address"},
      {"", "bad"},
      {":80", "bad"},
      {"a:65536", "bad"},
      {"a:8o", "bad"},
      {"a:-1", "bad"},
      {"a:1:2", "bad"},
      {"::1", "bad"},
      {"[::1", "bad"},
      {"[::1]8080", "bad"},
      {"[evil.example]", "bad"},
      {"a b", "bad"},
      {"a, b", "bad"},
      {"a,b", "bad"},
      {"user@a", "bad"},
      {"a/b", "bad"},
      {"a\\b", "bad"},
      {"\xc3\xa9", "bad"},
  };
  for (const auto& [text, want] : cases) EXPECT_EQ(shown_authority(text), want) << text;
  EXPECT_FALSE(parse_authority(std::string(256, 'a')));
}

TEST(HostNames, TakeWhatIsLocalAndWhatIsNamed) {
  const auto take = [](std::vector<std::string> names, std::string_view host) {
    return HostNames(std::move(names)).take(parse_authority(host).value());
  };
  for (const char* local :
       {"127.0.0.1:1", "8.8.8.8", "[::1]:1", "localhost", "LOCALHOST:1", "a.b.localhost", "varve"}) {
    EXPECT_TRUE(take({}, local)) << local;
  }
  for (const char* foreign : {"evil.example", "evil.", "127.1", "127.0.0.1.evil.example", "localhost.evil.example",
                              "evillocalhost.x", ".localhost"}) {
    EXPECT_FALSE(take({}, foreign)) << foreign;
  }
  EXPECT_TRUE(take({"Db.Example.org"}, "dB.example.ORG:80"));
  EXPECT_FALSE(take({"db.example.org"}, "a.db.example.org"));
  EXPECT_TRUE(take({"x.org", "*.example.org"}, "a.example.org"));
  EXPECT_TRUE(take({"*.example.org"}, "a.b.example.org"));
  EXPECT_FALSE(take({"*.example.org"}, "example.org"));
  EXPECT_FALSE(take({"*.example.org"}, "evilexample.org"));
  EXPECT_TRUE(take({"*"}, "evil.example"));
}

}  // namespace
}  // namespace varve::http
