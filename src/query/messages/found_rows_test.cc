// SPDX-License-Identifier: Apache-2.0
#include "query/messages/found_rows.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "query/testing/parts_store.h"

namespace varve::query {
namespace {

using testing::PartsStore;

class FoundRowsTest : public ::testing::Test {
 protected:
  using Texts = std::vector<std::string>;

  std::unique_ptr<message::RowSource> found() {
    auto rows = found_rows(store_, search_, [this]() -> Status {
      ++checks_;
      return fails_ ? fail(Code::cancelled, "nobody waits") : Status{};
    });
    EXPECT_TRUE(rows);
    return std::move(*rows);
  }
  // The next ones, at most so many.
  static Texts take(message::RowSource& rows, std::size_t most = 1'000'000) {
    Texts out;
    while (out.size() < most) {
      const auto row = rows.next();
      if (!row) {
        out.push_back("error: " + row.error().message);
        break;
      }
      if (!*row) break;
      out.emplace_back((*row)->cell(message::Column::text)->text);
    }
    return out;
  }
  void has(std::string_view part) {
    search_.condition =
        message::Condition::of(*message::make_term(message::Column::text, "", message::Op::contains, part));
  }

  PartsStore store_;
  MessageSearch search_{"t", 0, 1000, {}, false};
  int checks_ = 0;
  bool fails_ = false;
};

TEST_F(FoundRowsTest, RowsAndBlocksAreOneOrder) {
  store_.add({{10, "a", 1}, {30, "c", 2}, {30, "d", 3}}, true);
  store_.add({{40, "e", 7}, {20, "b", 4}});
  store_.add({{30, "d2", 5}, {900, "z", 6}}, true);
  EXPECT_EQ(take(*found()), (Texts{"a", "b", "c", "d", "d2", "e", "z"}));
  search_.newest_first = true;
  EXPECT_EQ(take(*found()), (Texts{"z", "e", "d2", "d", "c", "b", "a"}));
}

TEST_F(FoundRowsTest, BothEndsBelongToTheRangeInRowsAndInBlocks) {
  store_.add({{10, "a", 1}, {20, "b", 2}, {30, "c", 3}, {40, "d", 4}}, true);
  store_.add({{10, "A", 5}, {20, "B", 6}, {30, "C", 7}, {40, "D", 8}});
  search_.first_us = 20;
  search_.last_us = 30;
  EXPECT_EQ(take(*found()), (Texts{"b", "B", "c", "C"}));
  search_.first_us = search_.last_us = 25;
  EXPECT_EQ(take(*found()), Texts{});
}

TEST_F(FoundRowsTest, TheConditionHoldsInRowsAndInBlocks) {
  store_.add({{10, "hay", 1}, {20, "needle 1", 2}, {30, "hay", 3}}, true);
  store_.add({{15, "needle 2", 4}, {25, "hay", 5}});
  has("needle");
  EXPECT_EQ(take(*found()), (Texts{"needle 2", "needle 1"}));
  has("nothing");
  EXPECT_EQ(take(*found()), Texts{});
}

TEST_F(FoundRowsTest, NothingIsReadBeforeItIsTaken) {
  for (std::int64_t i = 0; i < 50; ++i) store_.add({{i * 10, std::to_string(i), 0}});
  const auto rows = found();
  EXPECT_EQ(store_.reads, 0);
  EXPECT_EQ(take(*rows, 2), (Texts{"0", "1"}));
  EXPECT_LE(store_.reads, 3);
  EXPECT_EQ(take(*rows, 1), Texts{"2"});
  EXPECT_LE(store_.reads, 4);
}

TEST_F(FoundRowsTest, WhatIsStoredLaterIsNotFound) {
  store_.add({{10, "before", 1}});
  const auto rows = found();
  store_.add({{5, "earlier", 2}, {20, "later", 3}});
  EXPECT_EQ(take(*rows), Texts{"before"});
  EXPECT_EQ(take(*rows), Texts{});
}

TEST_F(FoundRowsTest, TheSearchAndTheCheckAreHeld) {
  store_.add({{10, "a needle", 1}, {20, "hay", 2}});
  has("needle");
  const auto rows = found();
  has("hay");
  search_.last_us = 5;
  EXPECT_EQ(take(*rows), Texts{"a needle"});
}

TEST_F(FoundRowsTest, OfGivenPartsOnly) {
  store_.add({{10, "a", 1}});
  store_.add({{20, "b", 2}}, true);
  store_.add({{30, "c", 3}});
  auto parts = store_.message_parts("t", 0, 20);
  EXPECT_EQ(take(*found_in_parts(std::move(*parts), search_, [] { return Status{}; })), (Texts{"a", "b"}));
  EXPECT_EQ(take(*found_in_parts({}, search_, [] { return Status{}; })), Texts{});
}

TEST_F(FoundRowsTest, ItIsAskedWhetherToGoOn) {
  store_.add({{10, "a", 1}});
  store_.add({{20, "b", 2}}, true);
  auto rows = found();
  EXPECT_EQ(take(*rows, 1), Texts{"a"});
  EXPECT_GE(checks_, 1);
  fails_ = true;
  EXPECT_EQ(take(*rows), Texts{"error: nobody waits"});

  fails_ = false;  // also within a part: one of so many rows takes time
  std::vector<PartsStore::Message> many;
  for (std::int64_t i = 0; i < 20'000; ++i) many.push_back({100, "x", static_cast<std::uint64_t>(i)});
  store_.add(many);
  checks_ = 0;
  EXPECT_EQ(take(*found()).size(), 20'002U);
  EXPECT_GE(checks_, 3 + 20'000 / 4096);
}

TEST_F(FoundRowsTest, APartThatCannotBeReadIsTheErrorOnceItIsDue) {
  store_.add({{10, "a", 1}}, true);
  store_.add({{20, "b", 2}});
  store_.fails = true;
  EXPECT_EQ(take(*found()), (Texts{"a", "error: damaged"}));
}

}  // namespace
}  // namespace varve::query
