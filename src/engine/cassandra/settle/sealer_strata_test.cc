// SPDX-License-Identifier: Apache-2.0
// Slots that are sealed together share rows, and nobody sees a difference: late samples, deletes, two sealers at once.
#include <gtest/gtest.h>

#include "engine/cassandra/tables/cell.h"
#include "engine/cassandra/testing/sealed_day.h"

namespace varve::engine::cassandra::testing {
namespace {

using model::TimeRange;

class SealerStrataTest : public SealedDay {};

TEST_F(SealerStrataTest, ARowForManySlots) {
  put_hours(2, 12);
  seal_hours(2, 12);
  EXPECT_EQ(rows_stored(), 2U) << "of 40 series";
  for (const std::uint16_t column : {0, 39}) {
    EXPECT_EQ(read(column), "2:2 3:3 4:4 5:5 6:6 7:7 8:8 9:9 10:10 11:11 ");
    EXPECT_EQ(read(column, {at(4), at(5)}), "4:4 ");
    EXPECT_EQ(read(column, {at(4, 1), at(6, 1)}), "4:4 5:5 6:6 ");
    EXPECT_EQ(read(column, {at(0), at(2)}), "");
  }
  seal_hours(2, 12);
  EXPECT_EQ(rows_stored(), 2U) << "the same again";
}

TEST_F(SealerStrataTest, ALateSampleLiesBesideIt) {
  put_hours(2, 10);
  seal_hours(2, 10);
  put(at(3, 5), 7);
  put(at(4), 8);  // over another one
  seal_hours(3, 4);
  seal_hours(4, 5);
  EXPECT_EQ(rows_stored(), 2U + 2 * 2U);
  EXPECT_EQ(read(), "2:2 3:3 3+5:7 4:8 5:5 6:6 7:7 8:8 9:9 ");
  put(at(3, 6), 9);
  seal_hours(2, 10);
  EXPECT_EQ(read(), "2:2 3:3 3+5:7 3+6:9 4:8 5:5 6:6 7:7 8:8 9:9 ") << "the later stratum has all of it";
  put_hours(0, 2);
  seal_hours(0, 12);
  EXPECT_EQ(read(), "0:0 1:1 2:2 3:3 3+5:7 3+6:9 4:8 5:5 6:6 7:7 8:8 9:9 ") << "runs overlap";
}

// One that read earlier and writes later must not take anything away, whoever of the two has a stratum.
TEST_F(SealerStrataTest, TheOneThatReadLaterCounts) {
  for (const bool slow_is_stratum : {true, false}) {
    const int base = slow_is_stratum ? 0 : 12;
    put_hours(base, base + 8);
    bool first = true;
    rows.before_write([&](const MemoryRows::Change& change) -> Status {
      if (&change.table != &tables.sealed || !std::exchange(first, false)) return {};
      put(at(base + 3, 5), 7);
      slow_is_stratum ? seal_hours(base + 3, base + 4) : seal_hours(base, base + 8);
      return {};
    });
    slow_is_stratum ? seal_hours(base, base + 8) : seal_hours(base + 3, base + 4);
    EXPECT_EQ(read(0, {at(base + 3), at(base + 4)}),
              std::to_string(base + 3) + ":" + std::to_string(base + 3) + " " + std::to_string(base + 3) + "+5:7 ");
  }
}

TEST_F(SealerStrataTest, WhatWasDeletedNeverComesBack) {
  put_hours(2, 10);
  seal_hours(2, 10);
  erase(group, {0, 35}, {at(4), at(6)});
  const std::string rest = "2:2 3:3 6:6 7:7 8:8 9:9 ", all = "2:2 3:3 4:4 5:5 6:6 7:7 8:8 9:9 ";
  EXPECT_EQ(read(0), rest) << "before it is sealed again";
  seal_hours(4, 5);
  seal_hours(5, 6);
  EXPECT_EQ(read(0), rest);
  EXPECT_EQ(read(35), rest);
  EXPECT_EQ(read(1), all);
  // The rows of a day go together, however late one was written; a day after its end, for clocks that differ.
  clock.advance_ms(kFirst + kDay + kRetentionMs + kDay - 1 - clock.now_ms());
  EXPECT_EQ(read(0), rest);
  EXPECT_EQ(read(1), all);
  clock.advance_ms(2000);
  EXPECT_EQ(read(0), "");
  EXPECT_EQ(read(1), "");
}

TEST_F(SealerStrataTest, ADamagedSlotIsARowOfNoStratum) {
  put_hours(0, 12);
  ASSERT_TRUE(rows.write_now({bad_row(group, at(5), "rubbish"), length_row(at(5))}));
  std::vector<SealWork> works;
  for (int hour = 0; hour < 12; ++hour) works.push_back({group, at(hour)});
  const auto sealed = sealer.seal(works);
  ASSERT_TRUE(sealed);
  for (int hour = 0; hour < 12; ++hour)
    EXPECT_EQ((*sealed)[static_cast<std::size_t>(hour)].status.has_value(), hour != 5);
  EXPECT_EQ(read(), "0:0 1:1 2:2 3:3 4:4 6:6 7:7 8:8 9:9 10:10 11:11 ");
}

TEST_F(SealerStrataTest, AStratumThatIsDamagedIsSaid) {
  put_hours(0, 8);
  seal_hours(0, 8);
  std::vector<RowWrite> written;
  add_write(written, reader.sealed(), group.cells, {at(23, 1), 0, "x", {std::int64_t{1} << 50, {}}, {}},
            clock.now_ms());
  ASSERT_TRUE(rows.write_now(std::move(written)));
  const SlotsWanted wanted{&group, {at(3), at(4)}, {0}, {}};
  EXPECT_EQ(reader.read({&wanted, 1}, {}).error().code, Code::corrupt);
}

}  // namespace
}  // namespace varve::engine::cassandra::testing
