// SPDX-License-Identifier: Apache-2.0
#include "language/promql/print.h"

#include <gtest/gtest.h>

#include <string>

#include "base/testing/effort.h"
#include "language/promql/parser.h"
#include "language/testing/promql_random.h"
#include "language/testing/promql_text.h"

namespace varve::language::promql {
namespace {

std::string printed(std::string_view text) {
  const auto tree = parse(text);
  return tree ? one_line(**tree) : tree.error().message;
}

TEST(PromqlPrint, OneLine) {
  EXPECT_EQ(printed("1000000"), "1e+06");
  EXPECT_EQ(printed("123456"), "123456");
  EXPECT_EQ(printed("0.0001"), "0.0001");
  EXPECT_EQ(printed("0.00001"), "1e-05");
  EXPECT_EQ(printed("- 0x10"), "-16");
  EXPECT_EQ(printed("Inf"), "+Inf");
  EXPECT_EQ(printed("-60m"), "-1h");
  EXPECT_EQ(printed("-0s"), "-0");
  EXPECT_EQ(printed("'a\"\\n\\x00\\u00ad\xc3\xa4\\xff'"), "\"a\\\"\\n\\x00\\u00ad\xc3\xa4\\xff\"");
  EXPECT_EQ(printed("m{}"), "m");
  EXPECT_EQ(printed("m{ b = 'c', a!~`d`}"), "m{a!~\"d\",b=\"c\"}");
  EXPECT_EQ(printed("{__name__='m'}"), "{__name__=\"m\"}");
  EXPECT_EQ(printed("{'a b', 'c.d'='e'}"), "{\"c.d\"=\"e\",__name__=\"a b\"}");
  EXPECT_EQ(printed("m[300]offset 60@1.5"), "m[5m] @ 1.500 offset 1m");
  EXPECT_EQ(printed("m [ 5m ] anchored @ end( ) offset -1s"), "m[5m] anchored @ end() offset -1s");
  EXPECT_EQ(printed("m @ -0.001"), "m @ -0.001");
  EXPECT_EQ(printed("m[ 5m*2 : max( step(),-(1) ) ]"), "m[5m * 2:max(step(), -(1))]");
  EXPECT_EQ(printed("m offset (( -2^2 ))"), "m offset (-2 ^ 2)");
  EXPECT_EQ(printed("sum(m)by(a,\"b.c\")"), "sum by (a, \"b.c\") (m)");
  EXPECT_EQ(printed("sum by () (m)"), "sum(m)");
  EXPECT_EQ(printed("topk without()(5,m)"), "topk without () (5, m)");
  EXPECT_EQ(printed("a==bool on(x)group_left b"), "a == bool on (x) group_left () b");
  EXPECT_EQ(printed("a*ignoring()group_right(y)b"), "a * ignoring () group_right (y) b");
  EXPECT_EQ(printed("a and ignoring() b"), "a and b");
  EXPECT_EQ(printed("a AND on() b"), "a and on () b");
  EXPECT_EQ(printed("((a))+-(b)"), "((a)) + -(b)");
  EXPECT_EQ(printed("rate(m[5m])keep_metric_names default 0"), "rate(m[5m]) keep_metric_names default 0");
}

TEST(PromqlPrint, Pretty) {
  const auto split = [](std::string_view text) {
    const auto tree = parse(text);
    return tree ? pretty(**tree) : tree.error().message;
  };
  EXPECT_EQ(split("sum( rate(m[5m]))by(a)"), "sum by (a) (rate(m[5m]))");
  const std::string long_selector =
      "a_metric_with_a_long_name{first_label=\"value of the first label\",second_label=\"value\"}";
  // A selector is not split, however long it is.
  const std::string longer = "the_prefix_of_" + long_selector + "[5m] offset 1h";
  EXPECT_GT(longer.size(), kLineBytesMax);
  EXPECT_EQ(split(longer), longer);
  EXPECT_EQ(split("sum by(a)(" + long_selector + ")"), "sum by (a) (" + long_selector + ")");
  EXPECT_EQ(split("topk by(a)(5, rate(" + long_selector + "[5m]))"),
            "topk by (a) (\n"
            "  5,\n"
            "  rate(" +
                long_selector +
                "[5m])\n"
                ")");
  EXPECT_EQ(split("-(" + long_selector + " / on(a) group_left " + long_selector + ") > 1"),
            "  -(\n"
            "      " +
                long_selector +
                "\n"
                "    / on (a) group_left ()\n"
                "      " +
                long_selector +
                "\n"
                "  )\n"
                ">\n"
                "  1");
  EXPECT_EQ(split("max_over_time(deriv(" + long_selector + "[5m:10s])[1h:1m] offset 1d)"),
            "max_over_time(\n"
            "  deriv(\n"
            "    " +
                long_selector +
                "[5m:10s]\n"
                "  )[1h:1m] offset 1d\n"
                ")");
}

TEST(PromqlPrint, RandomTreesComeBack) {
  for (int i = 0; i < varve::testing::effort(20'000); ++i) {
    testing::RandomPromql random(static_cast<std::uint64_t>(i));
    const auto tree = random.any(1 + i % 5);
    const std::string text = one_line(*tree);
    const auto again = parse(text);
    ASSERT_TRUE(again) << i << ": " << text << "\n" << again.error().message;
    EXPECT_EQ(testing::text_of(**again), testing::text_of(*tree)) << i << ": " << text;
    const auto from_lines = parse(pretty(*tree));
    ASSERT_TRUE(from_lines) << pretty(*tree);
    EXPECT_EQ(one_line(**from_lines), text);
  }
}

}  // namespace
}  // namespace varve::language::promql
