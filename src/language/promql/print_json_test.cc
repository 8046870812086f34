// SPDX-License-Identifier: Apache-2.0
#include "language/promql/print_json.h"

#include <gtest/gtest.h>

#include <string>

#include "language/promql/parser.h"

namespace varve::language::promql {
namespace {

std::string tree_json(std::string_view text) {
  const auto tree = parse(text);
  if (!tree) return tree.error().message;
  std::string out;
  protocol::json::Writer json(out);
  write_tree(json, **tree);
  return out;
}

// {"type":"vectorSelector",…} of a name alone.
std::string plain(const std::string& name) {
  return R"({"type":"vectorSelector","name":")" + name +
         R"(","offset":0,"offsetExpr":null,"timestamp":null,"startOrEnd":null,"matchers":[{"name":"__name__","value":")" +
         name + R"(","type":"="}],"anchored":false,"smoothed":false})";
}

TEST(PromqlPrintJson, Literals) {
  EXPECT_EQ(tree_json("1e3"), R"({"type":"numberLiteral","val":"1000"})");
  EXPECT_EQ(tree_json("-0.00001"), R"({"type":"numberLiteral","val":"-0.00001"})");
  EXPECT_EQ(tree_json("Inf"), R"({"type":"numberLiteral","val":"+Inf"})");
  EXPECT_EQ(tree_json("NaN"), R"({"type":"numberLiteral","val":"NaN"})");
  EXPECT_EQ(tree_json("1e22"), R"({"type":"numberLiteral","val":"10000000000000000000000"})");
  EXPECT_EQ(tree_json("5e-324").size(), std::string(R"({"type":"numberLiteral","val":""})").size() + 326);
  EXPECT_EQ(tree_json("'a\"b'"), R"({"type":"stringLiteral","val":"a\"b"})");
}

TEST(PromqlPrintJson, Selectors) {
  EXPECT_EQ(tree_json("m"), plain("m"));
  const std::string all = tree_json("m{a='b',c!~'d.*'}[5m] smoothed offset -1m @ 1.5");
  for (const char* part :
       {R"({"type":"matrixSelector","range":300000,"rangeExpr":null,"name":"m","offset":-60000,"offsetExpr":null,)",
        R"("timestamp":1500,"startOrEnd":null,)", R"({"name":"a","value":"b","type":"="})",
        R"({"name":"c","value":"d.*","type":"!~"})", R"("anchored":false,"smoothed":true})"}) {
    EXPECT_TRUE(all.contains(part)) << all;
  }
  EXPECT_TRUE(tree_json("m @ start()").contains(R"("timestamp":null,"startOrEnd":"start")"));
  EXPECT_TRUE(tree_json("m @ end()").contains(R"("timestamp":null,"startOrEnd":"end")"));
  EXPECT_EQ(tree_json("m[1h:5m] offset 1s"),
            R"({"type":"subquery","expr":)" + plain("m") +
                R"(,"range":3600000,"rangeExpr":null,"step":300000,"stepExpr":null,"offset":1000,"offsetExpr":null,)"
                R"("timestamp":null,"startOrEnd":null})");
  EXPECT_TRUE(tree_json("m[1h:]").contains(R"("range":3600000,"rangeExpr":null,"step":0,"stepExpr":null)"));
}

TEST(PromqlPrintJson, ArithmeticOfDurations) {
  const auto range = [](std::string_view text) {
    const std::string all = tree_json(text), name = R"("rangeExpr":)";
    const std::size_t from = all.find(name) + name.size();
    return all.substr(from, all.find(R"(,"name")") - from);
  };
  const std::string step = R"({"type":"durationExpr","op":"step","lhs":null,"rhs":null,"wrapped":false})";
  EXPECT_EQ(range("a[step()]"), step);
  EXPECT_EQ(range("a[2*step()]"),
            R"({"type":"durationExpr","op":"*","lhs":{"type":"numberLiteral","val":"2","duration":false},"rhs":)" +
                step + R"(,"wrapped":false})");
  EXPECT_EQ(range("a[(5m)]"), R"({"type":"durationExpr","op":"+","lhs":null,)"
                              R"("rhs":{"type":"numberLiteral","val":"300","duration":true},"wrapped":true})");
  EXPECT_TRUE(tree_json("a[5m+1]").contains(R"("range":0,"rangeExpr":{)"));
  EXPECT_TRUE(tree_json("a offset -step()")
                  .contains(R"("offset":0,"offsetExpr":{"type":"durationExpr","op":"-","lhs":null,"rhs":)" + step));
}

TEST(PromqlPrintJson, Operators) {
  EXPECT_EQ(tree_json("-(m)"),
            R"({"type":"unaryExpr","op":"-","expr":{"type":"parenExpr","expr":)" + plain("m") + "}}");
  EXPECT_EQ(tree_json("m > bool 1"), R"({"type":"binaryExpr","op":">","lhs":)" + plain("m") +
                                         R"(,"rhs":{"type":"numberLiteral","val":"1"},"matching":null,"bool":true})");
  const auto matching = [](std::string_view text) {
    const std::string all = tree_json(text);
    const std::size_t at = all.find("\"matching\":");
    return at == std::string::npos ? all : all.substr(at);
  };
  EXPECT_EQ(
      matching("a+b"),
      R"("matching":{"card":"one-to-one","labels":[],"on":false,"include":[],"fillValues":{"lhs":null,"rhs":null}},"bool":false})");
  EXPECT_EQ(
      matching("a*on(c)group_left(d)b"),
      R"("matching":{"card":"many-to-one","labels":["c"],"on":true,"include":["d"],"fillValues":{"lhs":null,"rhs":null}},"bool":false})");
  EXPECT_EQ(
      matching("a*ignoring(c)group_right b"),
      R"("matching":{"card":"one-to-many","labels":["c"],"on":false,"include":[],"fillValues":{"lhs":null,"rhs":null}},"bool":false})");
  EXPECT_EQ(
      matching("a and b"),
      R"("matching":{"card":"many-to-many","labels":[],"on":false,"include":[],"fillValues":{"lhs":null,"rhs":null}},"bool":false})");
}

TEST(PromqlPrintJson, AggregationsAndCalls) {
  EXPECT_EQ(tree_json("sum without(a)(m)"), R"({"type":"aggregation","op":"sum","expr":)" + plain("m") +
                                                R"(,"param":null,"grouping":["a"],"without":true})");
  EXPECT_EQ(tree_json("topk(3,m)"),
            R"({"type":"aggregation","op":"topk","expr":)" + plain("m") +
                R"(,"param":{"type":"numberLiteral","val":"3"},"grouping":[],"without":false})");
  EXPECT_EQ(
      tree_json("abs(m)"),
      R"({"type":"call","func":{"name":"abs","argTypes":["vector"],"variadic":0,"returnType":"vector"},"args":[)" +
          plain("m") + "]}");
  const auto function = [](std::string_view text) {
    const std::string all = tree_json(text);
    return all.substr(0, all.find("},\"args\""));
  };
  EXPECT_TRUE(function("round(m)").ends_with(R"("argTypes":["vector","scalar"],"variadic":1,"returnType":"vector")"));
  EXPECT_TRUE(function("hour()").ends_with(R"("argTypes":["vector"],"variadic":1,"returnType":"vector")"));
  EXPECT_TRUE(function("time()").ends_with(R"("argTypes":[],"variadic":0,"returnType":"scalar")"));
  EXPECT_TRUE(
      function("label_join(m,'a','b','c','d')")
          .ends_with(R"("argTypes":["vector","string","string","string"],"variadic":-1,"returnType":"vector")"));
}

}  // namespace
}  // namespace varve::language::promql
