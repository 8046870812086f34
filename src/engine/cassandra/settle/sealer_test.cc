// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/settle/sealer.h"
#include "engine/cassandra/scan/erasure_rows.h"

#include <gtest/gtest.h>

#include "engine/cassandra/testing/group_rows.h"

namespace varve::engine::cassandra {
namespace {

using model::Timestamp;
using model::Value;
using testing::kHour;

constexpr Timestamp kSlot = 400'000 * kHour;

class SealerTest : public testing::GroupRows {
 protected:
  SealerTest() { clock.advance_ms(3 * kHour); }
  const GroupRef group = group_named('g', 40);

  void put(const std::vector<std::pair<Timestamp, std::int64_t>>& samples) {
    std::vector<std::pair<Timestamp, Value>> values;
    for (const auto& [time, value] : samples) values.emplace_back(time, Value::of_long(value));
    GroupRows::put(group, values);
  }
  SealedSlot seal() { return GroupRows::seal(group, kSlot); }
  // "offset=value …" of a column; `hot`: also what is not sealed.
  std::string read(std::uint16_t column, bool hot) {
    std::vector<Timestamp> hot_slots;
    if (hot) hot_slots.push_back(kSlot);
    std::string text;
    for (const auto& [time, value] : samples_of(group, column, {kSlot, kSlot + kHour}, hot_slots)) {
      text += std::to_string(time - kSlot) + "=" + std::to_string(value) + " ";
    }
    return text;
  }
  void erase(std::vector<std::uint16_t> columns, model::TimeRange range) {
    GroupRows::erase(group, std::move(columns), range);
  }
};

TEST_F(SealerTest, TheLaterSampleWinsBeforeAndAfter) {
  put({{kSlot + 5, 1}, {kSlot + 3, 2}, {kSlot + 5, 3}});
  put({{kSlot + 3, 4}, {kSlot + kHour - 1, 5}, {kSlot + kHour, 6}});
  const std::string expected = "3=4 5=3 3599999=5 ";
  EXPECT_EQ(read(0, true), expected);
  EXPECT_EQ(read(0, false), "");
  const SealedSlot sealed = seal();
  EXPECT_TRUE(sealed.status);
  EXPECT_EQ(sealed.made.chunks, 2U) << "40 series";
  EXPECT_EQ(sealed.made.samples, 120U);
  for (const std::uint16_t column : {0, 31, 32, 39}) {
    EXPECT_EQ(read(column, false), expected);
    EXPECT_EQ(read(column, true), expected);
  }
  put({{kSlot + 5, 7}});
  EXPECT_EQ(read(39, false), expected);
  EXPECT_EQ(read(39, true), "3=4 5=7 3599999=5 ");
  seal();
  EXPECT_EQ(read(39, false), "3=4 5=7 3599999=5 ");
  clock.advance_ms(kHotKeptMs);  // the hot rows are gone
  EXPECT_EQ(read(39, true), "3=4 5=7 3599999=5 ");
  put({{kSlot + 1, 8}});
  seal();
  EXPECT_EQ(read(0, false), "1=8 3=4 5=7 3599999=5 ");
}

TEST_F(SealerTest, SealedAgainItIsTheSame) {
  put({{kSlot, 1}});
  seal();
  const auto stats = [&] {
    std::vector<RowRead> reads;
    add_reads(reads, reader.sealed(), group.cells, 1, {kSlot, kSlot + kHour}, {.chunk = false, .stats = true});
    ColumnShardStats found;
    EXPECT_TRUE(rows.read(reads, {}, [&](std::size_t, const RowView& view) -> Status {
      VARVE_ASSIGN_OR_RETURN(const ChunkRow row, chunk_row(view, {.chunk = false, .stats = true}));
      VARVE_ASSIGN_OR_RETURN(found, decode_stats(row.stats, row.start));
      return {};
    }));
    return found.series;
  };
  const auto first = stats();
  ASSERT_EQ(first.size(), 8U);
  EXPECT_EQ(first[7], (storage::SeriesStats{kSlot, kSlot, 1, 1}));
  seal();
  EXPECT_EQ(stats(), first);
}

// One that read earlier and writes later must not take anything away.
TEST_F(SealerTest, TheOneThatReadLaterCounts) {
  put({{kSlot, 1}});
  bool first = true;
  rows.before_write([&](const testing::MemoryRows::Change& change) -> Status {
    if (change.table.name != tables.sealed.name || !first) return {};
    first = false;
    put({{kSlot + 1, 2}});
    seal();  // another, between the first one's reading and writing
    return {};
  });
  seal();
  EXPECT_EQ(read(0, false), "0=1 1=2 ");
}

TEST_F(SealerTest, DeletesHoldForWhatCameBefore) {
  put({{kSlot, 1}, {kSlot + 1, 2}, {kSlot + 2, 3}});
  seal();
  put({{kSlot + 3, 4}});
  erase({1, 33}, {kSlot + 1, kSlot + 4});
  const auto check = [&](bool hot) {
    EXPECT_EQ(read(0, hot), "0=1 1=2 2=3 3=4 ");
    EXPECT_EQ(read(32, hot), "0=1 1=2 2=3 3=4 ");
    EXPECT_EQ(read(1, hot), "0=1 ");
    EXPECT_EQ(read(33, hot), "0=1 ");
  };
  check(true);
  seal();
  check(false);
  check(true);
  put({{kSlot + 2, 9}});
  EXPECT_EQ(read(1, true), "0=1 2=9 ");
  seal();
  EXPECT_EQ(read(1, false), "0=1 2=9 ");
  EXPECT_EQ(read(0, false), "0=1 1=2 2=9 3=4 ");
  erase({0}, {kSlot, kSlot + 2});
  erase({1}, {kSlot, kSlot + kHour});
  EXPECT_EQ(read(0, true), "2=9 3=4 ");
  EXPECT_EQ(read(1, true), "");
  seal();
  EXPECT_EQ(read(0, false), "2=9 3=4 ");
  EXPECT_EQ(read(1, false), "");
}

// It read before the delete could be seen, and wrote after it.
TEST_F(SealerTest, ASealerBesideADeleteBringsNothingBack) {
  put({{kSlot, 1}});
  bool first = true;
  Erasure erasure;
  rows.before_write([&](const testing::MemoryRows::Change& change) -> Status {
    if (change.table.name != tables.sealed.name || !std::exchange(first, false)) return {};
    erasure = begin_erasure(group, {0}, {kSlot, kSlot + 1});  // between the sealer's reading and writing
    return {};
  });
  seal();
  EXPECT_EQ(read(0, false), "");
  end_erasure(group, erasure);
  EXPECT_EQ(read(0, false), "");
  put({{kSlot, 2}});
  EXPECT_EQ(read(0, true), "0=2 ");
  EXPECT_EQ(read(1, false), "0=1 ");
  seal();
  EXPECT_EQ(read(0, false), "0=2 ");
}

// A row that a delete could not see was not acknowledged when it began: it counts as put after it, whatever time it
// arrived at.
TEST_F(SealerTest, ARowThatComesLateToADeleteStays) {
  put({{kSlot, 1}});
  const Arrival arrived{now_us(), 2};
  erase({0}, {kSlot, kSlot + kHour});
  seal();
  put({{kSlot + 2, 3}});
  RowWrite late;
  {
    model::LineGroup line;
    line.id = model::GroupId{1};
    line.count = static_cast<std::uint16_t>(group.columns);
    model::RowBatch batch;
    batch.add(line, kSlot + 1, std::vector<Value>(group.columns, Value::of_long(2)));
    const HotPiece piece = pieces_of(group, batch)[0];
    late = hot_write(tables, "acme", piece.prefix, kSlot, arrived, piece.value);
  }
  ASSERT_TRUE(rows.write_now({late}));
  for (const bool sealed : {false, true}) {
    if (sealed) seal();
    EXPECT_EQ(read(0, !sealed), "1=2 2=3 ");
    EXPECT_EQ(read(1, !sealed), "0=1 1=2 2=3 ");
    EXPECT_EQ(read(39, !sealed), "0=1 1=2 2=3 ");
  }
}

TEST_F(SealerTest, ADamagedSlotStopsNoOther) {
  put({{kSlot, 1}});
  const GroupRef other{{"acme", std::string(16, 'h')}, 1};
  ASSERT_TRUE(rows.write_now({bad_row(other, kSlot, "rubbish"), length_row(kSlot)}));
  const std::vector<SealWork> works{{other, kSlot}, {group, kSlot}};
  const auto sealed = sealer.seal(works);
  ASSERT_TRUE(sealed);
  EXPECT_EQ((*sealed)[0].status.error().code, Code::corrupt);
  EXPECT_TRUE((*sealed)[1].status);
  EXPECT_EQ(read(5, false), "0=1 ");
}

TEST_F(SealerTest, NothingIsDoneWithoutTheStore) {
  put({{kSlot, 1}});
  rows.refuse(true);
  const SealWork work{group, kSlot};
  EXPECT_EQ(sealer.seal({&work, 1}).error().code, Code::unavailable);
  rows.refuse(false);
  rows.fail_writes_after(1);
  EXPECT_FALSE(sealer.seal({&work, 1}));
  rows.let_write();
  EXPECT_EQ(read(0, true), "0=1 ");
  EXPECT_EQ(read(39, true), "0=1 ");
}

}  // namespace
}  // namespace varve::engine::cassandra
