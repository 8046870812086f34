// SPDX-License-Identifier: Apache-2.0
#include "language/analytics/value.h"

#include <gtest/gtest.h>

#include <limits>

#include "protocol/json/tree.h"

namespace varve::language::analytics {
namespace {

using Form = Value::Form;
using namespace std::string_view_literals;

std::string json_of(const Value& value) {
  std::string out;
  append_value(out, value);
  EXPECT_TRUE(protocol::json::check_strict(out)) << out;
  return out;
}

std::string key_of(const Value& value) {
  std::string out;
  append_sort_key(out, value);
  return out;
}

TEST(AnalyticsValue, Json) {
  const std::vector<std::string_view> names{"a:\"1\"", "b:2"}, none;
  EXPECT_EQ(json_of({}), "null");
  EXPECT_EQ(json_of(Value::of(std::numeric_limits<std::int64_t>::min())), "-9223372036854775808");
  EXPECT_EQ(json_of(Value::of("vm11&>")), "\"vm11&>\"");
  EXPECT_EQ(json_of(Value::of("")), "\"\"");
  EXPECT_EQ(json_of(Value::of("a\xff\"\x01")), "\"a\xef\xbf\xbd\\\"\\u0001\"");
  EXPECT_EQ(json_of(Value::of("10.0.0.1", Form::address)), "\"10.0.0.1\"");
  EXPECT_EQ(json_of({Form::names, 0, {}, &names}), R"(["a:\"1\"","b:2"])");
  EXPECT_EQ(json_of({Form::names, 0, {}, &none}), "[]");
  for (const auto* number : {"0", "-1", "0.5", "1e3", "-12.25E-7", "123456789012345678901234567890"}) {
    EXPECT_EQ(json_of(Value::of(number, Form::digits)), number);
  }
  for (const auto* json : {"true", "false", "[1,{\"a\":null}]", "{}"}) {
    EXPECT_EQ(json_of(Value::of(json, Form::json)), json);
  }
}

// One stored value cannot break an answer.
TEST(AnalyticsValue, WhatIsNoJsonIsText) {
  for (const auto* number : {"", "-", "01", "1.", ".5", "1e", "1e+", "+1", "NaN", "1 ", "0x1"}) {
    EXPECT_EQ(json_of(Value::of(number, Form::digits)), "\"" + std::string(number) + "\"");
  }
  for (const auto* json : {"", "[1", "]", "True", "1,2"}) {
    EXPECT_EQ(json_of(Value::of(json, Form::json)), "\"" + std::string(json) + "\"");
  }
}

TEST(AnalyticsValue, SortKeys) {
  const std::vector<std::string_view> none, a{"a"}, ab{"a", "b"}, aa{"aa"}, b{"b"};
  const auto names = [](const std::vector<std::string_view>& list) { return Value{Form::names, 0, {}, &list}; };
  const auto digits = [](std::string_view text) { return Value::of(text, Form::digits); };
  const auto address = [](std::string_view text) { return Value::of(text, Form::address); };
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  const std::vector<std::vector<Value>> ascending{
      {Value(), Value::of(-5), Value::of(3), Value::of(20), Value::of("")},
      {Value::of(-kMax - 1), Value::of(-kMax), Value::of(-1), Value::of(std::int64_t{0}), Value::of(kMax - 1),
       Value::of(kMax)},
      {digits("-1e999"), digits("-1e20"), digits("-2.5"), digits("-2"), digits("-0.0"), digits("0.25"), digits("3"),
       digits("9007199254740992"), digits("9007199254740993"), digits("9223372036854775807"), digits("1e20"),
       Value::of("1")},
      {Value::of(""), Value::of("\0"sv), Value::of("\0\0"sv), Value::of("\0\1"sv), Value::of("A"), Value::of("AB"),
       Value::of("a"), Value::of("a\0"sv), Value::of("a\1"), Value::of("ab"), Value::of("b"), Value::of("\xff")},
      {Value(), address("9.1.1.1"), address("10.0.0.1"), address("10.0.0.9"), address("10.0.0.10"),
       address("255.255.255.255"), address("1.2.3"), address("256.1.1.1"), address("fe80::1")},
      {names(none), names(a), names(ab), names(aa), names(b)},
  };
  for (const auto& list : ascending) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      for (std::size_t k = 0; k < list.size(); ++k) {
        EXPECT_EQ(key_of(list[i]) + "\xff" < key_of(list[k]) + "\x01", i < k) << i << " " << k;
        EXPECT_EQ(key_of(list[i]) == key_of(list[k]), i == k) << i << " " << k;
      }
    }
  }
  EXPECT_EQ(key_of(digits("2.0")), key_of(Value::of(2)));
  EXPECT_EQ(key_of(digits("-0.0")), key_of(Value::of(std::int64_t{0})));
}

}  // namespace
}  // namespace varve::language::analytics
