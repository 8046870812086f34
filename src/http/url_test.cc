// SPDX-License-Identifier: Apache-2.0
#include "http/url.h"

#include <gtest/gtest.h>

namespace varve::http {
namespace {

// "path | name=value | …", or the error.
std::string shown_target(std::string_view target) {
  std::string path;
  Parameters query;
  if (const Status status = parse_target(target, path, query); !status) return "error: " + status.error().message;
  for (const auto& [name, value] : query) path += " | " + name + "=" + value;
  return path;
}

TEST(Url, Targets) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"/", "/"},
      {"/a/b", "/a/b"},
      {"/a%20b%2Fc+d", "/a b/c+d"},
      {"/a?", "/a"},
      {"/a?x=1&y=2", "/a | x=1 | y=2"},
      {"/a?x=1&&x=2&", "/a | x=1 | x=2"},
      {"/a?summary", "/a | summary="},
      {"/a?=v", "/a | =v"},
      {"/a?x=a=b", "/a | x=a=b"},
      {"/a?q=a+b%2Bc%26d", "/a | q=a b+c&d"},
      {"/a?q=%C3%A4", "/a | q=ä"},
      {"/a?q=1#frag", "/a | q=1"},
      {"/a?q=http://x/", "/a | q=http://x/"},
      {"*", "*"},
      {"http://host:80/a?b=c", "/a | b=c"},
      {"http://host", "/"},
      {"http://host?b=c", "/ | b=c"},
      {"", "/"},
      {"a", "error: the request target is not a path"},
      {"%2Fa", "error: the request target is not a path"},
      {"/%", "error: bad percent encoding in '/%'"},
      {"/%4", "error: bad percent encoding in '/%4'"},
      {"/%zz", "error: bad percent encoding in '/%zz'"},
      {"/a?b=%G0", "error: bad percent encoding in 'b=%G0'"},
      {"/a?%1=2", "error: bad percent encoding in '%1=2'"},
  };
  for (const auto& [target, want] : cases) EXPECT_EQ(shown_target(target), want) << target;
}

TEST(Url, SlashesOfNames) {
  const auto parts = [](const char* target) {
    std::string path, shown;
    Parameters query;
    NameSlashes slashes;
    EXPECT_TRUE(parse_target(target, path, query, &slashes)) << target;
    const auto tenant = take_tenant(path, slashes);
    if (tenant) shown = *tenant + ": ";
    for (std::size_t at = 1; at <= path.size();) {
      const std::size_t end = segment_end(path, at, slashes);
      shown += "[" + path.substr(at, end - at) + "]";
      at = end + 1;
    }
    return shown;
  };
  EXPECT_EQ(parts("/a/b"), "[a][b]");
  EXPECT_EQ(parts("/a%2Fb/c"), "[a/b][c]");
  EXPECT_EQ(parts("/%41%2fb/%2F/%252F?x=%2F"), "[A/b][/][%2F]");
  EXPECT_EQ(parts("/t/x/a%2Fb/c%2F"), "x: [a/b][c/]");
  EXPECT_EQ(parts("http://h/a%2Fb/c"), "[a/b][c]");
  EXPECT_EQ(parts("/t/a%2Fb/c%2Fd/e"), "a/b: [c/d][e]");
  EXPECT_EQ(parts("/t/a%2F/c"), "a/: [c]");
  EXPECT_EQ(parts("/t%2Fa/b"), "[t/a][b]");
}

TEST(Url, TenantInFrontOfThePath) {
  const auto taken = [](std::string path) {
    NameSlashes none;
    return take_tenant(path, none).value_or("none") + " " + path;
  };
  EXPECT_EQ(taken("/t/acme/api/put"), "acme /api/put");
  EXPECT_EQ(taken("/t/acme/"), "acme /");
  EXPECT_EQ(taken("/t/acme"), "acme /");
  EXPECT_EQ(taken("/t//x"), " /x");
  EXPECT_EQ(taken("/tea/acme/x"), "none /tea/acme/x");
  EXPECT_EQ(taken("/"), "none /");
}

}  // namespace
}  // namespace varve::http
