// SPDX-License-Identifier: Apache-2.0
#include "protocol/ceres/search.h"

#include <gtest/gtest.h>

namespace varve::protocol::ceres {
namespace {

std::string search_error(std::string_view json) {
  const auto search = parse_search(json);
  return search ? "no error" : search.error().message;
}

TEST(Wildcard, Matches) {
  struct Case {
    std::string_view pattern, text;
    bool matches;
  };
  const Case cases[] = {{"", "", true},
                        {"", "a", false},
                        {"*", "", true},
                        {"*", "abc", true},
                        {"a*", "a", true},
                        {"a*", "ba", false},
                        {"*a", "bba", true},
                        {"*a", "ab", false},
                        {"a*b*c", "aXbYbc", true},
                        {"a*b*c", "aXbYb", false},
                        {"?", "a", true},
                        {"?", "", false},
                        {"?", "ab", false},
                        {"??", "ab", true},
                        {"?", "é", true},
                        {"a?c", "aéc", true},
                        {"*é", "caféé", true},
                        {"**", "x", true},
                        {"cpu_*", "cpu_idle", true},
                        {"CPU", "cpu", false},
                        {"a.c", "abc", false},
                        {"\\*", "*", true},
                        {"\\*", "a", false},
                        {"a\\?b", "a?b", true},
                        {"\\\\", "\\", true},
                        {"a\\", "a\\", true},
                        {"[a]", "[a]", true},
                        {"*aab", "aaab", true},
                        {"a*", "a\nb", true}};
  for (const Case& c : cases) EXPECT_EQ(matches_wildcard(c.pattern, c.text), c.matches) << c.pattern << " " << c.text;
  EXPECT_FALSE(matches_wildcard("*a*a*a*a*a*a*a*a*b", std::string(3000, 'a')));  // not for ever
}

TEST(Wildcard, OtherForms) {
  EXPECT_TRUE(has_wildcard("a*"));
  EXPECT_TRUE(has_wildcard("\\*?"));
  EXPECT_FALSE(has_wildcard("a\\*b\\?"));
  EXPECT_FALSE(has_wildcard(""));
  EXPECT_EQ(wildcard_literal("a\\*b"), "a*b");
  EXPECT_EQ(wildcard_regex("a.*?\\*é"), "a\\..*.\\*é");
}

TEST(ParseCeresSearch, Whole) {
  const auto search = parse_search(R"({"filter":[{"filterKey":"tags.metricGroup","filterValue":"CP*"},
      {"filterKey":"metricName","filterValue":"cpu_*"},{"filterKey":"metricName","filterValue":""},
      {"filterKey":null,"filterValue":"x"},{}],
      "includeFields":["metricName","tags.host"],"excludeFields":[],"offset":3,"limit":10})");
  ASSERT_TRUE(search) << search.error().message;
  ASSERT_EQ(search->tag_patterns.size(), 1U);
  EXPECT_EQ(search->tag_patterns[0].key, "metricGroup");
  EXPECT_EQ(search->tag_patterns[0].pattern, "CP*");
  EXPECT_EQ(search->metric_patterns, std::vector<std::string>{"cpu_*"});
  EXPECT_EQ(search->paging.offset, 3U);
  EXPECT_EQ(search->paging.limit, 10U);
  EXPECT_TRUE(search->shows_metric());
  EXPECT_TRUE(search->shows_tags());
  EXPECT_TRUE(search->shows_tag("host"));
  EXPECT_FALSE(search->shows_tag("os"));
}

TEST(ParseCeresSearch, Fields) {
  const auto shows = [](const std::string& fields) {
    const auto search = parse_search("{" + fields + "}");
    if (!search) return search.error().message;
    return std::string(search->shows_metric() ? "m" : "") + (search->shows_tags() ? "t" : "") +
           (search->shows_tag("os") ? "o" : "") + (search->shows_tag("host") ? "h" : "");
  };
  EXPECT_EQ(shows(""), "mtoh");
  EXPECT_EQ(shows(R"("includeFields":null,"filter":null,"limit":null)"), "mtoh");
  EXPECT_EQ(shows(R"("includeFields":["metricName"])"), "m");
  EXPECT_EQ(shows(R"("includeFields":["tags"])"), "toh");
  EXPECT_EQ(shows(R"("includeFields":["tags.o?"])"), "to");
  EXPECT_EQ(shows(R"("includeFields":["tags.*"],"excludeFields":["tags.host"])"), "to");
  EXPECT_EQ(shows(R"("excludeFields":["tags"])"), "m");
  EXPECT_EQ(shows(R"("excludeFields":["metricName"])"), "toh");
}

TEST(ParseCeresSearch, Errors) {
  EXPECT_EQ(search_error("[]"), "the body must be a JSON object");
  for (const char* no_json :
       {"{\"limit\":NULL}", "\xef\xbb\xbf{}", "{\"includeFields\":[\"\\q\"]}", "{\"includeFields\":[\"a\tb\"]}",
        "{\"includeFields\":[\"\xff\"]}", "{'limit':1}", "{} x"}) {
    EXPECT_NE(search_error(no_json), "no error") << no_json;
  }
  EXPECT_NE(search_error(""), "no error");
  EXPECT_NE(search_error("{"), "no error");
  EXPECT_EQ(search_error(R"({"filters":[]})"),
            "the body has no field 'filters'; filter, includeFields, excludeFields, offset, limit");
  EXPECT_EQ(search_error(R"({"filter":{}})"), "filter must be an array");
  EXPECT_EQ(search_error(R"({"filter":[3]})"), "filter[0] must be an object");
  EXPECT_EQ(search_error(R"({"filter":[{"filterKey":"metricName","filterValue":3}]})"),
            "filter[0].filterValue must be a string");
  EXPECT_EQ(search_error(R"({"filter":[{},{"key":"x"}]})"), "filter[1] has no field 'key'; filterKey, filterValue");
  EXPECT_EQ(search_error(R"({"filter":[{"filterKey":"tags.","filterValue":"x"}]})"),
            "filter[0].filterKey 'tags.' is neither metricName nor tags.<key>");
  EXPECT_EQ(search_error(R"({"includeFields":["name"]})"),
            "includeFields: 'name' is none of metricName, tags, tags.<key>");
  EXPECT_EQ(search_error(R"({"includeFields":"metricName"})"), "includeFields must be an array");
  EXPECT_EQ(search_error(R"({"limit":-1})"), "limit must be a whole number, 0 or more");
  EXPECT_EQ(search_error(R"({"limit":"1"})"), "limit must be a whole number, 0 or more");
}

}  // namespace
}  // namespace varve::protocol::ceres
