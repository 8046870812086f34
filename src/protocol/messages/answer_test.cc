// SPDX-License-Identifier: Apache-2.0
#include "protocol/messages/answer.h"

#include <gtest/gtest.h>

namespace varve::protocol::messages {
namespace {

TEST(MessagesAnswer, BadLines) {
  Outcome outcome;
  EXPECT_EQ(answer_of(outcome), R"({"accepted":0,"rejected":0,"errors":[]})");
  outcome.accepted = 7;
  outcome.reject(2, {Code::invalid, "level '\"\xff' is wrong"});
  outcome.reject(9, {Code::too_large, "b"});
  EXPECT_EQ(answer_of(outcome),
            "{\"accepted\":7,\"rejected\":2,\"errors\":[{\"line\":2,\"error\":\"level '\\\"\xef\xbf\xbd' is wrong\"},"
            "{\"line\":9,\"error\":\"b\"}]}");
  for (std::size_t i = 0; i < 200; ++i) outcome.reject(i, {Code::invalid, "!"});
  const std::string many = answer_of(outcome);
  EXPECT_TRUE(many.starts_with(R"({"accepted":7,"rejected":202,)"));
  EXPECT_TRUE(many.ends_with(R"({"line":97,"error":"!"}]})"));
}

}  // namespace
}  // namespace varve::protocol::messages
