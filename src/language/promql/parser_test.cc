// SPDX-License-Identifier: Apache-2.0
// One line a case: a query, and its tree.
#include "language/promql/parser.h"

#include <gtest/gtest.h>

#include <string>

#include "language/promql/lexer.h"
#include "language/testing/promql_text.h"

namespace varve::language::promql {
namespace {

std::string tree_of(std::string_view text) {
  const auto tree = parse(text);
  return tree ? testing::text_of(**tree) : tree.error().message;
}

TEST(PromqlParser, Literals) {
  EXPECT_EQ(tree_of("1"), "1");
  EXPECT_EQ(tree_of(" .5e+1 "), "5");
  EXPECT_EQ(tree_of("0x1F"), "31");
  EXPECT_EQ(tree_of("017"), "15");
  EXPECT_EQ(tree_of("089"), "89");
  EXPECT_EQ(tree_of("1_000_0"), "10000");
  EXPECT_EQ(tree_of("1e-999"), "0");
  EXPECT_EQ(tree_of("5m"), "300s");
  EXPECT_EQ(tree_of("1h30m5s2ms"), "5405.002s");
  EXPECT_EQ(tree_of("-iNf"), "-Inf");
  EXPECT_EQ(tree_of("NAN"), "NaN");
  EXPECT_EQ(tree_of("+-1"), "-1");
  EXPECT_EQ(tree_of(R"("a\tb\x41\101\u00e4\U0001F600\"")"), "'a\tbAAä😀\"'");
  EXPECT_EQ(tree_of(R"('a"\'')"), "'a\"''");
  EXPECT_EQ(tree_of("`a\\n\n'\"`"), "'a\\n\n'\"'");
}

TEST(PromqlParser, Selectors) {
  EXPECT_EQ(tree_of("m"), "m{__name__='m'}");
  EXPECT_EQ(tree_of("a:b:c"), "a:b:c{__name__='a:b:c'}");
  EXPECT_EQ(tree_of(":a"), ":a{__name__=':a'}");
  EXPECT_EQ(tree_of("m{}"), "m{__name__='m'}");
  EXPECT_EQ(tree_of("m { a = 'b' , c!=`d` ,e=~'f',g!~\"h\", }"), "m{a='b',c!='d',e=~'f',g!~'h',__name__='m'}");
  EXPECT_EQ(tree_of("{__name__=~'a.*'}"), "{__name__=~'a.*'}");
  EXPECT_EQ(tree_of(R"({"a b", "c.d"="e"})"), "{__name__='a b',c.d='e'}");
  EXPECT_EQ(tree_of(R"({"a b", "a b"})"), "{__name__='a b',__name__='a b'}");
  EXPECT_EQ(tree_of("{on='a', sum='b', offset='c', inf='d'}"), "{on='a',sum='b',offset='c',inf='d'}");
  EXPECT_EQ(tree_of("m # what it is\n{ # and\n a='#' }"), "m{a='#',__name__='m'}");
  EXPECT_EQ(tree_of("m{a=''}"), "m{a='',__name__='m'}");
  // Words that are something else in other places.
  for (const std::string name : {"sum", "Sum", "by", "without", "offset", "and", "or", "unless", "start", "end", "step",
                                 "range", "anchored", "smoothed", "rate", "default", "limitk"}) {
    EXPECT_EQ(tree_of(name), name + "{__name__='" + name + "'}");
  }
}

TEST(PromqlParser, Modifiers) {
  EXPECT_EQ(tree_of("m offset 5m"), "m{__name__='m'} offset 300000ms");
  EXPECT_EQ(tree_of("m OFFSET -1h30m"), "m{__name__='m'} offset -5400000ms");
  EXPECT_EQ(tree_of("m offset 1.5"), "m{__name__='m'} offset 1500ms");
  EXPECT_EQ(tree_of("m offset 0 offset 1"), "m{__name__='m'} offset 1000ms");
  EXPECT_EQ(tree_of("m @ 1.5"), "m{__name__='m'} @1500");
  EXPECT_EQ(tree_of("m @ -7 offset 1s"), "m{__name__='m'} offset 1000ms @-7000");
  EXPECT_EQ(tree_of("m offset 1s @ start ( )"), "m{__name__='m'} offset 1000ms @start");
  EXPECT_EQ(tree_of("m[5m] @ end()"), "(range m{__name__='m'} @end 300000ms)");
  EXPECT_EQ(tree_of("m[300] offset 1m"), "(range m{__name__='m'} offset 60000ms 300000ms)");
  EXPECT_EQ(tree_of("offset offset 1s"), "offset{__name__='offset'} offset 1000ms");
  EXPECT_EQ(tree_of("m[5m] smoothed"), "(range m{__name__='m'} smoothed 300000ms)");
  EXPECT_EQ(tree_of("m smoothed offset 1s"), "m{__name__='m'} offset 1000ms smoothed");
  EXPECT_EQ(tree_of("increase(m[5m] anchored)"), "(increase (range m{__name__='m'} anchored 300000ms))");
  EXPECT_EQ(tree_of("m[5m:]"), "(sub m{__name__='m'} 300000ms -)");
  EXPECT_EQ(tree_of("(a)[1h:5m] offset 1s @ 7"), "(sub (a{__name__='a'}) 3600000ms 300000ms offset 1000ms @7000)");
  EXPECT_EQ(tree_of("m offset 1s [5m:]"), "(sub m{__name__='m'} offset 1000ms 300000ms -)");
  EXPECT_EQ(tree_of("rate(m[5m])[5m:1m]"), "(sub (rate (range m{__name__='m'} 300000ms)) 300000ms 60000ms)");
}

TEST(PromqlParser, DurationExpressions) {
  EXPECT_EQ(tree_of("m[5m*2]"), "(range m{__name__='m'} (* 300s 2s)=600000ms)");
  EXPECT_EQ(tree_of("m[2^3^0+1]"), "(range m{__name__='m'} (+ (^ 2s (^ 3s 0s)) 1s)=3000ms)");
  EXPECT_EQ(tree_of("m[-5m+35m]"), "(range m{__name__='m'} (+ -300s 2100s)=1800000ms)");
  EXPECT_EQ(tree_of("m[-2^2+5]"), "(range m{__name__='m'} (+ (neg (^ 2s 2s)) 5s)=1000ms)");
  EXPECT_EQ(tree_of("m[7%4:(9-1)/2]"), "(sub m{__name__='m'} (% 7s 4s)=3000ms (/ (- 9s 1s) 2s)=4000ms)");
  EXPECT_EQ(tree_of("m[step()]"), "(range m{__name__='m'} (step)=0ms)");
  EXPECT_EQ(tree_of("m[max(STEP(), 5s):min(range(),1)]"),
            "(sub m{__name__='m'} (max (step) 5s)=0ms (min (range) 1s)=0ms)");
  // Behind `offset` an operator belongs to the expression around.
  EXPECT_EQ(tree_of("m offset 2 ^ 2"), "(^ m{__name__='m'} offset 2000ms 2)");
  EXPECT_EQ(tree_of("m offset -2 * 2"), "(* m{__name__='m'} offset -2000ms 2)");
  EXPECT_EQ(tree_of("m offset (-2 * 2)"), "m{__name__='m'} offset (* -2s 2s)=-4000ms");
  EXPECT_EQ(tree_of("m offset -(3 - 1)"), "m{__name__='m'} offset (neg (- 3s 1s))=-2000ms");
  EXPECT_EQ(tree_of("m offset -step()*2"), "(* m{__name__='m'} offset (neg (step))=0ms 2)");
  EXPECT_EQ(tree_of("m offset min(step(), 1)"), "m{__name__='m'} offset (min (step) 1s)=0ms");
}

TEST(PromqlParser, Operators) {
  EXPECT_EQ(tree_of("1 + 2 * 3 ^ 4"), "(+ 1 (* 2 (^ 3 4)))");
  EXPECT_EQ(tree_of("1 - 2 - 3"), "(- (- 1 2) 3)");
  EXPECT_EQ(tree_of("2 ^ 3 ^ 4"), "(^ 2 (^ 3 4))");
  EXPECT_EQ(tree_of("2 * 3 % 4 atan2 5 / 6"), "(/ (atan2 (% (* 2 3) 4) 5) 6)");
  EXPECT_EQ(tree_of("-1 ^ 2"), "(neg (^ 1 2))");
  EXPECT_EQ(tree_of("2 ^ -1 * 3"), "(* (^ 2 -1) 3)");
  EXPECT_EQ(tree_of("-1 * 2"), "(* -1 2)");
  EXPECT_EQ(tree_of("(1 + 2) * 3"), "(* ((+ 1 2)) 3)");
  EXPECT_EQ(tree_of("1 < bool 2 == bool 3"), "(== bool (< bool 1 2) 3)");
  const auto plain = [](std::string_view text) {  // without the matchers of names
    std::string out = tree_of(text);
    for (const std::string name : {"a", "b", "c", "d", "e"}) {
      const std::string long_form = name + "{__name__='" + name + "'}";
      for (auto at = out.find(long_form); at != std::string::npos; at = out.find(long_form)) {
        out.replace(at, long_form.size(), name);
      }
    }
    return out;
  };
  EXPECT_EQ(plain("a or b and c unless d or e"), "(or (or a (unless (and b c) d)) e)");
  EXPECT_EQ(plain("a AND b Or c"), "(or (and a b) c)");
  EXPECT_EQ(plain("a and b > 1 + 2"), "(and a (> b (+ 1 2)))");
  EXPECT_EQ(plain("a default b or c default 0"), "(default (default a (or b c)) 0)");
  EXPECT_EQ(plain("-a"), "(neg a)");
  EXPECT_EQ(plain("+a + -b offset 1s"), "(+ (pos a) (neg b offset 1000ms))");
  EXPECT_EQ(plain("a + on(x, \"y.z\",) b"), "(+ on[x,y.z] a b)");
  EXPECT_EQ(plain("a == bool ignoring(x) group_left(y) b"), "(== bool ignoring[x] left[y] a b)");
  EXPECT_EQ(plain("a * on() group_right b"), "(* on[] right[] a b)");
  EXPECT_EQ(plain("a * on(x) group_left (b)"), "1:25: parse error: unexpected end of input");
  EXPECT_EQ(plain("a and on(bool, sum) b"), "(and on[bool,sum] a b)");
  EXPECT_EQ(plain("a </ 5"), "(</ a 5)");
  EXPECT_EQ(plain("a!=b"), "(!= a b)");
}

TEST(PromqlParser, Aggregations) {
  EXPECT_EQ(tree_of("sum(m)"), "(sum m{__name__='m'})");
  EXPECT_EQ(tree_of("SUM by (a,b,) (m)"), "(sum by[a,b] m{__name__='m'})");
  EXPECT_EQ(tree_of("sum(m) without (a)"), "(sum without[a] m{__name__='m'})");
  EXPECT_EQ(tree_of("sum without () (m)"), "(sum without[] m{__name__='m'})");
  EXPECT_EQ(tree_of("sum by (\"a.b\", by, sum) (m)"), "(sum by[a.b,by,sum] m{__name__='m'})");
  EXPECT_EQ(tree_of("topk(5, m) by (a)"), "(topk by[a] 5 m{__name__='m'})");
  EXPECT_EQ(tree_of("count_values('v', m)"), "(count_values 'v' m{__name__='m'})");
  EXPECT_EQ(tree_of("limit_ratio(-0.5, m)"), "(limit_ratio -0.5 m{__name__='m'})");
  EXPECT_EQ(tree_of("sum(sum by (a) (m)) / 2"), "(/ (sum (sum by[a] m{__name__='m'})) 2)");
}

TEST(PromqlParser, Calls) {
  EXPECT_EQ(tree_of("time()"), "(time)");
  EXPECT_EQ(tree_of("round(m)"), "(round m{__name__='m'})");
  EXPECT_EQ(tree_of("round(m, 5)"), "(round m{__name__='m'} 5)");
  EXPECT_EQ(tree_of("label_join(m, 'a', ',')"), "(label_join m{__name__='m'} 'a' ',')");
  EXPECT_EQ(tree_of("info(m, {a=~'.*'})"), "(info m{__name__='m'} {a=~'.*'})");
  EXPECT_EQ(tree_of("rate(m[5m]) keep_metric_names > 1"), "(> (rate keep (range m{__name__='m'} 300000ms)) 1)");
  EXPECT_EQ(tree_of("label_set(m, 'a', 'b', 'c', 'd')"), "(label_set m{__name__='m'} 'a' 'b' 'c' 'd')");
  EXPECT_EQ(tree_of("hour() + timezone_offset('Europe/Oslo') / 3600"),
            "(+ (hour) (/ (timezone_offset 'Europe/Oslo') 3600))");
}

TEST(PromqlParser, TypesAndPlaces) {
  const auto good = parse(" -sum(rate(m{a='b'}[5m]offset 1m)) > bool 1 ");
  ASSERT_TRUE(good) << good.error().message;
  EXPECT_EQ((*good)->type, ValueType::vector);
  EXPECT_EQ((*good)->at.from, 1U);
  EXPECT_EQ((*good)->at.to, 43U);
  const auto& left = *std::get<Binary>((*good)->node).left;
  EXPECT_EQ(left.at.to, 34U);
  const auto& sum = *std::get<Unary>(left.node).inner;
  EXPECT_EQ(sum.at.from, 2U);
  const auto& rate = *std::get<Aggregation>(sum.node).inner;
  const auto& matrix = *std::get<Call>(rate.node).arguments[0];
  EXPECT_EQ(matrix.type, ValueType::matrix);
  EXPECT_EQ(matrix.at.from, 11U);
  EXPECT_EQ(matrix.at.to, 32U);
  EXPECT_EQ((*parse("1 + time()"))->type, ValueType::scalar);
  EXPECT_EQ((*parse("('a')"))->type, ValueType::string);
}

TEST(PromqlParser, ExpressionsAreOverTheWholeValue) {
  const auto tree = parse("m{a=~'b.c|d',e!~'f'}");
  ASSERT_TRUE(tree);
  const auto& matchers = std::get<VectorSelector>((*tree)->node).matchers;
  EXPECT_TRUE(matchers[0].matches("b\nc"));
  EXPECT_FALSE(matchers[0].matches("dd"));
  EXPECT_TRUE(matchers[1].matches("ff"));
  EXPECT_FALSE(matchers[1].matches("f"));
}

TEST(PromqlParser, Strict) {
  const auto strict = [](std::string_view text) { return parse(text, {.strict = true}).error().message; };
  EXPECT_EQ(strict("a default b"), "1:3: parse error: unexpected identifier \"default\"");
  EXPECT_EQ(strict("rate(m[5m]) keep_metric_names"), "1:13: parse error: unexpected identifier \"keep_metric_names\"");
  for (const std::string call :
       {"label_set(m,'a','b')", "label_del(m,'a')", "label_keep(m,'a')", "timezone_offset('Europe/Oslo')"}) {
    EXPECT_EQ(strict(call), "1:1: parse error: unknown function with name \"" + call.substr(0, call.find('(')) + "\"");
  }
}

TEST(PromqlParser, Bounds) {
  const std::string too_deep = "expressions within each other";
  EXPECT_TRUE(tree_of(std::string(100'000, '(') + "1").contains(too_deep));
  EXPECT_TRUE(tree_of(std::string(100'000, '-') + "a").contains(too_deep));
  EXPECT_TRUE(tree_of("m[" + std::string(100'000, '(') + "1").contains(too_deep));
  EXPECT_TRUE(tree_of("m[" + std::string(100'000, '-') + "1").contains(too_deep));
  std::string sum = "a", powers = "1", steps = "1";
  for (std::size_t i = 1; i < kHeightMax; ++i) sum += "+a", powers += "^1", steps += "+1";
  EXPECT_TRUE(parse(sum)) << tree_of(sum);
  EXPECT_TRUE(tree_of(sum + "+a").contains(too_deep));
  EXPECT_TRUE(parse(powers)) << tree_of(powers);
  EXPECT_TRUE(tree_of(powers + "^1").contains(too_deep));
  EXPECT_TRUE(parse("m[" + steps + "]"));
  EXPECT_TRUE(tree_of("m[" + steps + "+1]").contains(too_deep));
  std::string chain = "a";
  for (std::size_t i = 0; i < kHeightMax; ++i) chain += "[1s:]";
  EXPECT_TRUE(tree_of(chain).contains(too_deep));
  EXPECT_TRUE(tree_of(std::string(kQueryBytesMax + 1, ' ')).contains("more than 131072"));
  std::string expressions = "m{";
  for (int i = 0; i < 101; ++i) expressions += "a=~'b',";
  EXPECT_TRUE(tree_of(expressions + "}").contains("error parsing regexp"));
}

TEST(PromqlParser, SelectorsAlone) {
  query::Expressions expressions;
  const auto size = [&](std::string_view text) { return parse_selector(text, expressions)->size(); };
  const auto error = [&](std::string_view text) { return parse_selector(text, expressions).error().message; };
  EXPECT_EQ(size("m"), 1U);
  EXPECT_EQ(size("{}"), 0U);
  EXPECT_EQ(size("m{a='b',c=~'.*'}"), 3U);
  EXPECT_EQ(error("m[5m]"), "1:2: parse error: unexpected \"[\"");
  EXPECT_EQ(error("1"), "1:1: parse error: unexpected number \"1\"");
  EXPECT_EQ(error(""), "unknown position: parse error: unexpected end of input");
  EXPECT_EQ(error("m{__name__='n'}"), "1:1: parse error: metric name must not be set twice: \"m\" or \"n\"");
}

}  // namespace
}  // namespace varve::language::promql
