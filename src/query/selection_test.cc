// SPDX-License-Identifier: Apache-2.0
// Several metrics in one question: matchers on names, and the tag that says them.
#include "query/selection.h"

#include <gtest/gtest.h>

#include "query/engine.h"
#include "query/testing/engine_fixture.h"

namespace varve::query {
namespace {

using index::Matcher;
using Match = Matcher::Kind;

class SelectionTest : public testing::EngineTest {
 protected:
  SelectionTest() {
    model::Timestamp time = 0;
    for (const auto* metric : {"cpu_idle", "cpu_user", "disk"}) {
      for (const auto* host : {"a", "b"}) {
        ++time;
        store_.put("t", metric, {{"host", host}}, time, model::Value::of_long(time));
      }
    }
    store_.put("t", "odd", {{"__name__", "other"}}, 9, model::Value::of_long(9));
  }
  static Request asked(MetricName metric, Pipeline pipeline = {}) {
    Request out;
    out.tenant = "t";
    out.range = {0, 100};
    out.metrics.push_back({std::move(metric), {}, std::move(pipeline)});
    return out;
  }
  static Pipeline by(std::variant<TagKeys, EachSeries> groups) {
    Pipeline out;
    out.group_by = std::move(groups);
    return out;
  }
  // Of each group its tags and its values.
  std::string answer(const Request& request, std::size_t metric = 0) {
    const auto found = Engine(store_, store_, clock_, {}).run(request, nullptr);
    if (!found) return found.error().message;
    std::string out;
    for (const Group& group : found->metrics[metric].groups) {
      out += "{";
      for (const auto& [key, values] : group.tags) {
        out.append(out.ends_with('{') ? "" : " ").append(key).append("=");
        for (const std::string_view value : values) out.append(out.ends_with('=') ? "" : "|").append(value);
      }
      out += "}";
      for (std::size_t i = 0; i < group.points.size(); ++i) {
        out += " " + std::to_string(static_cast<int>(group.points.number(i)));
      }
      out += "\n";
    }
    return out;
  }
  static MetricName fitting(Match kind, std::vector<std::string> values) {
    return index::Matchers{{std::string(kNameTag), kind, std::move(values)}};
  }
};

TEST_F(SelectionTest, OneNameHasNoTagOfIt) {
  EXPECT_EQ(answer(asked("cpu_idle")), "{host=a|b} 1 2\n");
  EXPECT_EQ(answer(asked("none")), "");
}

TEST_F(SelectionTest, NamesThatFit) {
  EXPECT_EQ(answer(asked(fitting(Match::any_of, {"cpu_idle"}))), "{__name__=cpu_idle host=a|b} 1 2\n");
  EXPECT_EQ(answer(asked(fitting(Match::any_of, {"disk", "none", "cpu_idle", "disk"}))),
            "{__name__=cpu_idle|disk host=a|b} 1 2 5 6\n");
  EXPECT_EQ(answer(asked(fitting(Match::prefix, {"cpu_"}))), "{__name__=cpu_idle|cpu_user host=a|b} 1 2 3 4\n");
  EXPECT_EQ(answer(asked(fitting(Match::regex, {".*s.*"}))), "{__name__=cpu_user|disk host=a|b} 3 4 5 6\n");
  EXPECT_EQ(answer(asked(fitting(Match::not_regex, {"cpu.*|odd"}))), "{__name__=disk host=a|b} 5 6\n");
  EXPECT_EQ(answer(asked(fitting(Match::none_of, {"cpu_idle", "cpu_user", "odd"}))), "{__name__=disk host=a|b} 5 6\n");
  EXPECT_EQ(answer(asked(index::Matchers{{"", Match::prefix, {"cpu_"}}, {"", Match::none_of, {"cpu_user"}}})),
            "{__name__=cpu_idle host=a|b} 1 2\n");
  EXPECT_EQ(answer(asked(fitting(Match::any_of, {"none"}))), "");
  EXPECT_EQ(answer(asked(fitting(Match::regex, {"nothing"}))), "");
}

TEST_F(SelectionTest, TagsAreMatchedToo) {
  Request request = asked(fitting(Match::prefix, {"cpu_"}));
  request.metrics[0].matchers = {{"host", Match::any_of, {"b"}}};
  EXPECT_EQ(answer(request), "{__name__=cpu_idle|cpu_user host=b} 2 4\n");
}

TEST_F(SelectionTest, GroupsByName) {
  EXPECT_EQ(answer(asked(fitting(Match::prefix, {"cpu_"}), by(TagKeys{"__name__"}))),
            "{__name__=cpu_idle host=a|b} 1 2\n{__name__=cpu_user host=a|b} 3 4\n");
  EXPECT_EQ(answer(asked(fitting(Match::prefix, {"cpu_"}), by(TagKeys{"host"}))),
            "{__name__=cpu_idle|cpu_user host=a} 1 3\n{__name__=cpu_idle|cpu_user host=b} 2 4\n");
  EXPECT_EQ(answer(asked(fitting(Match::prefix, {"cpu_"}), by(EachSeries()))),
            "{__name__=cpu_idle host=a} 1\n{__name__=cpu_idle host=b} 2\n"
            "{__name__=cpu_user host=a} 3\n{__name__=cpu_user host=b} 4\n");
}

TEST_F(SelectionTest, TheNameStandsForATagOfThatKey) {
  EXPECT_EQ(answer(asked("odd")), "{__name__=other} 9\n");
  EXPECT_EQ(answer(asked(fitting(Match::any_of, {"odd"}))), "{__name__=odd} 9\n");
}

TEST_F(SelectionTest, SeriesMayBeAskedForTwice) {
  Request request = asked(fitting(Match::regex, {".*"}));
  request.metrics.push_back(asked("disk").metrics[0]);
  request.metrics.push_back(asked(fitting(Match::prefix, {"disk"})).metrics[0]);
  EXPECT_EQ(answer(request, 1), "{host=a|b} 5 6\n");
  EXPECT_EQ(answer(request, 2), "{__name__=disk host=a|b} 5 6\n");
}

TEST_F(SelectionTest, JoinsMetrics) {
  Request request = asked(fitting(Match::prefix, {"cpu_"}));
  Join sum;
  sum.group_by = {"host"};
  sum.resolution_ms = 1000;
  request.metrics[0].how = sum;
  const auto found = Engine(store_, store_, clock_, {}).run(request, nullptr);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->metrics[0].groups.size(), 2U);
  EXPECT_EQ(found->metrics[0].groups[0].mixed, std::vector<std::string>{"__name__"});
  EXPECT_EQ(found->metrics[0].groups[0].points.number(0), 4);
}

TEST_F(SelectionTest, WhatIsWrongIsSaidToEveryTenant) {
  for (const auto* tenant : {"t", "nobody"}) {
    Request request = asked(fitting(Match::regex, {"("}));
    request.tenant = tenant;
    EXPECT_NE(answer(request).find("regular expression"), std::string::npos) << tenant;
  }
}

TEST_F(SelectionTest, NamesForPeople) {
  EXPECT_EQ(text_of("cpu"), "cpu");
  EXPECT_EQ(text_of(fitting(Match::any_of, {"a", "b"})), "{__name__=a|b}");
  EXPECT_EQ(text_of(index::Matchers{{"", Match::regex, {"a.*"}}, {"", Match::none_of, {"ab"}}}),
            "{__name__=~a.*,__name__!=ab}");
}

}  // namespace
}  // namespace varve::query
