// SPDX-License-Identifier: Apache-2.0
#include "query/expression.h"

#include <gtest/gtest.h>

#include <string>

namespace varve::query {
namespace {

std::string refusal(const Status& status) { return status ? "" : status.error().message; }

TEST(Expressions, one_that_is_none_as_a_part_of_another_one_is_refused) {
  Expressions expressions;
  EXPECT_TRUE(expressions.check("a|b"));
  EXPECT_FALSE(expressions.check("x)|(b"));
  EXPECT_FALSE(expressions.check("\\Qa"));
}

TEST(Expressions, their_number_is_bounded) {
  Expressions expressions;
  for (std::size_t i = 0; i < Expressions::kCountMax; ++i) ASSERT_TRUE(expressions.check("a"));
  EXPECT_NE(refusal(expressions.check("a")).find("100 regular expressions"), std::string::npos);
}

TEST(Expressions, their_length_together_is_bounded) {
  Expressions expressions;
  EXPECT_TRUE(expressions.count(std::string(Expressions::kBytesMax - 1, 'a')));
  EXPECT_TRUE(expressions.count("a"));
  EXPECT_NE(refusal(expressions.count("a")).find("16384 bytes"), std::string::npos);
}

TEST(Expressions, the_size_of_their_programs_together_is_bounded) {
  Expressions expressions;
  Result<Regex> compiled = expressions.compile("(?i)\\pL{5}");
  std::size_t count = 1;
  for (; compiled && count < Expressions::kCountMax; ++count) compiled = expressions.compile("(?i)\\pL{5}");
  ASSERT_FALSE(compiled);
  EXPECT_LT(count, 20U);
  EXPECT_NE(compiled.error().message.find("65536 instructions"), std::string::npos);
  EXPECT_FALSE(Expressions().compile(std::string(Expressions::kCompiledBytesMax + 1, 'a')));
}

TEST(Expressions, a_matcher_has_its_expression_compiled) {
  const auto matcher = *Expressions().matcher("host", index::Matcher::Kind::regex, "a+");
  EXPECT_EQ(matcher.values, std::vector<std::string>{"a+"});
  ASSERT_TRUE(matcher.regex);
  EXPECT_TRUE(matcher.regex->matches("aa"));
}

}  // namespace
}  // namespace varve::query
