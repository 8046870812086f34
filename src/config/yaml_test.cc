// SPDX-License-Identifier: Apache-2.0
#include "config/yaml.h"

#include <gtest/gtest.h>

namespace varve::config {
namespace {

// Settings as "key=value@line …", or "error: …".
std::string flat(std::string_view text) {
  const auto settings = parse_yaml(text, "f");
  if (!settings) return "error: " + settings.error().message;
  std::string out;
  for (const auto& s : *settings) out += (out.empty() ? "" : " ") + s.key + "=" + s.value + "@" + s.origin;
  return out;
}

TEST(Yaml, Flattens) {
  EXPECT_EQ(flat(""), "");
  EXPECT_EQ(flat("# only a comment\n"), "");
  EXPECT_EQ(flat("a: |\n  b\n"), "a=b\n@f:1");
  EXPECT_EQ(flat("engine: embedded"), "engine=embedded@f:1");
  EXPECT_EQ(flat("slots:\n  width: 1h\n  quiet: 5m\n"), "slots.width=1h@f:2 slots.quiet=5m@f:3");
  EXPECT_EQ(flat("slots.width: 1h"), "slots.width=1h@f:1");
  EXPECT_EQ(flat("roles: [ingest, query]"), "roles=ingest,query@f:1");
  EXPECT_EQ(flat("roles:\n  - ingest\n  - query\n"), "roles=ingest,query@f:1");
  EXPECT_EQ(flat("telnet:\n  listen: \"\"\n"), "telnet.listen=@f:2");
  EXPECT_EQ(flat("telnet:\n  listen:\n"), "telnet.listen=@f:2");
  EXPECT_EQ(flat("http:\n  listen: 127.0.0.1:8080"), "http.listen=127.0.0.1:8080@f:2");
}

TEST(Yaml, Refuses) {
  EXPECT_EQ(flat("just words"), "error: f:1: a map of keys was expected");
  EXPECT_EQ(flat("- a\n- b\n"), "error: f:1: a map of keys was expected");
  EXPECT_EQ(flat("a: [[1]]"), "error: f:1: a: a list of plain values was expected");
  EXPECT_TRUE(flat("a: b: c").starts_with("error: f:1: ")) << flat("a: b: c");
  EXPECT_TRUE(flat("x: 1\na: 'b\n").starts_with("error: f:")) << flat("x: 1\na: 'b\n");
  EXPECT_TRUE(flat("a: \"b").starts_with("error: f:")) << flat("a: \"b");
  EXPECT_TRUE(flat("a: [1").starts_with("error: f:")) << flat("a: [1");
  EXPECT_TRUE(flat("[1]: 2").starts_with("error: f:1: a key")) << flat("[1]: 2");
  EXPECT_EQ(flat("a: 1\nb: 2\na: 3\n"), "error: f:3: a is given twice, first in f:1");
  EXPECT_EQ(flat("a:\n  b: 1\n  b: 1\n"), "error: f:3: a.b is given twice, first in f:2");
  EXPECT_EQ(flat("a:\n  b: 1\na:\n  c: 1\n"), "error: f:3: a is given twice, first in f:1");
  EXPECT_EQ(flat("a.b: 1\na:\n  b: 2\n"), "error: f:3: a.b is given twice, first in f:1");
}

std::string as_json(std::string_view text) {
  const auto json = yaml_to_json(text, "f");
  return json ? *json : "error: " + json.error().message;
}

TEST(Yaml, BecomesJson) {
  EXPECT_EQ(as_json(""), "null");
  EXPECT_EQ(as_json("a: {b: 7, c: [x, true, 'true', ~, null, 1.5]}\nd:\n"),
            R"({"a":{"b":"7","c":["x",true,"true",null,null,"1.5"]},"d":null})");
  EXPECT_EQ(as_json("{}"), "{}");
  EXPECT_EQ(as_json("a: []"), R"({"a":[]})");
  EXPECT_EQ(as_json("\"q\\\"\\\\\\t\": ü"), R"({"q\"\\\u0009":"ü"})");
  EXPECT_EQ(as_json("a: &x [1]\nb: *x"), R"({"a":["1"],"b":["1"]})");
  EXPECT_TRUE(as_json("a: 'b").starts_with("error: f:"));
  EXPECT_TRUE(as_json("[1]: 2").starts_with("error: f:1: a key"));
  EXPECT_EQ(as_json("d:\n  r: {a: 1}\n  r: {b: 1}\n"), "error: f:3: r is given twice, first in f:2");
  std::string laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 9; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    std::string items = before;
    for (int k = 1; k < 10; ++k) items += ", " + before;
    laughs += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + items + "]\n";
  }
  EXPECT_TRUE(as_json(laughs).ends_with("more than a million values"));
}

TEST(Yaml, WhatIsWrittenReadsBack) {
  const std::vector<Setting> settings = {{"engine", "embedded", ""},
                                         {"http.listen", "127.0.0.1:8080", "--http.listen"},
                                         {"http.body_max", "64MiB", ""},
                                         {"rollups", "5m:1y,1h:5y", "f:3"},
                                         {"tenant.default", "", ""},
                                         {"cassandra.username", "a \"b\" # c\\", ""},
                                         {"redis.url", "redis://h:1", ""},
                                         {"x", "-1", ""},
                                         {"y", ":8080", ""},
                                         {"z", "*", ""}};
  const auto read = parse_yaml(to_yaml(settings), "f");
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->size(), settings.size());
  for (std::size_t i = 0; i < settings.size(); ++i) {
    EXPECT_EQ((*read)[i].key, settings[i].key);
    EXPECT_EQ((*read)[i].value, settings[i].value) << settings[i].key;
  }
}

TEST(Yaml, WritesMapsAndOrigins) {
  EXPECT_EQ(to_yaml({{"a", "1", ""}, {"b.c", "2", "VARVE_B_C"}, {"b.d", "", ""}, {"e", "x", ""}}),
            "a: 1\nb:\n  c: 2                                      # VARVE_B_C\n  d: \"\"\ne: x\n");
}

}  // namespace
}  // namespace varve::config
