// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/tables/split_rows.h"

#include <gtest/gtest.h>

#include <map>

#include "engine/cassandra/tables/cell.h"
#include "engine/cassandra/tables/testing/memory_rows.h"

namespace varve::engine::cassandra {
namespace {

constexpr std::size_t kSmallPiece = 10;

class SplitRowsTest : public ::testing::Test {
 protected:
  static constexpr std::int64_t kHourMs = 3'600'000;
  RowWrite row(std::int64_t hour, std::string chunk, std::int64_t version, const std::string& stats = "s") {
    return {&tables.sealed, partition, {timestamp_cell(hour * kHourMs)}, {std::move(chunk), stats}, version, 1000};
  }
  static std::string text(std::size_t bytes, char first = 'a') {
    std::string out;
    for (std::size_t i = 0; i < bytes; ++i) out += static_cast<char>(first + i % 17);
    return out;
  }
  Status put(RowWrite one) { return split.write_now({std::move(one)}); }
  // "hour:chunk " of each row.
  std::string shown(std::vector<std::string> values = {"chunk", "lives"}) {
    const RowRead read{&tables.sealed, partition, {}, {}, std::move(values)};
    std::map<std::int64_t, std::string> found;
    const Status status = split.read({&read, 1}, {}, [&](std::size_t, const RowView& view) -> Status {
      EXPECT_TRUE(found.emplace(*timestamp_of(view.cells[0]) / kHourMs, view.cells[1]).second) << "once";
      return {};
    });
    std::string out = status ? "" : status.error().message;
    for (const auto& [hour, chunk] : found) out += std::to_string(hour) + ":" + chunk + " ";
    return out;
  }
  std::size_t stored() { return rows.size(tables.sealed); }

  ManualClock clock{400'000 * kHourMs};
  Tables tables{SchemaOptions{}};
  testing::MemoryRows rows{clock};
  SplitRows split{rows, kSmallPiece};
  const Cells partition{"t", std::string(16, 'g'), smallint_cell(3), timestamp_cell(0)};
};

TEST_F(SplitRowsTest, WhatIsTooLargeIsSeveralRows) {
  ASSERT_TRUE(split.write_now({row(1, text(10), 5), row(2, text(11), 5), row(3, text(95), 5), row(4, "", 5)}));
  EXPECT_EQ(stored(), 4U + 2 + 10);
  EXPECT_EQ(shown(), "1:" + text(10) + " 2:" + text(11) + " 3:" + text(95) + " 4: ");
  EXPECT_EQ(shown({"lives", "chunk"}), "1:s 2:s 3:s 4:s ");
  const auto before = rows.counts(tables.sealed).reads;
  EXPECT_EQ(shown({"lives"}), "1:s 2:s 3:s 4:s ");
  EXPECT_EQ(rows.counts(tables.sealed).reads, before + 1) << "pieces are read with their chunk alone";
  SplitRows other(rows, 1000);  // which cuts otherwise
  const RowRead read{&tables.sealed, partition, {}, {}, {"chunk"}};
  std::size_t bytes = 0;
  ASSERT_TRUE(other.read({&read, 1}, {}, [&](std::size_t, const RowView& view) -> Status {
    bytes += view.cells[1].size();
    return {};
  }));
  EXPECT_EQ(bytes, 10U + 11 + 95);
  clock.advance_ms(1'001'000);
  EXPECT_EQ(stored(), 0U) << "pieces expire with their row";
}

TEST_F(SplitRowsTest, PiecesOfWhatWasReplacedGo) {
  ASSERT_TRUE(put(row(1, text(40, 'a'), 5)));
  ASSERT_TRUE(put(row(2, text(40, 'c'), 5)));
  EXPECT_EQ(shown(), "1:" + text(40, 'a') + " 2:" + text(40, 'c') + " ");
  ASSERT_TRUE(put(row(1, text(55, 'b'), 6)));
  EXPECT_EQ(stored(), 2U + 6 + 4);
  EXPECT_EQ(shown(), "1:" + text(55, 'b') + " 2:" + text(40, 'c') + " ");
  ASSERT_TRUE(put(row(1, "small", 7)));
  EXPECT_EQ(stored(), 2U + 4);
  EXPECT_EQ(shown(), "1:small 2:" + text(40, 'c') + " ");
  // An earlier version changes nothing, and takes nothing away.
  ASSERT_TRUE(put(row(2, text(30, 'd'), 4)));
  EXPECT_EQ(shown(), "1:small 2:" + text(40, 'c') + " ");
}

// Nobody finds a row of which a part is missing, whenever a process dies.
TEST_F(SplitRowsTest, ARowStandsWhenItsPiecesDo) {
  ASSERT_TRUE(put(row(1, text(40, 'a'), 5)));
  for (std::size_t writes = 0; writes <= 7; ++writes) {  // six pieces, the row, and the old pieces
    const std::string before = shown();
    rows.fail_writes_after(writes);
    EXPECT_FALSE(put(row(1, text(55, 'b'), static_cast<std::int64_t>(6 + writes)))) << writes;
    rows.let_write();
    EXPECT_EQ(shown(), writes < 7 ? before : "1:" + text(55, 'b') + " ") << writes;
  }
}

TEST_F(SplitRowsTest, WhoIsOvertakenReadsAgain) {
  ASSERT_TRUE(put(row(1, text(40, 'a'), 5)));
  std::int64_t version = 5, times = 1;
  rows.before_read([&](const RowRead& read) -> Status {
    if (read.partition == partition || times-- <= 0) return {};
    ++version;
    SplitRows other(rows, kSmallPiece);
    const RowRead all{&tables.sealed, partition, {}, {}, {"chunk"}};
    VARVE_RETURN_IF_ERROR(other.read({&all, 1}, {}, [](std::size_t, const RowView&) { return Status(); }));
    return other.write_now({row(1, text(55, 'b'), version)});
  });
  EXPECT_EQ(shown(), "1:" + text(55, 'b') + " ");
  EXPECT_LT(times, 1) << "it was overtaken";
  // What lacks a piece for ever is an error, not a part of the samples.
  rows.before_read({});
  const RowRead read{&tables.sealed, partition, {}, {}, {"chunk"}};
  std::string note;
  ASSERT_TRUE(rows.read({&read, 1}, {}, [&](std::size_t, const RowView& view) -> Status {
    note = view.cells[1];
    return {};
  }));
  ASSERT_TRUE(rows.write_now({row(2, note, 9)}));
  EXPECT_NE(shown().find("lacks pieces"), std::string::npos) << shown();
  ASSERT_TRUE(rows.write_now({row(2, note.substr(0, 20), 10)}));
  EXPECT_NE(shown().find("cut short"), std::string::npos) << shown();
}

}  // namespace
}  // namespace varve::engine::cassandra
