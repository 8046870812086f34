// SPDX-License-Identifier: Apache-2.0
#include "api/esmond/points.h"

#include <gtest/gtest.h>

#include <string>

namespace varve::api::esmond {
namespace {

std::string read(const std::string& body) {
  const std::string padded = body + std::string(64, '\0');
  const auto points = read_points(std::string_view(padded).substr(0, body.size()));
  if (!points) return "error";
  std::string out;
  for (const PostedPoint& point : *points) {
    out += (out.empty() ? "" : " ") + std::to_string(point.at) + ":";
    const bool is_long = point.value.type == model::ValueType::long_;
    out += is_long ? std::to_string(point.value.bits) : std::to_string(point.value.as_double());
  }
  return out;
}

TEST(EsmondPoints, Read) {
  const std::pair<const char*, const char*> cases[] = {
      {"[]", ""},
      {R"([{"ts":1343956814000,"val":281577000}])", "1343956814000:281577000"},
      {R"([{"val":0,"ts":0},{"ts":30000,"val":1.5}])", "0:0 30000:1.500000"},
      {R"([{"ts":"30000","val":"7"}])", "30000:7"},
      {R"([{"ts":30000.9,"val":18446744073709551615}])", "30000:18446744073709551615"},
      {R"([{"ts":1.5e3,"val":18446744073709551616}])", "1500:18446744073709551616.000000"},
      {R"([{"ts":1,"val":-5}])", "1:-5.000000"},
      {R"([{"ts":1,"val":5,"more":null}])", "1:5"},
      {"{}", "error"},
      {"[", "error"},
      {"[1]", "error"},
      {R"([{"ts":1}])", "error"},
      {R"([{"val":1}])", "error"},
      {R"([{"ts":1,"val":1},{"ts":"x","val":1}])", "error"},
      {R"([{"ts":1,"val":null}])", "error"},
      {R"([{"ts":1,"val":true}])", "error"},
      {R"([{"ts":1,"val":"nan"}])", "error"},
      {R"([{"ts":1,"val":1e400}])", "error"},
      {R"([{"ts":1e300,"val":1}])", "error"},
  };
  for (const auto& [body, wanted] : cases) EXPECT_EQ(read(body), wanted) << body;
}

}  // namespace
}  // namespace varve::api::esmond
