// SPDX-License-Identifier: Apache-2.0
// One line a case: a query that is refused, where, and why. Prometheus says the same.
#include "language/promql/check.h"

#include <gtest/gtest.h>

#include <string>

#include "language/promql/parser.h"

namespace varve::language::promql {
namespace {

std::string error_of(std::string_view text) {
  const auto tree = parse(text, {.strict = true});
  if (tree) return "none";
  EXPECT_EQ(tree.error().code, Code::invalid);
  const std::string& message = tree.error().message;
  const auto place = message.find(": parse error: ");
  return place == std::string::npos ? message : message.substr(0, place) + " " + message.substr(place + 15);
}

TEST(PromqlErrors, Ends) {
  EXPECT_EQ(error_of(""), "unknown position no expression found in input");
  EXPECT_EQ(error_of(" # only"), "1:1 no expression found in input");
  EXPECT_EQ(error_of("m +"), "1:4 unexpected end of input");
  EXPECT_EQ(error_of("m == bool"), "1:10 unexpected end of input");
  EXPECT_EQ(error_of("m{"), "1:3 unexpected end of input inside braces");
  EXPECT_EQ(error_of("m[5m"), "1:5 unclosed left bracket");
  EXPECT_EQ(error_of("sum(m"), "1:6 unclosed left parenthesis");
  EXPECT_EQ(error_of("m)"), "1:3 unexpected right parenthesis ')'");
  EXPECT_EQ(error_of("m]"), "1:2 unexpected right bracket ']'");
  EXPECT_EQ(error_of("m}"), "1:2 unexpected right brace '}'");
  EXPECT_EQ(error_of("\"a"), "1:1 unterminated quoted string");
  EXPECT_EQ(error_of("'a\n'"), "1:1 unterminated quoted string");
  EXPECT_EQ(error_of("`a"), "1:1 unterminated raw string");
  EXPECT_EQ(error_of("m offset"),
            "1:9 unexpected end of input in offset, expected number, duration, step(), or range()");
  EXPECT_EQ(error_of("m @ start"), "1:10 unexpected end of input in @, expected timestamp");
}

TEST(PromqlErrors, Characters) {
  EXPECT_EQ(error_of("$__interval"), "1:1 unexpected character: '$'");
  EXPECT_EQ(error_of("m ~ 1"), "1:3 unexpected character: '~'");
  EXPECT_EQ(error_of("m =~ 1"), "1:3 unexpected character after '=': '~'");
  EXPECT_EQ(error_of("m ! 1"), "1:3 unexpected character after '!': ' '");
  EXPECT_EQ(error_of("http.server.duration"), "1:5 unexpected character: '.'");
  EXPECT_EQ(error_of("gr\xc3\xb6\xc3\x9f"
                     "e"),
            "1:3 unexpected character: 'ö'");
  EXPECT_EQ(error_of("a\n  +\n \x01"), "3:2 unexpected character: '\\x01'");
  EXPECT_EQ(error_of("rate(m[$__rate_interval])"), "1:8 unexpected character in duration expression: '$'");
  EXPECT_EQ(error_of("{\"m\", {__name__=\"x\"}}"), "1:7 unexpected left brace '{'");
  EXPECT_EQ(error_of("m{a!b}"), "1:4 unexpected character after '!' inside braces: 'b'");
  EXPECT_EQ(error_of("m{a:b='c'}"), "1:4 unexpected character inside braces: ':'");
  EXPECT_EQ(error_of(R"("\q")"), "1:1 unknown escape sequence 'q'");
  EXPECT_EQ(error_of(R"("\x4")"), "1:1 illegal character in escape sequence");
  EXPECT_EQ(error_of(R"("\ud800")"), "1:1 escape sequence is an invalid Unicode code point");
  EXPECT_EQ(error_of(R"("\400")"), "1:1 escape sequence is an invalid Unicode code point");
}

TEST(PromqlErrors, Numbers) {
  EXPECT_EQ(error_of("m[5x]"), "1:3 bad number or duration syntax: \"5\"");
  EXPECT_EQ(error_of("m offset 1mm"), "1:10 bad number or duration syntax: \"1mm\"");
  EXPECT_EQ(error_of("1abc"), "1:1 bad number or duration syntax: \"1\"");
  EXPECT_EQ(error_of("1__0"), "1:1 bad number or duration syntax: \"1\"");
  EXPECT_EQ(error_of("0x"), "1:1 error parsing number: \"0x\"");
  EXPECT_EQ(error_of("1e999"), "1:1 error parsing number: \"1e999\"");
  EXPECT_EQ(error_of("m[30m1h]"), "1:3 not a valid duration string: \"30m1h\"");
  EXPECT_EQ(error_of("m[1h 30m]"), "1:6 unexpected duration \"30m\" in subquery or range, expected \":\" or \"]\"");
  EXPECT_EQ(error_of("m[0s]"), "1:3 duration must be greater than 0");
  EXPECT_EQ(error_of("m[-5m]"), "1:3 duration must be greater than 0");
  EXPECT_EQ(error_of("m[5m:1m-60]"), "1:6 duration must be greater than 0");
  EXPECT_EQ(error_of("m[5m:1m:1m]"), "1:8 unexpected colon ':'");
  EXPECT_EQ(error_of("m[1/0]"), "1:3 division by zero");
  EXPECT_EQ(error_of("m[1h*1e12]"), "1:3 duration out of range");
  EXPECT_EQ(error_of("m @ Inf"), "1:5 timestamp out of bounds for @ modifier: +Inf");
}

TEST(PromqlErrors, Selectors) {
  EXPECT_EQ(error_of("m{a=}"), "1:5 unexpected \"}\" in label matching, expected string");
  EXPECT_EQ(error_of("m{a=\"1}"), "1:5 unterminated quoted string");
  EXPECT_EQ(error_of("m{,}"), "1:3 unexpected \",\" in label matching, expected identifier or \"}\"");
  EXPECT_EQ(error_of("m{a}"), "1:4 unexpected \"}\" in label matching, expected label matching operator");
  EXPECT_EQ(error_of("m{a='b' c='d'}"), "1:9 unexpected identifier \"c\" in label matching, expected \",\" or \"}\"");
  EXPECT_TRUE(error_of("m{b='c',a=~'('}").starts_with("1:9 error parsing regexp: "));
  const std::string nothing = "vector selector must contain at least one non-empty matcher";
  for (const std::string open : {"{}", "{a=''}", "{a=~'.*'}", "{a!='b'}", "{a!~'b'}", "{a=~'|b'}"}) {
    EXPECT_EQ(error_of(open), "1:1 " + nothing);
    EXPECT_EQ(error_of("sum(" + open + "[5m])"), "1:5 " + nothing);
  }
  EXPECT_EQ(error_of("m{__name__='n'}"), "1:1 metric name must not be set twice: \"m\" or \"n\"");
  EXPECT_EQ(error_of("m{'n'}"), "1:1 metric name must not be set twice: \"m\" or \"n\"");
  for (const std::string word : {"bool", "on", "ignoring", "group_left", "group_right"}) {
    EXPECT_EQ(error_of(word), "1:1 unexpected <" + word + ">");
  }
}

TEST(PromqlErrors, Modifiers) {
  EXPECT_EQ(error_of("m[5m][5m]"), "1:6 ranges only allowed for vector selectors");
  EXPECT_EQ(error_of("(m)[5m]"), "1:4 ranges only allowed for vector selectors");
  EXPECT_EQ(error_of("m offset 1m[5m]"), "1:12 no offset modifiers allowed before range");
  EXPECT_EQ(error_of("m @ 1 [5m]"), "1:7 no @ modifiers allowed before range");
  const std::string after =
      " modifier must be preceded by an instant vector selector or range vector selector or a subquery";
  EXPECT_EQ(error_of("sum(m) offset 5m"), "1:1 offset" + after);
  EXPECT_EQ(error_of("1 + (m) @ 5"), "1:5 @" + after);
  EXPECT_EQ(error_of("m offset 5m offset 5m"), "1:1 offset may not be set multiple times");
  EXPECT_EQ(error_of("m @ 1 @ 2"), "1:1 @ <timestamp> may not be set multiple times");
  EXPECT_EQ(error_of("m @ foo"), "1:5 unexpected identifier \"foo\" in @, expected timestamp");
  EXPECT_EQ(error_of("m anchored"), "1:1 anchored modifier must be preceded by a range selector");
  EXPECT_EQ(error_of("m[5m] anchored smoothed"), "1:1 anchored and smoothed modifiers cannot be set multiple times");
  EXPECT_EQ(error_of("deriv(m[5m] anchored)"),
            "1:7 anchored modifier can only be used with: changes, delta, increase, rate, resets - not with deriv");
  EXPECT_EQ(error_of("resets((m[5m] smoothed))"),
            "1:8 smoothed modifier can only be used with: delta, increase, rate - not with resets");
}

TEST(PromqlErrors, Operators) {
  EXPECT_EQ(error_of("1 and 2"), "1:1 set operator \"and\" not allowed in binary scalar expression");
  EXPECT_EQ(error_of("m or 1"), "1:1 set operator \"or\" not allowed in binary scalar expression");
  EXPECT_EQ(error_of("1 == 2"), "1:3 comparisons between scalars must use BOOL modifier");
  EXPECT_EQ(error_of("1 # <\n < 2"), "2:2 comparisons between scalars must use BOOL modifier");
  EXPECT_EQ(error_of("m + bool m"), "1:3 bool modifier can only be used on comparison operators");
  EXPECT_EQ(error_of("m bool 1"), "1:3 unexpected <bool>");
  EXPECT_EQ(error_of("m m"), "1:3 unexpected identifier \"m\"");
  EXPECT_EQ(error_of("* 1"), "1:1 unexpected <op:*>");
  EXPECT_EQ(error_of("m = 1"), "1:3 unexpected \"=\"");
  EXPECT_EQ(error_of("m 'a long string'"), "1:3 unexpected string \"'a long st\"...");
  EXPECT_EQ(error_of("m[5m] + 1"), "1:1 binary expression must contain only scalar and instant vector types");
  EXPECT_EQ(error_of("1 + 'a'"), "1:5 binary expression must contain only scalar and instant vector types");
  EXPECT_EQ(error_of("-\"a\""),
            "1:1 unary expression only allowed on expressions of type scalar or instant vector, got \"string\"");
  EXPECT_EQ(error_of("m + on(a) 1"), "1:1 vector matching only allowed between instant vectors");
  EXPECT_EQ(error_of("a + on(x) group_left(x) b"), "1:1 label \"x\" must not occur in ON and GROUP clause at once");
  EXPECT_EQ(error_of("a and on(x) group_left b"), "1:1 no grouping allowed for \"and\" operation");
  EXPECT_EQ(error_of("a + group_left b"), "1:5 unexpected <group_left>");
  EXPECT_EQ(error_of("a + on b"), "1:8 unexpected identifier \"b\" in grouping opts, expected \"(\"");
}

TEST(PromqlErrors, Aggregations) {
  EXPECT_EQ(error_of("sum(m[5m])"), "1:5 expected type instant vector in aggregation expression, got range vector");
  EXPECT_EQ(error_of("topk(1, 2)"), "1:9 expected type instant vector in aggregation expression, got scalar");
  EXPECT_EQ(error_of("count_values(1, m)"), "1:14 expected type string in aggregation parameter, got scalar");
  EXPECT_EQ(error_of("topk('a', m)"), "1:6 expected type scalar in aggregation parameter, got string");
  EXPECT_EQ(error_of("topk(m)"), "1:1 wrong number of arguments for aggregate expression provided, expected 2, got 1");
  EXPECT_EQ(error_of("sum()"), "1:1 no arguments for aggregate expression provided");
  EXPECT_EQ(error_of("sum by a (m)"), "1:8 unexpected identifier \"a\" in grouping opts, expected \"(\"");
  EXPECT_EQ(error_of("sum by (a m)"), "1:11 unexpected identifier \"m\" in grouping opts, expected \",\" or \")\"");
  EXPECT_EQ(error_of("sum by (a:b) (m)"), "1:9 unexpected metric identifier \"a:b\" in grouping opts, expected label");
  EXPECT_EQ(error_of("by (a) sum(m)"), "1:4 unexpected \"(\"");
  EXPECT_EQ(error_of("sum(m) by (a) without (a)"), "1:15 unexpected <without>");
}

TEST(PromqlErrors, Calls) {
  EXPECT_EQ(error_of("foo(m)"), "1:1 unknown function with name \"foo\"");
  EXPECT_EQ(error_of("foo(bar(m))"), "1:5 unknown function with name \"bar\"");
  EXPECT_EQ(error_of("rate(m)"), "1:6 expected type range vector in call to function \"rate\", got instant vector");
  EXPECT_EQ(error_of("rate(m[5m], 1)"), "1:1 expected 1 argument(s) in call to \"rate\", got 2");
  EXPECT_EQ(error_of("round()"), "1:1 expected at least 1 argument(s) in call to \"round\", got 0");
  EXPECT_EQ(error_of("hour(m, m)"), "1:1 expected at most 1 argument(s) in call to \"hour\", got 2");
  EXPECT_EQ(error_of("label_join(m, 'a')"), "1:1 expected at least 3 argument(s) in call to \"label_join\", got 2");
  EXPECT_EQ(error_of("label_join(m, 'a', 'b', 'c', 'd', 'e', 5)"),
            "1:40 expected type string in call to function \"label_join\", got scalar");
  EXPECT_EQ(error_of("time(1)"), "1:1 expected 0 argument(s) in call to \"time\", got 1");
  EXPECT_EQ(error_of("histogram_quantile(m, m)"),
            "1:20 expected type scalar in call to function \"histogram_quantile\", got instant vector");
  EXPECT_EQ(error_of("abs(m,)"), "1:6 trailing commas not allowed in function call args");
  EXPECT_EQ(error_of("info(m, n{a='b'})"), "1:9 expected label selectors only, got vector selector instead");
  EXPECT_EQ(error_of("info(m, sum(n))"), "1:9 expected label selectors as the second argument to \"info\" function");
  EXPECT_EQ(error_of("max_over_time(time()[5m:1m])"),
            "1:15 subquery is only allowed on instant vector, got scalar instead");
  EXPECT_EQ(parse("label_set(m, 'a', 'b', 'c')").error().message,
            "1:1: parse error: expected a value behind each label in call to \"label_set\"");
}

}  // namespace
}  // namespace varve::language::promql
