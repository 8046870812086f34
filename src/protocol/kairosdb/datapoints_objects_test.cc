// SPDX-License-Identifier: Apache-2.0
// Complex numbers and histograms in a put, and as JSON again.
#include <gtest/gtest.h>

#include <random>

#include "protocol/kairosdb/datapoints_text.h"
#include "protocol/kairosdb/values.h"
#include "protocol/testing/damage.h"

namespace varve::protocol::kairosdb {
namespace {

TEST(DatapointsOfObjects, ComplexNumbers) {
  const std::string bad = "! metric[0](name=m).value is not a complex number: ";
  const struct {
    const char* value;
    std::string want;
  } cases[] = {
      {R"({"real":1.5,"imaginary":-2})", "m{h=a} 1 1.5 -2.0i"},
      {R"({"imaginary":"-2","other":[{}],"real":1e3})", "m{h=a} 1 1000.0 -2.0i"},
      {R"({real=1;imaginary:0.1})", "m{h=a} 1 1.0 0.1i"},
      {R"({"real":1,"real":2,"imaginary":0})", "m{h=a} 1 2.0 0.0i"},
      {R"({"real":1})", bad + "'imaginary' is missing"},
      {R"({})", bad + "'real' is missing"},
      {R"({"real":null,"imaginary":0})", bad + "'real' must be a number"},
      {R"({"real":1,"imaginary":"i"})", bad + "'imaginary' must be a number"},
      {R"({"real":1e999,"imaginary":0})", bad + "'real' must be a number"},
      {"5", bad + "it must be an object"},
      {"[1,2]", bad + "it must be an object"},
      {"\"x\"", bad + "it must be an object"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(of_m("\"type\":\"complex\",\"timestamp\":1,\"value\":" + std::string(c.value)), c.want) << c.value;
    EXPECT_EQ(of_m("\"timestamp\":1,\"value\":" + std::string(c.value) + ",\"type\":\"complex\""), c.want) << c.value;
  }
  EXPECT_EQ(points(R"([[1,{"real":1,"imaginary":2},"complex"],[2,3]])"), "m{h=a} 1 1.0 2.0i | m{h=a} 2 3");
  EXPECT_EQ(points(R"([[1,{"real":1},"complex"]])"),
            "! metric[0](name=m).datapoints[0].value is not a complex number: 'imaginary' is missing");
  EXPECT_EQ(points(R"([[1,null,"complex"]])"), "! metric[0](name=m).datapoints[0].value may not be empty.");
}

TEST(DatapointsOfObjects, Histograms) {
  const std::string bad = "! metric[0](name=m).value is not a histogram: ";
  const struct {
    const char* value;
    std::string want;
  } cases[] = {
      {R"({"bins":{"1.0":3,"2.0":1},"min":1.0,"max":2.0,"mean":1.25,"sum":5.0,"precision":7})",
       "m{h=a} 1 p7 [1.0*3 2.0*1] 1.0 2.0 1.25 5.0"},
      {R"({"sum":5,"mean":1.25,"max":2,"min":1,"precision":null,"bins":{"2":1.0,"1":"3"},"more":{"x":[1]}})",
       "m{h=a} 1 p7 [1.0*3 2.0*1] 1.0 2.0 1.25 5.0"},
      {R"({"bins":{"257":8589934588,"256":1,"-1e-3":2,"0.1":0},"min":0,"max":0,"mean":0,"sum":0})",
       "m{h=a} 1 p7 [-0.00099945068359375*2 0.099609375*0 256.0*8589934589] 0.0 0.0 0.0 0.0"},
      {R"({"bins":{"257":1,"256":1},"min":0,"max":0,"mean":0,"sum":0,"precision":52})",
       "m{h=a} 1 p52 [256.0*1 257.0*1] 0.0 0.0 0.0 0.0"},
      {R"({"bins":{},"min":0,"max":0,"mean":0,"sum":0})", "m{h=a} 1 p7 [] 0.0 0.0 0.0 0.0"},
      {R"({"min":0,"max":0,"mean":0,"sum":0})", bad + "'bins' is missing"},
      {R"({"bins":[],"min":0,"max":0,"mean":0,"sum":0})", bad + "'bins' must be an object"},
      {R"({"bins":{},"min":0,"max":0,"mean":0})", bad + "'sum' is missing"},
      {R"({"bins":{},"min":"x","max":0,"mean":0,"sum":0})", bad + "'min' must be a number"},
      {R"({"bins":{"x":1},"min":0,"max":0,"mean":0,"sum":0})", bad + "the bin 'x' is not a number"},
      {R"({"bins":{"Infinity":1},"min":0,"max":0,"mean":0,"sum":0})", bad + "the bin 'Infinity' is not a number"},
      {R"({"bins":{"1":-1},"min":0,"max":0,"mean":0,"sum":0})", bad + "the count of bin '1' must be a number from 0"},
      {R"({"bins":{"1":1e30},"min":0,"max":0,"mean":0,"sum":0})", bad + "the count of bin '1' must be a number from 0"},
      {R"({"bins":{},"min":0,"max":0,"mean":0,"sum":0,"precision":53})", bad + "'precision' must be from 0 to 52"},
      {"1.5", bad + "it must be an object"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(of_m("\"type\":\"histogram\",\"timestamp\":1,\"value\":" + std::string(c.value)), c.want) << c.value;
  }
}

TEST(DatapointsOfObjects, BothWaysAgreeOnDamage) {
  std::mt19937 random(12);
  const std::string objects =
      R"([{"name":"c","datapoints":[[1,{"real":1,"imaginary":2},"complex"],[2,{"bins":{"1.0":3,"2e3":1},"min":1,)"
      R"("max":2,"mean":1.25,"sum":5,"precision":7},"histogram"]],"tags":{"host":"a"}}])";
  for (int i = 0; i < 2000; ++i) parsed(testing::damaged(objects, random));
}

// The JSON that the value of a put is answered as.
std::string answered(std::string_view type, const std::string& value) {
  testing::FakeGroups groups;
  model::RowBatch batch;
  const std::string body = padded("{\"name\":\"m\",\"tags\":{\"h\":\"a\"},\"timestamp\":1,\"type\":\"" +
                                  std::string(type) + "\",\"value\":" + value + "}");
  EXPECT_TRUE(parse_datapoints({body.data(), body.size() - 64}, groups, batch).none()) << body;
  const model::Value read = model::RowView{batch.bytes().data()}.value(0);
  std::string out;
  append_value(out, read.type, read.text);
  return out;
}

TEST(DatapointsOfObjects, AreAnsweredAsTheyWerePut) {
  for (const char* value : {R"({"real":1.5,"imaginary":-2})", R"({"real":-0.001,"imaginary":1.0E100})"}) {
    EXPECT_EQ(answered("complex", value), value);
  }
  for (
      const char* value :
      {R"({"bins":{"1.0":3,"2.0":1},"min":1,"max":2,"mean":1.25,"sum":5,"precision":7})",
       R"({"bins":{},"min":0,"max":0,"mean":0,"sum":0,"precision":0})",
       R"({"bins":{"-10000000000.0":1,"-0.0":0,"0.0":9223372036854775807,"0.1":2},"min":-10000000000,"max":0.1,"mean":0,"sum":1.5,)"
       R"("precision":52})"}) {
    EXPECT_EQ(answered("histogram", value), value);
  }
  EXPECT_EQ(answered("histogram", R"({"bins":{"257":2,"256.5":1},"min":1,"max":2,"mean":1,"sum":5})"),
            R"({"bins":{"256.0":3},"min":1,"max":2,"mean":1,"sum":5,"precision":7})");
}

TEST(DatapointsOfObjects, ForeignBytesAreNull) {
  for (const auto type : {model::ValueType::complex, model::ValueType::histogram}) {
    std::string out;
    append_value(out, type, "neither");
    EXPECT_EQ(out, "null");
  }
  std::string out;
  append_value(out, model::ValueType::string, "a\"b");
  EXPECT_EQ(out, R"("a\"b")");
}

}  // namespace
}  // namespace varve::protocol::kairosdb
