// SPDX-License-Identifier: Apache-2.0
#include "logs/where.h"

#include <gtest/gtest.h>

namespace varve::logs {
namespace {

// "Source 7 a & Level 5 4 | Keyword 1 timeout"
std::string parsed(std::string_view text) {
  const auto where = parse_where(text);
  if (!where) return "! " + where.error().message;
  std::string out;
  for (const WhereAll& all : *where) {
    if (!out.empty()) out += " | ";
    for (const WhereTerm& term : all) {
      if (&term != &all.front()) out += " & ";
      out += term.name + " " + std::to_string(term.op) + " " + term.value;
      if (!term.value2.empty()) out += ".." + term.value2;
    }
  }
  return out;
}

TEST(Where, Conditions) {
  EXPECT_EQ(parsed("Source=a* AND Level<=4 OR Keyword=timeout"), "Source 7 a & Level 5 4 | Keyword 1 timeout");
  EXPECT_EQ(parsed("a=1"), "a 1 1");
  EXPECT_EQ(parsed("  a = 1 \n and\tb >= 2 or c != x  "), "a 1 1 & b 6 2 | c 2 x");
  EXPECT_EQ(parsed("a~part AND b=~x.*y"), "a 9 part & b 8 x.*y");
  EXPECT_EQ(parsed("status=500<599 AND n!=1<2"), "status 3 500..599 & n 4 1..2");
  EXPECT_EQ(parsed("a=1 OR b=2 OR c=3 AND d=4"), "a 1 1 | b 1 2 | c 1 3 & d 1 4");
}

TEST(Where, Values) {
  EXPECT_EQ(parsed("a=*"), "a 7 ");
  EXPECT_EQ(parsed("a=\"b c*\""), "a 1 b c*");
  EXPECT_EQ(parsed("a=\"b c\"* AND d=1"), "a 7 b c & d 1 1");
  EXPECT_EQ(parsed("a='it\\'s \\\\ \\n'"), "a 1 it's \\ \\n");
  EXPECT_EQ(parsed("a=\"\""), "a 1 ");
  EXPECT_EQ(parsed("a='1<2'"), "a 1 1<2");
  EXPECT_EQ(parsed("a=<2"), "a 1 <2");
  EXPECT_EQ(parsed("a=2<"), "a 1 2<");
  EXPECT_EQ(parsed("a=b=c"), "a 1 b=c");
  EXPECT_EQ(parsed("a=AND AND OR=or"), "a 1 AND & OR 1 or");
  EXPECT_EQ(parsed("'odd = name'=x"), "odd = name 1 x");
  EXPECT_EQ(parsed("sd@1.x-y:z=\xc3\xbc"), "sd@1.x-y:z 1 \xc3\xbc");
  EXPECT_EQ(parsed("a<=b*"), "a 5 b*");
  EXPECT_EQ(parsed("a=~b*"), "a 8 b*");
}

TEST(Where, WhatIsWrong) {
  const auto says = [](std::string_view text, std::string_view what) {
    const std::string got = parsed(text);
    EXPECT_TRUE(got.starts_with("! ") && got.find(what) != std::string::npos) << text << ": " << got;
  };
  says("", "is missing at character 1");
  says("a", "one of = != <= >= ~ =~ is expected at character 2");
  says("=b", "a name is missing");
  says("a=", "a value is missing");
  says("a=b c=d", "AND or OR is expected, not \"c=d\"");
  says("a=b AND", "such as Source=a is missing at character 8");
  says("a=b XOR c=d", "not \"XOR\"");
  says("a='b", "a quote is not closed");
  says("(a=b)", "no parentheses");
  says("a<4", "there is no <; write <=");
  says("a>4", "there is no >; write >=");
  says("a!=b*", "with = only");
  says("a=\"b\"c", "AND or OR");
}

TEST(Where, OfFlags) {
  EXPECT_EQ(term_of_flag("Source", "node*"), (WhereTerm{"Source", 7, "node", ""}));
  EXPECT_EQ(term_of_flag("Source", "a b<c"), (WhereTerm{"Source", 1, "a b<c", ""}));
}

}  // namespace
}  // namespace varve::logs
