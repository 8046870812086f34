// SPDX-License-Identifier: Apache-2.0
// Chunks and rows, cut anywhere.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "logs/chunks.h"
#include "logs/row_splitter.h"

namespace varve::logs {
namespace {

std::string unchunked(std::string_view bytes, std::size_t at_once) {
  Chunks chunks;
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += at_once) {
    if (const Status taken = chunks.take(bytes.substr(i, at_once), out); !taken) return "! " + taken.error().message;
  }
  return out + (chunks.ended() ? "." : "…");
}

TEST(Chunks, CutAnywhere) {
  for (std::size_t at_once = 1; at_once < 40; ++at_once) {
    EXPECT_EQ(unchunked("3\r\nabc\r\n00A;x=y\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\nmore", at_once), "abc0123456789.");
    EXPECT_EQ(unchunked("3\nabc\n0\n\n", at_once), "abc.");
    EXPECT_EQ(unchunked("3\r\nab", at_once), "ab…");
    EXPECT_EQ(unchunked("3\r\nabcd\r\n", at_once), "! a chunk is longer than it says");
    EXPECT_EQ(unchunked("x\r\n", at_once), "! a chunk has no size");
    EXPECT_EQ(unchunked("\r\n", at_once), "! a chunk has no size");
    EXPECT_EQ(unchunked("11111111111111111\r\n", at_once), "! a chunk has no size");
  }
  EXPECT_EQ(unchunked(std::string(20'000, '1'), 1000), "! a chunk's line is too long");
}

using Form = RowSplitter::Form;

std::string rows_of(Form form, std::string_view bytes, std::size_t at_once) {
  RowSplitter rows(form);
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += at_once) {
    rows.add(bytes.substr(i, at_once));
    while (const auto row = rows.next()) out += std::string(*row) + "|";
  }
  const Status done = rows.finish();
  return done ? out : out + "! " + done.error().message;
}

TEST(RowSplitter, CutAnywhere) {
  for (std::size_t at_once = 1; at_once < 60; ++at_once) {
    EXPECT_EQ(rows_of(Form::lines, "{\"a\":1}\n{\"b\":\"}\\\"{\",\"c\":[{}]}\n\n", at_once),
              R"({"a":1}|{"b":"}\"{","c":[{}]}|)");
    EXPECT_EQ(rows_of(Form::lines, "", at_once), "");
    EXPECT_EQ(rows_of(Form::list, R"( { "value" : [ {"a":[1]} ,{"b":2}]} )", at_once), R"({"a":[1]}|{"b":2}|)");
    EXPECT_EQ(rows_of(Form::list, R"({"value":[]})", at_once), "");
    EXPECT_EQ(rows_of(Form::list, R"({"value":[{"a":1},)", at_once), "{\"a\":1}|! the answer ends too early");
    EXPECT_EQ(rows_of(Form::lines, "{\"a\":1}\n{\"b\"", at_once), "{\"a\":1}|! the answer ends too early");
    EXPECT_EQ(rows_of(Form::lines, "{}\nx", at_once), "{}|! the answer has something between its rows");
    EXPECT_EQ(rows_of(Form::lines, "[{}]", at_once), "! the answer has something between its rows");
    EXPECT_EQ(rows_of(Form::list, R"({"values":[{}]})", at_once), "! the answer is not a list of rows");
    EXPECT_EQ(rows_of(Form::list, R"({"value":[{}]}{)", at_once), "{}|! the answer has something between its rows");
  }
  EXPECT_EQ(rows_of(Form::list, std::string(200, 'x'), 50), "! the answer is not a list of rows");
}

}  // namespace
}  // namespace varve::logs
