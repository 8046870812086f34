// SPDX-License-Identifier: Apache-2.0
// The rows of a day become one, and nobody sees a difference: samples that come late, or meanwhile, slow sealers,
// deletes, and a store that fails between the steps.
#include "engine/cassandra/settle/widener.h"

#include <gtest/gtest.h>

#include <optional>
#include <random>

#include "engine/cassandra/tables/cell.h"
#include "engine/cassandra/tables/strata.h"
#include "engine/cassandra/testing/sealed_day.h"

namespace varve::engine::cassandra::testing {
namespace {

using model::Value;

class WidenerTest : public SealedDay {
 protected:
  const Widener widener{rows, reader, versions, clock};
  PendingSlots pending;
  bool is_called = false;

  void seal_each(int from, int until) {
    for (int hour = from; hour < until; ++hour) seal_hours(hour, hour + 1);
  }
  Result<std::vector<WidenedDay>> try_widen(std::vector<WidenWork> works) {
    return widener.widen(works, [&](std::span<const WidenWork> of) -> Result<std::vector<PendingSlots>> {
      return std::vector<PendingSlots>(of.size(), pending);
    });
  }
  WidenedDay widen() {
    auto list = try_widen({{group, kFirst}});
    EXPECT_TRUE(list) << list.error().message;
    EXPECT_TRUE((*list)[0].status);
    return std::move((*list)[0]);
  }
  // "0:0 1:1 …", with something else in places.
  static std::string hours(int from, int until, const std::map<int, std::string>& other = {}) {
    std::string text;
    for (int hour = from; hour < until; ++hour) {
      const auto found = other.find(hour);
      text += found == other.end() ? std::to_string(hour) + ":" + std::to_string(hour) + " " : found->second;
    }
    return text;
  }
  // Called before the first row that is written, or deleted, of sealed ones.
  void before(bool erases, std::function<void()> what) {
    is_called = false;
    rows.before_write([this, erases, what = std::move(what)](const MemoryRows::Change& change) {
      if (&change.table == &tables.sealed && change.erases == erases && !std::exchange(is_called, true)) what();
      return Status();
    });
  }
  void let_be() { rows.before_write({}); }
};

TEST_F(WidenerTest, HoursBecomeADay) {
  put_hours(0, 24);
  seal_each(0, 24);
  ASSERT_EQ(rows_stored(), 48U) << "of 40 series";
  EXPECT_TRUE(widen().is_written);
  EXPECT_EQ(rows_stored(), 2U);
  for (const std::uint16_t column : {0, 39}) {
    EXPECT_EQ(read(column), hours(0, 24));
    EXPECT_EQ(read(column, {at(4), at(5)}), "4:4 ");
    EXPECT_EQ(read(column, {at(22, 1), at(24)}), "22:22 23:23 ");
  }
  EXPECT_FALSE(widen().is_written) << "nothing to do";
  EXPECT_EQ(rows_stored(), 2U);
}

TEST_F(WidenerTest, OtherDaysAndGroupsStay) {
  const GroupRef other = group_named('h', 40);
  put_hours(-6, 30);
  seal_each(-6, 30);
  GroupRows::put(other, {{at(5), Value::of_long(5)}});
  seal(other, at(5));
  ASSERT_EQ(rows_stored(), 2U * 37);
  EXPECT_TRUE(widen().is_written);
  EXPECT_EQ(rows_stored(), 2U * (6 + 1 + 6 + 1));
  EXPECT_EQ(read(0, {at(-6), at(30)}).substr(0, 15), "-6:-6 -5:-5 -4:");
  EXPECT_EQ(read(0, {at(23), at(26)}), "23:23 24:24 25:25 ");
}

TEST_F(WidenerTest, HoursWithoutSamplesAreSaidToHaveNone) {
  for (const int hour : {2, 3, 7, 9, 10, 16, 20}) put_hours(hour, hour + 1);
  for (const int hour : {2, 3, 7, 9, 10, 16, 20}) seal_hours(hour, hour + 1);
  const std::string before = read();
  EXPECT_TRUE(widen().is_written);
  EXPECT_EQ(rows_stored(), 2U);
  EXPECT_EQ(read(), before);
  put_hours(8, 9);
  put_hours(22, 23);
  seal_hours(8, 9);
  seal_hours(22, 23);
  EXPECT_EQ(read(), "2:2 3:3 7:7 8:8 9:9 10:10 16:16 20:20 22:22 ");
}

TEST_F(WidenerTest, FewRowsStay) {
  put_hours(0, 5);
  seal_each(0, 5);
  EXPECT_FALSE(widen().is_written);
  EXPECT_EQ(rows_stored(), 2U * 5);
  put_hours(5, 24);
  seal_each(5, 24);
  EXPECT_TRUE(widen().is_written);
  for (int hour = 3; hour < 8; ++hour) {
    EXPECT_FALSE(widen().is_written) << "before it is worth it: " << hour;
    put(at(hour), 100 + hour);
    seal_hours(hour, hour + 1);
  }
  EXPECT_EQ(rows_stored(), 2U * 6);
  const std::string all = hours(0, 24, {{3, "3:103 "}, {4, "4:104 "}, {5, "5:105 "}, {6, "6:106 "}, {7, "7:107 "}});
  EXPECT_EQ(read(), all);
  EXPECT_TRUE(widen().is_written);
  EXPECT_EQ(rows_stored(), 2U);
  EXPECT_EQ(read(), all);
}

TEST_F(WidenerTest, StrataOfHoursThatWereSealedTogetherJoin) {
  put_hours(0, 24);
  seal_hours(0, 7);
  seal_each(7, 13);
  seal_hours(13, 24);
  ASSERT_EQ(rows_stored(), 2U * 8);
  EXPECT_TRUE(widen().is_written);
  EXPECT_EQ(rows_stored(), 2U);
  EXPECT_EQ(read(), hours(0, 24));
}

TEST_F(WidenerTest, WhatIsPendingStays) {
  put_hours(1, 22);
  seal_each(1, 22);
  for (const std::size_t hour : {1, 7, 21}) {
    pending = PendingSlots().set(hour);
    EXPECT_TRUE(widen().is_pending) << hour;
    EXPECT_EQ(rows_stored(), 2U * 21);
  }
  const auto failed =
      widener.widen(std::vector<WidenWork>{{group, kFirst}},
                    [](auto) -> Result<std::vector<PendingSlots>> { return fail(Code::unavailable, "nobody knows"); });
  EXPECT_EQ(failed.error().code, Code::unavailable);
  EXPECT_EQ(rows_stored(), 2U * 21);
}

// Before a day has ended its last hours are pending, or being sealed at this moment.
TEST_F(WidenerTest, HoursOutsideMayBePending) {
  put_hours(1, 22);
  seal_each(1, 22);
  pending.set(0).set(22).set(23);
  put_hours(22, 23);
  put_hours(0, 1);
  before(false, [&] {
    before(false, [&] { EXPECT_TRUE(widen().is_written); });
    seal_hours(22, 23);  // one that drew its version first
  });
  seal_hours(0, 1);
  let_be();
  EXPECT_EQ(rows_stored(), 2U * 3);
  EXPECT_EQ(read(), hours(0, 23));
}

TEST_F(WidenerTest, StrataThatReachFurtherStay) {
  put_hours(0, 24);
  seal_each(0, 12);
  pending = PendingSlots(0xfff000);
  before(false, [&] { EXPECT_TRUE(widen().is_written); });
  seal_hours(8, 24);  // they have the smaller version, and are written later
  let_be();
  EXPECT_EQ(read(), hours(0, 24));
  pending.reset();
  before(true, [&] {
    EXPECT_EQ(read(), hours(0, 24));
    put_hours(3, 4);
    seal_hours(3, 4);
  });
  seal_each(12, 18);
  EXPECT_TRUE(widen().is_written);
  let_be();
  EXPECT_EQ(read(), hours(0, 24));
  EXPECT_EQ(rows_stored(), 2U * 2) << "the day and the late hour";
}

// It is asked what is pending after the version was drawn and before anything is read: what is sealed in between is
// read, or has a greater version.
TEST_F(WidenerTest, PendingIsAskedBetweenDrawingAndReading) {
  put_hours(0, 24);
  seal_each(0, 24);
  std::int64_t asked_at = 0;
  std::size_t reads_before = 0;
  rows.reset_counts();
  const auto ask = [&](std::span<const WidenWork>) -> Result<std::vector<PendingSlots>> {
    asked_at = *versions.draw(0);
    reads_before = rows.counts(tables.sealed).reads;
    return std::vector<PendingSlots>(1);
  };
  ASSERT_TRUE(widener.widen(std::vector<WidenWork>{{group, kFirst}}, ask));
  EXPECT_EQ(reads_before, 0U);
  const SlotsWanted wanted{&group, {at(3), at(4)}, {0}, {}};
  EXPECT_LT((*reader.read({&wanted, 1}, {}))[0][0].version(), asked_at);
}

TEST_F(WidenerTest, WhatIsSealedMeanwhileCounts) {
  for (const bool erases : {false, true}) {
    SCOPED_TRACE(erases);
    const int hour = erases ? 5 : 3;
    put_hours(0, 24);
    seal_each(0, 24);
    before(erases, [&] {
      put(at(hour, 7), 70 + hour);
      seal_hours(hour, hour + 1);
    });
    EXPECT_TRUE(widen().is_written);
    let_be();
    const std::string late = "+7:" + std::to_string(70 + hour) + " ";
    EXPECT_EQ(read(0, {at(hour), at(hour + 1)}), hours(hour, hour + 1) + std::to_string(hour) + late);
    EXPECT_EQ(rows_stored(), 2U * 2) << "the day and the late hour";
  }
}

// Two took the late sample's slot. One completes it; the other is slow, and writes when the day is one row.
TEST_F(WidenerTest, ASlowSealerTakesNothingAway) {
  put_hours(0, 24);
  seal_each(0, 24);
  put(at(3, 7), 73);
  before(false, [&] {
    seal_hours(3, 4);
    EXPECT_TRUE(widen().is_written);
  });
  seal_hours(3, 4);
  let_be();
  EXPECT_EQ(read(), hours(0, 24, {{3, "3:3 3+7:73 "}}));
  EXPECT_EQ(rows_stored(), 2U) << "its row is under the delete";
  EXPECT_FALSE(widen().is_written);
  put(at(3, 8), 74);
  seal_hours(3, 4);
  EXPECT_EQ(read(), hours(0, 24, {{3, "3:3 3+7:73 3+8:74 "}}));
}

TEST_F(WidenerTest, TwoAtOnce) {
  put_hours(0, 24);
  seal_each(0, 24);
  for (const bool erases : {false, true}) {
    before(erases, [&] {
      put(at(3, 7), 73);
      seal_hours(3, 4);
      put_hours(0, 2);
      seal_each(0, 2);
      widen();
    });
    widen();
    let_be();
    EXPECT_EQ(read(), hours(0, 24, {{3, "3:3 3+7:73 "}}));
  }
}

TEST_F(WidenerTest, WhatWasDeletedNeverComesBack) {
  put_hours(0, 24);
  seal_each(0, 24);
  erase(group, {0, 35}, {at(4), at(6)});
  const std::string rest = hours(0, 24, {{4, ""}, {5, ""}});
  EXPECT_TRUE(widen().is_written) << "before its hours are sealed again";
  EXPECT_EQ(read(0), rest);
  EXPECT_EQ(read(35), rest);
  EXPECT_EQ(read(1), hours(0, 24));
  seal_hours(4, 6);
  EXPECT_EQ(read(0), rest);
  // The rows of a day go together.
  clock.advance_ms(kFirst + kDay + kRetentionMs + kDay - 1 - clock.now_ms());
  EXPECT_EQ(read(0), rest);
  EXPECT_EQ(read(1), hours(0, 24));
  clock.advance_ms(2000);
  EXPECT_EQ(read(0), "");
  EXPECT_EQ(read(1), "");
}

TEST_F(WidenerTest, ADeleteMeanwhileCounts) {
  for (const bool erases : {false, true}) {
    const int hour = erases ? 5 : 3;
    put_hours(0, 24);
    seal_each(0, 24);
    before(erases, [&] {
      erase(group, {0}, {at(hour), at(hour + 1)});
      seal_hours(hour, hour + 1);
    });
    EXPECT_TRUE(widen().is_written);
    let_be();
    EXPECT_EQ(read(0, {at(hour), at(hour + 1)}), "");
    EXPECT_EQ(read(1, {at(hour), at(hour + 1)}), hours(hour, hour + 1));
  }
}

TEST_F(WidenerTest, AStoreThatFailsLosesNothing) {
  put_hours(0, 24);
  seal_each(0, 24);
  for (std::size_t steps = 0; steps < 4; ++steps) {
    rows.fail_writes_after(steps);
    EXPECT_FALSE(try_widen({{group, kFirst}})) << "after " << steps << " rows";
    rows.let_write();
    EXPECT_EQ(read(0), hours(0, 24));
    EXPECT_EQ(read(39), hours(0, 24));
  }
  EXPECT_TRUE(widen().is_written);
  EXPECT_EQ(rows_stored(), 2U);
  EXPECT_EQ(read(39), hours(0, 24));
  rows.refuse(true);
  EXPECT_EQ(try_widen({{group, kFirst}}).error().code, Code::unavailable);
}

// Which tell whose sample came later where a series is in two groups.
TEST_F(WidenerTest, ArrivalsStay) {
  put_hours(0, 24);
  for (int hour = 0; hour < 24; ++hour) {
    const SealWork work{group, at(hour), hour % 2 == 0};
    ASSERT_TRUE(sealer.seal({&work, 1}));
  }
  const auto arrived = [&] {
    const SlotsWanted wanted{&group, {kFirst, kFirst + kDay}, {1}, {}};
    const auto lists = reader.read({&wanted, 1}, {});
    EXPECT_TRUE(lists);
    std::vector<std::uint64_t> all;
    for (const SlotData& data : (*lists)[0]) {
      std::vector<std::uint64_t> of;
      EXPECT_TRUE(chunk_arrivals(data.sealed[0], group.columns, of));
      all.insert(all.end(), of.begin(), of.end());
    }
    return all;
  };
  const auto before = arrived();
  EXPECT_GT(before[0], 0U);
  EXPECT_EQ(before[1], 0U);
  EXPECT_TRUE(widen().is_written);
  EXPECT_EQ(arrived(), before);
}

TEST_F(WidenerTest, WhatIsTooLargeTogetherStays) {
  const GroupRef texts = group_named('t', 1);
  std::mt19937 random(7);
  for (int hour = 0; hour < 24; ++hour) {
    std::string text(30'000, ' ');
    for (char& c : text) c = static_cast<char>(32 + random() % 90);
    GroupRows::put(texts, {{at(hour), Value::of_string(text)}});
    seal(texts, at(hour));
  }
  EXPECT_FALSE((*try_widen({{texts, kFirst}}))[0].is_written);
  EXPECT_EQ(rows_stored(), 24U);
}

TEST_F(WidenerTest, ADamagedDayKeepsNoOtherFromIt) {
  const GroupRef other = group_named('h', 1);
  put_hours(0, 24);
  seal_each(0, 24);
  for (int hour = 0; hour < 24; ++hour) {
    GroupRows::put(other, {{at(hour), Value::of_long(hour)}});
    seal(other, at(hour));
  }
  std::vector<RowWrite> written;
  add_write(written, reader.sealed(), group.cells, {at(7), 0, "x", {std::int64_t{1} << 50, {}}, {}}, clock.now_ms());
  ASSERT_TRUE(rows.write_now(std::move(written)));
  const auto list = try_widen({{group, kFirst}, {other, kFirst}});
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_EQ((*list)[0].status.error().code, Code::corrupt);
  EXPECT_TRUE((*list)[1].is_written);
  EXPECT_EQ(rows_stored(), 48U + 1);
}

TEST_F(WidenerTest, NotWhereSamplesAreKeptForDays) {
  GroupRef brief = group;
  EXPECT_TRUE(widener.is_wanted(brief.cells));
  brief.cells.ttl_s = 7 * 86'400;
  EXPECT_FALSE(widener.is_wanted(brief.cells));
}

}  // namespace
}  // namespace varve::engine::cassandra::testing
