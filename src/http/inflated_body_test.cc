// SPDX-License-Identifier: Apache-2.0
#include "http/inflated_body.h"

#include <gtest/gtest.h>

#include <vector>

namespace varve::http {
namespace {

using codec::Coding;

std::string packed(std::string_view text, const std::vector<Coding>& codings) {
  std::string out(text);
  for (const Coding coding : codings) {
    std::string coded;
    EXPECT_TRUE(codec::compress(coding, out, coded));
    out = std::move(coded);
  }
  return out;
}

TEST(InflatedBodyTest, UndoesTheLastCodingFirst) {
  const auto ledger = std::make_shared<MemoryLedger>(std::size_t{64} << 20);
  InflatedBody body(ledger);
  const std::string text(10'000, 'x');
  for (const std::vector<Coding>& codings : {std::vector{Coding::gzip}, {Coding::zstd, Coding::gzip}}) {
    const std::string raw = packed(text, codings);
    EXPECT_EQ(body.unpack_small(codings, raw, 10'000).value(), text);
    EXPECT_GE(ledger->held(), 10'000U);
    body.clear();
    EXPECT_EQ(ledger->held(), 0U);
    EXPECT_EQ(body.unpack(codings, raw, 20'000).value(), text);
    EXPECT_GE(ledger->held(), 10'000U);
    body.clear();
  }
  EXPECT_EQ(ledger->held(), 0U);
}

TEST(InflatedBodyTest, Errors) {
  const auto ledger = std::make_shared<MemoryLedger>(std::size_t{8} << 20);
  InflatedBody body(ledger);
  const std::vector codings{Coding::gzip};
  const std::string raw = packed(std::string(std::size_t{7} << 20, 'x'), codings);
  EXPECT_EQ(body.unpack_small(codings, raw, 10'000).error().code, Code::too_large);
  EXPECT_EQ(body.unpack(codings, raw, std::size_t{1} << 20).error().code, Code::too_large);
  EXPECT_EQ(body.unpack(codings, raw, std::size_t{7} << 20).error().code, Code::unavailable);
  EXPECT_EQ(body.unpack(codings, "text", 10'000).error().code, Code::invalid);
  body.clear();
  EXPECT_EQ(ledger->held(), 0U);
}

}  // namespace
}  // namespace varve::http
