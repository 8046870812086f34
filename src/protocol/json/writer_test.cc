// SPDX-License-Identifier: Apache-2.0
#include "protocol/json/writer.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <utility>
#include <vector>

namespace varve::protocol::json {
namespace {

using Tags = std::vector<std::pair<std::string, std::string>>;

std::string written(const std::function<void(Writer&)>& write) {
  std::string out;
  Writer json(out);
  write(json);
  return out;
}

TEST(Writer, Values) {
  EXPECT_EQ(written([](Writer& json) { json.value("a\"b"); }), R"("a\"b")");
  EXPECT_EQ(written([](Writer& json) { json.value(std::string("\n")); }), R"("\u000a")");
  EXPECT_EQ(written([](Writer& json) { json.value(true); }), "true");
  EXPECT_EQ(written([](Writer& json) { json.value(false); }), "false");
  EXPECT_EQ(written([](Writer& json) { json.value(-7); }), "-7");
  EXPECT_EQ(written([](Writer& json) { json.value(std::uint8_t{7}); }), "7");
  EXPECT_EQ(written([](Writer& json) { json.value(std::numeric_limits<std::int64_t>::min()); }),
            "-9223372036854775808");
  EXPECT_EQ(written([](Writer& json) { json.value(std::numeric_limits<std::uint64_t>::max()); }),
            "18446744073709551615");
  EXPECT_EQ(written([](Writer& json) { json.value(0.5); }), "0.5");
  EXPECT_EQ(written([](Writer& json) { json.value(std::numeric_limits<double>::infinity()); }), "null");
  EXPECT_EQ(written([](Writer& json) { json.null(); }), "null");
  EXPECT_EQ(written([](Writer& json) { json.raw("[1, 2]"); }), "[1, 2]");
}

TEST(Writer, ArraysAndObjects) {
  EXPECT_EQ(written([](Writer& json) { json.begin_array().end_array(); }), "[]");
  EXPECT_EQ(written([](Writer& json) { json.begin_object().end_object(); }), "{}");
  EXPECT_EQ(written([](Writer& json) { json.begin_array().value(1).value("a").null().raw("{}").end_array(); }),
            R"([1,"a",null,{}])");
  EXPECT_EQ(written([](Writer& json) { json.begin_object().member("a", 1).member("b", "c").end_object(); }),
            R"({"a":1,"b":"c"})");
  EXPECT_EQ(written([](Writer& json) { json.begin_object().key("\"").null().end_object(); }), R"({"\"":null})");
  EXPECT_EQ(written([](Writer& json) { json.begin_array().begin_array().end_array().begin_array().end_array(); }),
            "[[],[]");
  EXPECT_EQ(
      written([](Writer& json) { json.begin_object().key("a").begin_array().value(1).end_array().member("b", 2); }),
      R"({"a":[1],"b":2)");
  EXPECT_EQ(written([](Writer& json) { json.array(std::vector<std::string>{}); }), "[]");
  EXPECT_EQ(written([](Writer& json) { json.array(std::vector<std::string>{"a", "b"}); }), R"(["a","b"])");
  EXPECT_EQ(written([](Writer& json) { json.object(Tags{}); }), "{}");
  EXPECT_EQ(written([](Writer& json) { json.object(Tags{{"a", "b"}, {"c", "d"}}); }), R"({"a":"b","c":"d"})");
  EXPECT_EQ(written([](Writer& json) { json.begin_object().key("t").object(Tags{{"a", "b"}}).member("c", 1); }),
            R"({"t":{"a":"b"},"c":1)");
}

TEST(Writer, GoesOnBehindAValue) {
  std::string out;
  Writer::behind_value(out).value(1).value(2);
  Writer::behind_value(out, false).value(3);
  EXPECT_EQ(out, ",1,23");
}

}  // namespace
}  // namespace varve::protocol::json
