// SPDX-License-Identifier: Apache-2.0
// Blocks once written are read for ever: testdata/golden/ has a block of each version, with something of everything, as
// its sections (each behind its length as u32), and the rows that it was made of.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <sstream>

#include "message/block/block.h"
#include "message/block/testing/messages.h"
#include "message/id.h"
#include "message/matches.h"

namespace varve::message::block {
namespace {

std::string contents(const std::string& name) {
  std::ifstream file(std::string(VARVE_SOURCE_DIR) + "/testdata/golden/" + name, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return std::move(bytes).str();
}

Result<Block> opened(const std::string& name) {
  const std::string bytes = contents(name);
  std::vector<std::string> sections;
  for (std::size_t at = 0; at + 4 <= bytes.size();) {
    const std::size_t size = load_le<std::uint32_t>(bytes.data() + at);
    sections.push_back(bytes.substr(at + 4, size));
    at += 4 + size;
  }
  return Block::open(std::make_shared<testing::MemorySections>(std::move(sections)));
}

// With its id as a cell, as builds before stored it where it is computed.
void append_spelled(std::string& out, RowView row) {
  Batch batch;
  Builder builder(batch);
  builder.start();
  if (has_lasting_id(row)) builder.set_id(id_of(row));
  CellReader cells = row.reader();
  Status status;
  for (Cell cell; status && cells.next(cell);) {
    if (cell.column == Column::object) {
      status = builder.add_object(cell.text);
    } else if (cell.column == Column::field) {
      status = builder.add_field(cell.name, cell.form, cell.text);
    } else if (is_integer(cell.column)) {
      builder.set(cell.column, cell.number);
    } else if (cell.column != Column::id) {
      status = builder.set(cell.column, cell.text);
    }
  }
  EXPECT_TRUE(status);
  builder.finish(row.time_us(), row.nanos());
  set_arrival(batch.last(), row.arrival());
  out.append(reinterpret_cast<const char*>(batch.bytes().data()), batch.bytes().size());
}

class Golden : public ::testing::TestWithParam<const char*> {};

TEST_P(Golden, GivesTheRowsThatItWasMadeOf) {
  const std::string version = GetParam();
  const std::string wanted = contents(version + ".rows");
  ASSERT_FALSE(wanted.empty());
  auto block = opened(version + ".sections");
  ASSERT_TRUE(block) << block.error().message;
  std::vector<std::uint32_t> all(block->messages());
  std::iota(all.begin(), all.end(), 0U);
  Batch out;
  ASSERT_TRUE(block->rows(all, out));
  std::string got;
  for (const auto* at = out.bytes().data(); at != out.bytes().data() + out.bytes().size(); at += RowView{at}.bytes()) {
    append_spelled(got, RowView{at});
  }
  EXPECT_TRUE(got == wanted);
  // The filter, too: words that are variables, and others.
  for (const char* const word : {"alpha", "web07", "a1b2", "12345678901234567890", "accepted", "dead", "nowhere1"}) {
    const Condition condition = Condition::of(*make_term(Column::text, "", Op::word, word));
    const auto found = block->find(condition);
    ASSERT_TRUE(found);
    std::size_t count = 0;
    for (const auto* at = out.bytes().data(); at != out.bytes().data() + out.bytes().size();
         at += RowView{at}.bytes()) {
      count += matches(condition, RowView{at}) ? 1U : 0U;
    }
    EXPECT_EQ(found->count(), count) << word;
  }
}

INSTANTIATE_TEST_SUITE_P(Block, Golden, ::testing::Values("version1", "version2"));

}  // namespace
}  // namespace varve::message::block
