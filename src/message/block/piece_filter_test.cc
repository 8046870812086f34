// SPDX-License-Identifier: Apache-2.0
#include "message/block/piece_filter.h"

#include <gtest/gtest.h>

#include "message/block/format.h"
#include "message/block/template.h"
#include "message/block/text_writer.h"

namespace varve::message::block {
namespace {

// May a text that is alone in its frame have the pieces of the term?
bool may_fulfil(std::string_view text, Op op, std::string_view value) {
  Splitter splitter;
  EXPECT_TRUE(splitter.split(text));
  FrameWriter writer;
  for (const std::string_view variable : splitter.variables()) {
    WordColumn column;
    column.add(variable);
    writer.add_column(column);
  }
  Packer packer;
  Bytes bytes;
  writer.finish(packer, bytes);
  const std::string pattern(splitter.pattern());
  Frame frame;
  EXPECT_TRUE(frame.read(Cursor(bytes.view()), std::vector<FrameRun>{{kFirstTemplate, 1, pattern}}));
  const Term term = *make_term(Column::text, "", op, value);
  const Literals literals = literals_of(term);
  std::string buffer;
  return PieceFilter(literals.pieces, pattern).may_have_all(frame, 0, buffer);
}

TEST(PieceFilter, VariablesRuleTextsOut) {
  struct Case {
    const char* text;
    Op op;
    const char* value;
    bool may;
  };
  const std::vector<Case> cases{
      {"took 1234 ms", Op::contains, "took 12", true},         // a number begins with the piece's last word
      {"took 1234 ms", Op::contains, "took 13", false},        //
      {"took 1234 ms", Op::contains, "34 ms", true},           // ends with its first
      {"took 1234 ms", Op::contains, "24 ms", false},          //
      {"took 1234 ms", Op::contains, "23", true},              // has its only one
      {"took 1234 ms", Op::contains, "32", false},             //
      {"took 1234 ms", Op::contains, " 1234 ", true},          // is it
      {"took 1234 ms", Op::contains, " 123 ", false},          //
      {"took 0012 ms", Op::contains, "took 001", true},        // zeros in front
      {"took 0012 ms", Op::contains, "took 12", false},        //
      {"id 00ffee: ok", Op::contains, "ff", true},             // hexadecimal
      {"id 00ffee: ok", Op::contains, "id 00fa", false},       //
      {"id a1-Z9: ok", Op::contains, "Z9: o", true},           // a text
      {"id a1-Z9: ok", Op::contains, "Z8: o", false},          //
      {"1.5 and 2.5", Op::contains, "2.5", true},              // any of several spots
      {"1.5 and 2.5", Op::contains, "1.6", false},             //
      {"1 2 3 4 5 6 7 8 9 10", Op::contains, "77", true},      // of very many nothing is said
      {"took 1234 ms", Op::prefix, "took 12", true},           //
      {"took 1234 ms", Op::prefix, "took 2", false},           //
      {"took 1234 ms", Op::equal, "took 1234 ms", true},       //
      {"took 1234 ms", Op::equal, "took 123 ms", false},       //
      {"took 1234 ms", Op::regex, ".*took 1[0-9]+ ms", true},  //
      {"took 1234 ms", Op::regex, ".*took 2[0-9]+ ms", false},
      {"took 1234 ms", Op::regex, "took|2", true},
      {"took 1234 ms", Op::word, "1235", true},  // has no pieces
  };
  for (const Case& one : cases) EXPECT_EQ(may_fulfil(one.text, one.op, one.value), one.may) << one.text << one.value;
}

}  // namespace
}  // namespace varve::message::block
