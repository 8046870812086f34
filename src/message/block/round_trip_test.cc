// SPDX-License-Identifier: Apache-2.0
// What went into a block comes out of it, bit for bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "base/testing/effort.h"
#include "message/block/block.h"
#include "message/block/encode.h"
#include "message/block/testing/messages.h"
#include "message/made_ids.h"

namespace varve::message::block {
namespace {

using testing::add_random_message;
using testing::MemorySections;
using testing::rows_of;

std::vector<RowView> sorted(std::vector<RowView> rows) {
  const auto key = [](RowView r) { return std::tuple(r.time_us(), r.nanos(), r.arrival()); };
  std::ranges::sort(rows, {}, key);
  return rows;
}

void expect_round_trip(const std::vector<RowView>& rows) {
  auto encoded = encode_block(rows);
  ASSERT_TRUE(encoded) << encoded.error().message;
  EXPECT_EQ(encoded->messages, rows.size());
  EXPECT_EQ(encoded->first_us, rows.front().time_us());
  EXPECT_EQ(encoded->last_us, rows.back().time_us());
  for (const std::string& section : encoded->sections) EXPECT_LE(section.size(), kSectionBytesMax);
  auto block = Block::open(std::make_shared<MemorySections>(std::move(encoded->sections)));
  ASSERT_TRUE(block) << block.error().message;
  ASSERT_EQ(block->messages(), rows.size());
  std::vector<std::uint32_t> all(rows.size());
  std::iota(all.begin(), all.end(), 0U);
  std::ranges::reverse(all);
  Batch out;
  const auto made = block->rows(all, out);
  ASSERT_TRUE(made) << made.error().message;
  ASSERT_EQ(out.rows(), rows.size());
  const std::byte* at = out.bytes().data();
  for (const std::uint32_t row : all) {
    const RowView back{at};
    ASSERT_TRUE(std::ranges::equal(back.span(), rows[row].span())) << "row " << row;
    at += back.bytes();
  }
  EXPECT_EQ((*block->times())[0], rows[0].time_us());
  EXPECT_EQ(static_cast<std::uint64_t>((*block->arrivals())[0]), rows[0].arrival());
}

TEST(RoundTrip, RandomMessages) {
  std::mt19937_64 random(3);
  for (int round = 0; round < varve::testing::effort(60); ++round) {
    SCOPED_TRACE(round);
    Batch batch;
    const std::size_t count = 1 + random() % (round % 10 == 0 ? 3000 : 60);
    for (std::size_t i = 0; i < count; ++i) add_random_message(random, static_cast<std::int64_t>(random() % 50), batch);
    expect_round_trip(sorted(rows_of(batch)));
    if (HasFatalFailure()) return;
  }
}

TEST(RoundTrip, MessagesOfASite) {
  Batch batch;
  testing::SiteMessages(1).make(20'000, 1'700'000'000'000'000, 3'600'000'000, batch);
  expect_round_trip(rows_of(batch));
}

TEST(RoundTrip, EmptyAndExtreme) {
  Batch batch;
  Builder builder(batch);
  builder.start();
  builder.finish(std::numeric_limits<std::int64_t>::min());
  builder.start();
  builder.set(Column::pid, std::numeric_limits<std::int64_t>::min());
  EXPECT_TRUE(builder.set(Column::text, ""));
  EXPECT_TRUE(builder.add_field("f", FieldForm::text, ""));
  builder.finish(0, 999);
  builder.start();
  builder.set(Column::pid, std::numeric_limits<std::int64_t>::max());
  EXPECT_TRUE(builder.set(Column::source, ""));
  builder.finish(std::numeric_limits<std::int64_t>::max());
  expect_round_trip(rows_of(batch, std::uint64_t{1} << 63));
}

TEST(RoundTrip, IdsThatAreComputedTakeNoRoom) {
  const auto bytes_with = [](bool ids) {
    Batch batch;
    Builder builder(batch);
    MadeIds made(batch);
    for (int i = 0; i < 3000; ++i) {
      builder.start();
      const std::string text = "took " + std::to_string(i / 3) + " ms";
      EXPECT_TRUE(builder.set(Column::text, text));
      EXPECT_TRUE(builder.add_field("host", FieldForm::text, "web"));
      if (!ids) {
        builder.finish(i / 3 * 10);
        continue;
      }
      builder.finish_with_computed_id(i / 3 * 10, 0);
      made.number(batch);
    }
    const auto rows = rows_of(batch);
    expect_round_trip(rows);
    std::size_t bytes = 0;
    for (const std::string& section : encode_block(rows)->sections) bytes += section.size();
    return bytes;
  };
  EXPECT_LT(bytes_with(true), bytes_with(false) + 1000) << "which of three equal ones each is";
}

TEST(RoundTrip, MoreRepeatsThanAreKnownKeepTheirIds) {
  Batch batch;
  Builder builder(batch);
  MadeIds made(batch);
  for (int i = 0; i < 100; ++i) {
    builder.start();
    EXPECT_TRUE(builder.set(Column::text, "t"));
    builder.finish_with_computed_id(5, 0);
    made.number(batch);
  }
  expect_round_trip(rows_of(batch));
}

TEST(RoundTrip, LongCellsFillSeveralSections) {
  std::mt19937_64 random(5);
  Batch batch;
  Builder builder(batch);
  for (int i = 0; i < 10; ++i) {
    std::string text(kTextBytesMax, ' '), source(kCellBytesMax, ' '), value(kTextBytesMax / 2, ' ');
    for (auto* const each : {&text, &source, &value}) {
      for (char& c : *each) c = static_cast<char>(random());
    }
    builder.start();
    EXPECT_TRUE(builder.set(Column::source, source));
    EXPECT_TRUE(builder.set(Column::text, text));
    EXPECT_TRUE(builder.add_field("value", FieldForm::text, value));
    builder.finish(i);
  }
  expect_round_trip(rows_of(batch));
}

TEST(RoundTrip, ANameNewInEachMessageCostsLittle) {
  std::mt19937_64 random(5);
  Batch batch;
  Builder builder(batch);
  std::size_t bytes = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string name, value;
    for (int c = 0; c < 20; ++c)
      name += static_cast<char>('a' + random() % 26), value += static_cast<char>('a' + random() % 26);
    builder.start();
    EXPECT_TRUE(builder.add_field(name, FieldForm::text, value));
    builder.finish(i);
    bytes += name.size() + value.size();
  }
  const auto rows = rows_of(batch);
  expect_round_trip(rows);
  std::size_t stored = 0;
  const auto encoded = encode_block(rows);
  for (const auto& section : encoded->sections) stored += section.size();
  EXPECT_LT(stored, bytes);
}

TEST(RoundTrip, LabelsOfStreamsCostLittle) {
  std::mt19937_64 random(6);
  Batch batch;
  Builder builder(batch);
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t stream = random() % 50;  // 5.6 bits
    std::vector<std::string> kept;
    for (std::uint64_t label = 0; label < 10; ++label)
      kept.push_back("value-" + std::to_string(stream % (label * 5 + 3)));
    builder.start();
    for (std::size_t label = 0; label < kept.size(); ++label) {
      EXPECT_TRUE(builder.add_field(std::string_view("abcdefghij").substr(label, 1), FieldForm::text, kept[label]));
    }
    builder.finish(i);
  }
  const auto rows = rows_of(batch);
  expect_round_trip(rows);
  std::size_t stored = 0;
  const auto encoded = encode_block(rows);
  for (const auto& section : encoded->sections) stored += section.size();
  EXPECT_LT(stored, rows.size());
}

TEST(RoundTrip, WhatIsNoBlockIsRefused) {
  Batch batch;
  Builder builder(batch);
  for (const int time : {2, 1}) builder.start(), builder.finish(time);
  EXPECT_EQ(encode_block(rows_of(batch)).error().code, Code::invalid);
  EXPECT_EQ(encode_block({}).error().code, Code::invalid);
  const auto row = rows_of(batch)[0];
  EXPECT_EQ(encode_block(std::vector<RowView>(kRowsMax + 1, row)).error().code, Code::invalid);
  EXPECT_TRUE(encode_block(std::vector<RowView>(kRowsMax, row)));
}

}  // namespace
}  // namespace varve::message::block
