// SPDX-License-Identifier: Apache-2.0
// Counts are those of a walk over all messages.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/testing/effort.h"
#include "message/block/block.h"
#include "message/block/encode.h"
#include "message/block/testing/messages.h"

namespace varve::message::block {
namespace {

using Counts = std::vector<std::pair<std::string, std::size_t>>;

std::string shown(const Cell& cell) {
  return is_integer(cell.column) ? std::to_string(cell.number) : std::string(cell.text);
}

Counts by_rows(const std::vector<RowView>& rows, Column column, std::string_view field, const Bitmap* among) {
  std::map<std::string, std::size_t> counts;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (among != nullptr && !among->test(i)) continue;
    std::set<std::string> terms;
    CellReader cells = rows[i].reader();
    for (Cell cell; cells.next(cell);) {
      if (cell.column == column && cell.name == field) terms.insert(shown(cell));
    }
    for (const auto& term : terms) ++counts[term];
  }
  Counts sorted(counts.begin(), counts.end());
  if (is_integer(column)) std::ranges::sort(sorted, {}, [](const auto& c) { return std::stoll(c.first); });
  return sorted;
}

std::vector<std::string> names_of(const std::vector<RowView>& rows) {
  std::set<std::string> names;
  for (const RowView row : rows) {
    CellReader cells = row.reader();
    for (Cell cell; cells.next(cell);) {
      if (cell.column == Column::field) names.emplace(cell.name);
    }
  }
  return {names.begin(), names.end()};
}

void expect_counts(const std::vector<RowView>& rows, std::mt19937_64& random) {
  auto encoded = encode_block(rows);
  ASSERT_TRUE(encoded);
  auto block = Block::open(std::make_shared<testing::MemorySections>(std::move(encoded->sections)));
  ASSERT_TRUE(block);
  const auto names = names_of(rows);
  EXPECT_EQ(block->field_names().value(), names);
  Bitmap some(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) some.set_if(i, random() % 3 == 0);
  const auto expect = [&](Column column, const std::string& field) {
    for (const Bitmap* const among : {static_cast<const Bitmap*>(nullptr), static_cast<const Bitmap*>(&some)}) {
      const auto counted = block->counts(column, field, among);
      ASSERT_TRUE(counted) << counted.error().message;
      Counts got;
      for (const auto& c : *counted) got.emplace_back(c.term, c.messages);
      EXPECT_EQ(got, by_rows(rows, column, field, among)) << static_cast<int>(column) << " " << field;
    }
  };
  for (std::size_t c = 0; c <= facet_of(Column::object); ++c) expect(static_cast<Column>(c), "");
  for (const std::string& name : names) expect(Column::field, name);
  expect(Column::field, "of no message");
  for (const std::string_view prefix : {"", "VN", "VN:a", "w", "\xff", "none"}) {
    for (const Column column : {Column::object, Column::source}) {
      std::vector<std::string> wanted;
      for (const auto& [term, count] : by_rows(rows, column, "", nullptr)) {
        if (term.starts_with(prefix)) wanted.push_back(term);
      }
      EXPECT_EQ(block->terms(column, prefix).value(), wanted) << prefix;
    }
  }
}

TEST(Counts, RandomMessages) {
  std::mt19937_64 random(9);
  for (int blocks = 0; blocks < varve::testing::effort(40); ++blocks) {
    Batch batch;
    for (std::size_t i = 0, count = 1 + random() % 500; i < count; ++i) testing::add_random_message(random, 7, batch);
    auto rows = testing::rows_of(batch);
    std::ranges::stable_sort(rows, {}, [](RowView r) { return r.nanos(); });
    expect_counts(rows, random);
    if (HasFailure()) return;
  }
}

TEST(Counts, MessagesOfASite) {
  std::mt19937_64 random(9);
  Batch batch;
  testing::SiteMessages(4).make(5000, 1'700'000'000'000'000, 3'600'000'000, batch);
  expect_counts(testing::rows_of(batch), random);
}

TEST(Counts, AreReadFromTables) {
  Batch batch;
  testing::SiteMessages(4).make(30'000, 1'700'000'000'000'000, 3'600'000'000, batch);
  auto encoded = encode_block(testing::rows_of(batch));
  std::size_t bytes = 0;
  for (const std::string& section : encoded->sections) bytes += section.size();
  auto sections = std::make_shared<testing::MemorySections>(std::move(encoded->sections));
  auto block = Block::open(sections);
  for (const Column column : {Column::type, Column::module, Column::level}) EXPECT_TRUE(block->counts(column));
  EXPECT_LT(sections->bytes, bytes / 20);
}

}  // namespace
}  // namespace varve::message::block
