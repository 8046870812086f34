// SPDX-License-Identifier: Apache-2.0
// One line a case: a query, and its tree or the error that it makes.
#include "language/logql/parser.h"

#include <gtest/gtest.h>

#include <string>

#include "language/logql/units.h"
#include "language/testing/logql_text.h"

namespace varve::language::logql {
namespace {

std::string tree_of(std::string_view text) {
  const auto query = parse(text);
  if (query) return std::visit([](const auto& one) { return testing::text_of(one); }, *query);
  return (query.error().code == Code::unsupported ? "unsupported: " : "") + query.error().message;
}

TEST(LogqlParser, LogQueries) {
  EXPECT_EQ(tree_of(R"({app="a"})"), "{app='a'}");
  EXPECT_EQ(tree_of(R"( { app = "a" , b != `c\` , d =~ "e.*", f !~ "g", } )"), R"({app='a',b!='c\',d=~'e.*',f!~'g'})");
  EXPECT_EQ(tree_of(R"((({app="a"} |= "x")))"), "{app='a'} |='x'");
  EXPECT_EQ(tree_of(R"({app="a"} |= "x" != "y" |~ "z+" !~ "w")"), "{app='a'} |='x' !='y' |~'z+' !~'w'");
  EXPECT_EQ(tree_of(R"({app="a"} |= "x" or "y" or `z`)"), "{app='a'} |='x,y,z'");
  EXPECT_EQ(tree_of("{app=\"a\"} # what it is\n|= \"x\""), "{app='a'} |='x'");
  EXPECT_EQ(tree_of(R"({app="\"\\\t\x41\u00e4\U0001F600\101"})"), "{app='\"\\\tAä😀A'}");
  EXPECT_EQ(tree_of(R"({app="a"} | json | logfmt)"), "{app='a'} | json | logfmt");
  EXPECT_EQ(tree_of(R"({app="a"} | json != "x")"), "{app='a'} | json !='x'");
  EXPECT_EQ(tree_of(R"({app="a"} | drop __error__, b | keep c)"), "{app='a'} | drop __error__,b | keep c");
}

TEST(LogqlParser, LabelFilters) {
  const auto filter = [](std::string_view text) {
    return tree_of(R"({a="b"} | )" + std::string(text)).substr(sizeof "{a='b'} | " - 1);
  };
  EXPECT_EQ(filter(R"(level="err")"), "level='err'");
  EXPECT_EQ(filter(R"(level=~"err|warn")"), "level=~'err|warn'");
  EXPECT_EQ(filter("status >= 500"), "status>=500");
  EXPECT_EQ(filter("status = 500"), "status==500");
  EXPECT_EQ(filter("status == 500"), "status==500");
  EXPECT_EQ(filter("x < -1.5e2"), "x<-150");
  EXPECT_EQ(filter("took > 1m30s"), "took>90s");
  EXPECT_EQ(filter("took != 250ms"), "took!=0.25s");
  EXPECT_EQ(filter("size <= 2KiB"), "size<=2048B");
  EXPECT_EQ(filter("size <= 1.5kB"), "size<=1500B");
  EXPECT_EQ(filter(R"(a=1 or b=2 and c="x")"), "(a==1 or (b==2 and c='x'))");
  EXPECT_EQ(filter(R"((a=1 or b=2) and c="x")"), "((a==1 or b==2) and c='x')");
  EXPECT_EQ(filter("a=1, b=2"), "(a==1 and b==2)");
}

TEST(LogqlParser, MetricQueries) {
  EXPECT_EQ(tree_of("vector(1)+vector(1)"), "(vector(1)+vector(1))");
  EXPECT_EQ(tree_of(R"(count_over_time({a="b"}[5m]))"), "count_over_time({a='b'}[300s])");
  EXPECT_EQ(tree_of(R"(rate({a="b"} |= "x" | json [1h30m] offset 1d))"),
            "rate({a='b'} |='x' | json[5400s] offset 86400s)");
  EXPECT_EQ(tree_of(R"(rate({a="b"}[1ms] |= "x"))"), "rate({a='b'} |='x'[0.001s])");
  EXPECT_EQ(tree_of(R"(bytes_rate(({a="b"} |= "x")[1s]))"), "bytes_rate({a='b'} |='x'[1s])");
  EXPECT_EQ(tree_of(R"(sum(rate({a="b"}[1s])))"), "sum(rate({a='b'}[1s]))");
  EXPECT_EQ(tree_of(R"(sum by (x, y) (rate({a="b"}[1s])))"), "sum by(x,y)(rate({a='b'}[1s]))");
  EXPECT_EQ(tree_of(R"(avg(rate({a="b"}[1s])) without (x))"), "avg without(x)(rate({a='b'}[1s]))");
  EXPECT_EQ(tree_of(R"(topk(3, max by () (bytes_over_time({a="b"}[1s]))))"),
            "topk(3,max by()(bytes_over_time({a='b'}[1s])))");
  EXPECT_EQ(tree_of("1+2*3^2^2-4"), "((1+(2*(3^(2^2))))-4)");
  EXPECT_EQ(tree_of("(1+2)*-3"), "((1+2)*-3)");
}

TEST(LogqlParser, Malformed) {
  EXPECT_EQ(tree_of(""), "parse error at line 1, col 1: syntax error: unexpected $end");
  EXPECT_EQ(tree_of("{"), "parse error at line 1, col 2: syntax error: unexpected $end, expecting IDENTIFIER or }");
  EXPECT_EQ(tree_of("{a"),
            "parse error at line 1, col 3: syntax error: unexpected $end, expecting = or != or =~ or !~");
  EXPECT_EQ(tree_of("{a=1}"), "parse error at line 1, col 4: syntax error: unexpected NUMBER, expecting STRING");
  EXPECT_EQ(tree_of(R"({a="b")"), "parse error at line 1, col 7: syntax error: unexpected $end, expecting }");
  EXPECT_EQ(tree_of("{a=\"b\"}\n\n  |= 5"),
            "parse error at line 3, col 6: syntax error: unexpected NUMBER, expecting STRING");
  EXPECT_EQ(tree_of(R"({a="b)"), "parse error at line 1, col 4: literal not terminated");
  EXPECT_EQ(tree_of("{a=`b}"), "parse error at line 1, col 4: literal not terminated");
  EXPECT_EQ(tree_of(R"({a="\q"})"), "parse error at line 1, col 4: invalid char escape");
  EXPECT_EQ(tree_of(R"({a="\ud800"})"), "parse error at line 1, col 4: invalid char escape");
  EXPECT_EQ(tree_of("{a=~\"(\"}"),
            "parse error at line 1, col 5: error parsing regexp: regular expression '(': missing ): (");
  EXPECT_EQ(tree_of(R"({a="b"} | x)"),
            "parse error at line 1, col 12: syntax error: unexpected $end, expecting a comparison");
  EXPECT_EQ(tree_of(R"({a="b"} | x =~ 5)"),
            "parse error at line 1, col 16: syntax error: unexpected NUMBER, expecting STRING");
  EXPECT_EQ(tree_of(R"({a="b"} | x > "5")"),
            "parse error at line 1, col 13: syntax error: unexpected >, expecting = or != or =~ or !~");
  EXPECT_EQ(tree_of(R"({a="b"} | x > 5q)"),
            "parse error at line 1, col 15: not a valid number, duration or size: \"5q\"");
  EXPECT_EQ(tree_of(R"({a="b"} & x)"), "parse error at line 1, col 9: syntax error: unexpected character");
  EXPECT_EQ(tree_of(R"(rate({a="b"}))"), "parse error at line 1, col 13: syntax error: unexpected ), expecting [");
  EXPECT_EQ(tree_of(R"(rate({a="b"}[5]))"),
            "parse error at line 1, col 14: syntax error: unexpected NUMBER, expecting DURATION");
  EXPECT_EQ(tree_of(R"(rate({a="b"}[0s]))"), "parse error at line 1, col 14: a duration must be greater than 0");
  EXPECT_EQ(tree_of(R"(rate({a="b"}[1s]) by (x))"),
            "parse error at line 1, col 19: grouping not allowed for rate aggregation");
  EXPECT_EQ(tree_of(R"(topk(rate({a="b"}[1s])))"),
            "parse error at line 1, col 6: parameter required for operation topk");
  EXPECT_EQ(tree_of(R"(topk(0, rate({a="b"}[1s])))"),
            "parse error at line 1, col 6: invalid parameter topk: it must be a whole number greater than 0");
  EXPECT_EQ(tree_of("sum(1)"),
            "parse error at line 1, col 6: syntax error: unexpected ), expecting an expression of series");
  EXPECT_EQ(tree_of("nothing(1)"), "parse error at line 1, col 1: syntax error: unexpected IDENTIFIER");
  EXPECT_EQ(tree_of("1 1"), "parse error at line 1, col 3: syntax error: unexpected NUMBER");
  EXPECT_EQ(tree_of("1e999"), "parse error at line 1, col 1: syntax error: a number is out of range");
  EXPECT_TRUE(
      tree_of(R"({a=~".*",b!="c"})").starts_with("parse error : queries require at least one regexp or equality "));
  EXPECT_TRUE(tree_of("{}").starts_with("parse error : queries require"));
}

// What Loki has and varve does not is named.
TEST(LogqlParser, Unsupported) {
  const auto stage = [](std::string_view text) { return tree_of(R"({a="b"} )" + std::string(text)); };
  for (const std::string name :
       {"regexp", "pattern", "unpack", "line_format", "label_format", "decolorize", "unwrap"}) {
    EXPECT_EQ(stage("| " + name + " x"),
              "unsupported: parse error at line 1, col 11: the stage '" + name + "' is not supported");
  }
  EXPECT_EQ(stage("|> `<_>`"), "unsupported: parse error at line 1, col 9: the line filter '|>' is not supported");
  EXPECT_EQ(stage("|= ip(`1.2.3.4`)"),
            "unsupported: parse error at line 1, col 12: the line filter ip() is not supported");
  EXPECT_EQ(stage("| x = ip(`1.2.3.4`)"),
            "unsupported: parse error at line 1, col 15: the label filter ip() is not supported");
  EXPECT_EQ(stage("| json x=`y`"),
            "unsupported: parse error at line 1, col 16: json with expressions is not supported");
  EXPECT_EQ(stage("| logfmt --strict"),
            "unsupported: parse error at line 1, col 18: a flag of logfmt is not supported");
  EXPECT_EQ(stage("| drop x=`y`"),
            "unsupported: parse error at line 1, col 16: drop with a condition is not supported");
  EXPECT_EQ(tree_of("bottomk(1, vector(1))"),
            "unsupported: parse error at line 1, col 1: the function 'bottomk' is not supported");
  EXPECT_EQ(tree_of("vector(1) >= 1"),
            "unsupported: parse error at line 1, col 11: the operator '>=' is not supported");
  EXPECT_EQ(tree_of("vector(1) or vector(2)"),
            "unsupported: parse error at line 1, col 11: the operator 'or' is not supported");
}

TEST(LogqlParser, Bounds) {
  const std::string deep(kDepthMax + 2, '(');
  EXPECT_TRUE(tree_of(deep + "1").contains("operations within each other"));
  std::string sum = "1";
  for (std::size_t i = 0; i < kDepthMax; ++i) sum += "+1";
  EXPECT_TRUE(tree_of(sum).starts_with("((((")) << tree_of(sum);
  EXPECT_TRUE(tree_of(sum + "+1").contains("operations within each other"));
  EXPECT_TRUE(tree_of(R"({a="b"} | )" + std::string(10'000, '(')).contains("too many parentheses"));
  EXPECT_TRUE(tree_of(std::string(131'073, ' ')).contains("input size too long (131073 > 131072)"));
}

TEST(LogqlParser, Selectors) {
  query::Expressions expressions;
  EXPECT_EQ(parse_selector("{}", expressions)->size(), 0U);
  EXPECT_EQ(parse_selector(R"({a="b",c=~".*"})", expressions)->size(), 2U);
  EXPECT_EQ(parse_selector(R"({a="b"} |= "x")", expressions).error().message,
            "parse error at line 1, col 9: syntax error: unexpected |=");
  EXPECT_FALSE(parse_selector("a", expressions));
}

TEST(LogqlUnits, Durations) {
  EXPECT_EQ(duration_ns("1h30m"), 5'400'000'000'000);
  EXPECT_EQ(duration_ns("1.5s"), 1'500'000'000);
  EXPECT_EQ(duration_ns("-2us"), -2000);
  EXPECT_EQ(duration_ns("3µs"), 3000);
  EXPECT_EQ(duration_ns("1y"), 31'536'000'000'000'000);
  EXPECT_EQ(duration_ns("0"), 0);
  for (const auto* bad : {"", "5", "s", "1 s", "1x", "1s1", "--1s", "999y", "1..5s", "-"})
    EXPECT_FALSE(duration_ns(bad)) << bad;
}

// Values of labels, which Loki has read by Go.
TEST(LogqlUnits, DurationsOfGo) {
  EXPECT_EQ(go_duration_ns("1h30m"), 5'400'000'000'000);
  EXPECT_EQ(go_duration_ns("+2s"), 2'000'000'000);
  EXPECT_EQ(go_duration_ns("-.5s"), -500'000'000);
  EXPECT_EQ(go_duration_ns("+0"), 0);
  for (const auto* bad : {"", "5", "+", "+-1s", "2d", "1w", "1y", "1h2d", "1e3s", "abc"}) {
    EXPECT_FALSE(go_duration_ns(bad)) << bad;
  }
}

TEST(LogqlUnits, Sizes) {
  EXPECT_EQ(bytes_of("42"), 42);
  EXPECT_EQ(bytes_of("42B"), 42);
  EXPECT_EQ(bytes_of("1.5 kB"), 1500);
  EXPECT_EQ(bytes_of("1KiB"), 1024);
  EXPECT_EQ(bytes_of("2mb"), 2e6);
  EXPECT_EQ(bytes_of("1GiB"), 1073741824);
  for (const auto* bad : {"", "kB", "1XB", "1 k B", "-1B", "1Kii"}) EXPECT_FALSE(bytes_of(bad)) << bad;
}

}  // namespace
}  // namespace varve::language::logql
