// SPDX-License-Identifier: Apache-2.0
#include "api/analytics/purge.h"

#include <gtest/gtest.h>

#include <string>

namespace varve::api {
namespace {

std::string shown_purge(std::string_view body) {
  const auto input = read_purge(body, 1'000'000'000);
  if (!input) return input.error().message;
  return std::to_string(input->percent) + "% " + std::to_string(input->before_us);
}

TEST(PurgeInput, PercentOrTime) {
  EXPECT_EQ(shown_purge(R"({"purge_input":1})"), "1% 0");
  EXPECT_EQ(shown_purge(R"({"purge_input":100})"), "100% 0");
  EXPECT_EQ(shown_purge(R"({"purge_input":"50"})"), "50% 0");
  EXPECT_EQ(shown_purge(R"({"purge_input":1488491800401440})"), "0% 1488491800401440");
  EXPECT_EQ(shown_purge(R"({"purge_input":"now-10s"})"), "0% 990000000");
}

TEST(PurgeInput, NothingElse) {
  for (const char* const body :
       {"", "{", "[]", "{}", R"({"purge_input":null})", R"({"purge_input":0})", R"({"purge_input":-1})",
        R"({"purge_input":1.5})", R"({"purge_input":true})", R"({"purge_input":[1]})", R"({"purge_input":"soon"})",
        R"({"purge_input":""})", R"({"purge_input":1,"more":2})", R"({"purge_input":1,"purge_input":2})"}) {
    const auto input = read_purge(body, 1'000'000'000);
    ASSERT_FALSE(input) << body;
    EXPECT_EQ(input.error().code, Code::invalid) << body;
  }
}

}  // namespace
}  // namespace varve::api
