// SPDX-License-Identifier: Apache-2.0
#include "language/analytics/followed_rows.h"

#include <gtest/gtest.h>

namespace varve::language::analytics {
namespace {

TEST(QuestionKey, IsWhatIsAskedOfEachMessage) {
  const std::string key =
      question_key(R"({"table":"T","select_fields":["a","b"],"where":[[{"name":"a","op":1,"value":"x"}]]})");
  for (const auto* same : {
           R"( { "where" : [ [ {"value":"x", "op":1, "name":"a"} ] ], "select_fields":["a","b"], "table":"T" } )",
           R"({"table":"T","select_fields":["a","b"],"where":[[{"name":"a","op":1,"value":"\u0078"}]]})",
           R"({"table":"T","select_fields":["a","b"],"where":[[{"name":"a","op":1,"value":"x"}]],"filter":null})",
           R"({"table":"T","start_time":1,"end_time":"now","limit":5,"follow":true,"select_fields":["a","b"],)"
           R"("where":[[{"name":"a","op":1,"value":"x"}]]})",
       }) {
    EXPECT_EQ(question_key(same), key) << same;
  }
  for (const auto* other : {
           R"({"table":"U","select_fields":["a","b"],"where":[[{"name":"a","op":1,"value":"x"}]]})",
           R"({"table":"T","select_fields":["b","a"],"where":[[{"name":"a","op":1,"value":"x"}]]})",
           R"({"table":"T","select_fields":["a","b"],"where":[[{"name":"a","op":2,"value":"x"}]]})",
           R"({"table":"T","select_fields":["a","b"],"where":[[{"name":"a","op":1,"value":"y"}]]})",
           R"({"table":"T","select_fields":["a","b"],"filter":[[{"name":"a","op":1,"value":"x"}]]})",
           R"({"table":"T","select_fields":["a","b"],"where":[[{"name":"a","op":1,"value":1}]]})",
           R"({"table":"T","select_fields":["a","b"],"where":[[{"name":"limit","op":1,"value":"x"}]]})",
           R"({"table":"T","select_fields":["a","b"]})",
       }) {
    EXPECT_NE(question_key(other), key) << other;
  }
}

}  // namespace
}  // namespace varve::language::analytics
