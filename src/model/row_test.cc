// SPDX-License-Identifier: Apache-2.0
#include "model/row.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>

namespace varve::model {
namespace {

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

struct Group : LineGroup {
  explicit Group(std::size_t series, std::uint32_t number = 7) {
    id = GroupId{number};
    count = static_cast<std::uint16_t>(series);
  }
};

RowView first_row(const RowBatch& batch) { return RowView{batch.bytes().data()}; }

std::size_t checked(std::span<const std::byte> bytes) { return check_row(bytes.data(), bytes.data() + bytes.size()); }

// The row of these values, after it was checked and read back.
RowBatch row_of(const std::vector<Value>& values, Timestamp time = 1000) {
  RowBatch batch;
  batch.add(Group(values.size()), time, values);
  const RowView row = first_row(batch);
  EXPECT_EQ(checked(batch.bytes()), batch.bytes().size());
  EXPECT_EQ(row.bytes(), batch.bytes().size());
  EXPECT_EQ(row.count(), values.size());
  EXPECT_EQ(row.time(), time);
  for (unsigned i = 0; i < values.size(); ++i) EXPECT_EQ(row.value(i), values[i]) << i;
  return batch;
}

TEST(Row, IsTheBytesOfTheFormat) {
  RowBatch batch;
  batch.add_decimals(Group(2, 0x01020304), -2, std::vector<std::int64_t>{150, -300}, 2);
  const unsigned char expected[] = {0x04, 0x03, 0x02, 0x01,                          // group
                                    0x05, 0x02,                                      // 2 bytes, decimal; 2 decimals
                                    0x02, 0x00,                                      // count
                                    0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,  // time
                                    0x96, 0x00, 0xd4, 0xfe};
  ASSERT_EQ(batch.bytes().size(), sizeof expected);
  EXPECT_EQ(std::memcmp(batch.bytes().data(), expected, sizeof expected), 0);
  EXPECT_EQ(first_row(batch).value(0), Value::of_double(1.5));
  EXPECT_EQ(first_row(batch).value(1), Value::of_double(-3.0));
}

TEST(Row, LongsTakeTheWidthOfTheWidest) {
  const struct {
    std::int64_t value;
    unsigned width;
  } cases[] = {{0, 1},           {127, 1},        {-128, 1},        {128, 2},    {-129, 2},
               {32767, 2},       {-32768, 2},     {32768, 4},       {-32769, 4}, {2147483647, 4},
               {-2147483648, 4}, {2147483648, 8}, {-2147483649, 8}, {kMin, 8},   {kMax, 8}};
  for (const auto& [value, width] : cases) {
    const auto batch = row_of({Value::of_long(1), Value::of_long(value), Value::of_long(-1)});
    EXPECT_EQ(first_row(batch).kind(), RowKind::long_) << value;
    EXPECT_EQ(first_row(batch).width(), width) << value;
  }
}

TEST(Row, WholeDoublesAreDecimalsOthersAreTyped) {
  EXPECT_EQ(first_row(row_of({Value::of_double(0), Value::of_double(-3)})).kind(), RowKind::decimal);
  EXPECT_EQ(first_row(row_of({Value::of_double(2147483647)})).kind(), RowKind::decimal);
  const double odd[] = {-0.0,
                        0.1,
                        1e300,
                        2147483648.0,
                        std::numeric_limits<double>::denorm_min(),
                        std::numeric_limits<double>::infinity(),
                        -std::numeric_limits<double>::infinity(),
                        std::numeric_limits<double>::quiet_NaN(),
                        std::bit_cast<double>(0x7ff4deadbeef0001)};
  for (const double v : odd) {
    EXPECT_EQ(first_row(row_of({Value::of_double(v)})).kind(), RowKind::typed) << v;
    EXPECT_EQ(first_row(row_of({Value::of_double(1), Value::of_double(v)})).kind(), RowKind::typed) << v;
  }
}

TEST(Row, LongsAndDoublesMixed) {
  EXPECT_EQ(first_row(row_of({Value::of_long(1), Value::of_double(1)})).kind(), RowKind::typed);
  EXPECT_EQ(first_row(row_of({Value::of_double(1), Value::of_long(1)})).kind(), RowKind::typed);
  EXPECT_EQ(first_row(row_of({Value::of_double(1.5), Value::of_long(kMin)})).kind(), RowKind::typed);
}

TEST(Row, TextIsKeptByteForByte) {
  for (const std::string& text :
       {std::string(), std::string("a"), std::string("\0\xff\n", 3), std::string(100'000, 'x')}) {
    const auto batch = row_of({Value::of_string(text)});
    EXPECT_EQ(first_row(batch).kind(), RowKind::text);
    EXPECT_EQ(first_row(batch).text(), text);
  }
}

TEST(Row, ComplexNumbersAndHistogramsAreBytes) {
  const std::string bytes("\0\1x", 3);  // a row does not look into them
  const auto complex = row_of({Value::of_complex(bytes)});
  EXPECT_EQ(first_row(complex).kind(), RowKind::complex);
  const auto histogram = row_of({Value::of_histogram(bytes)});
  EXPECT_EQ(first_row(histogram).kind(), RowKind::histogram);
  const unsigned char expected[] = {7, 0, 0, 0, 0x14, 0, 1, 0, 0xe8, 3, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 1, 'x'};
  ASSERT_EQ(histogram.bytes().size(), sizeof expected);
  EXPECT_EQ(std::memcmp(histogram.bytes().data(), expected, sizeof expected), 0);
}

TEST(Row, DecimalsAreTheNearestDouble) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    const auto decimals = static_cast<unsigned>(random() % (kRowDecimalsMax + 1));
    const std::int64_t mantissa = static_cast<std::int64_t>(random() >> (11 + random() % 53)) * (i % 2 == 0 ? 1 : -1);
    RowBatch batch;
    batch.add_decimals(Group(1), 0, std::vector{mantissa}, decimals);
    ASSERT_EQ(checked(batch.bytes()), batch.bytes().size());
    const std::string text = std::to_string(mantissa) + "e-" + std::to_string(decimals);
    ASSERT_EQ(first_row(batch).value(0), Value::of_double(std::strtod(text.c_str(), nullptr))) << text;
  }
}

TEST(Row, WideGroupsOfEveryKind) {
  std::vector<Value> values;
  for (int i = 0; i < 1024; ++i) values.push_back(Value::of_long(i));
  row_of(values);
  values[1000] = Value::of_double(0.5);
  row_of(values);
  std::vector<std::int64_t> longs(65535, -5);
  RowBatch batch;
  batch.add_longs(Group(longs.size()), kTimestampMin, longs);
  EXPECT_EQ(checked(batch.bytes()), kRowHeadBytes + 65535);
  EXPECT_EQ(first_row(batch).value(65534), Value::of_long(-5));
}

TEST(RowBatch, KnowsTheRowsThatDoNotStayForEver) {
  LineGroup ever, mortal;
  ever.id = GroupId{1};
  mortal.id = GroupId{2};
  ever.count = mortal.count = 1;
  mortal.ttl_s = 60;
  RowBatch batch;
  batch.add(ever, 5, Value::of_long(1));
  EXPECT_TRUE(batch.mortal_rows().empty());
  batch.add(mortal, 6, Value::of_string("up"));
  const auto mark = batch.mark();
  batch.add(mortal, 7, Value::of_double(0.1));
  ASSERT_EQ(batch.mortal_rows().size(), 2U);
  batch.rollback(mark);
  ASSERT_EQ(batch.mortal_rows().size(), 1U);
  const auto [at, ttl_s] = batch.mortal_rows()[0];
  EXPECT_EQ(ttl_s, 60U);
  EXPECT_EQ(batch.row_at(at).time(), 6);
  batch.regroup(at, GroupId{3});
  EXPECT_EQ(batch.row_at(at).group(), GroupId{3});
  EXPECT_EQ(batch.row_at(at).text(), "up");
  EXPECT_EQ(batch.row_at(0).group(), GroupId{1});
  batch.clear();
  EXPECT_TRUE(batch.mortal_rows().empty());
}

TEST(RowBatch, RowsStandOneAfterTheOther) {
  RowBatch batch;
  EXPECT_TRUE(batch.empty());
  for (int i = 0; i < 1000; ++i) {
    if (i % 3 == 0) batch.add_longs(Group(2), i, std::vector<std::int64_t>{i, -i});
    if (i % 3 == 1) batch.add(Group(1), i, Value::of_string("text" + std::to_string(i)));
    if (i % 3 == 2) batch.add(Group(1), i, Value::of_double(i + 0.5));
  }
  EXPECT_EQ(batch.rows(), 1000U);
  EXPECT_EQ(batch.samples(), 1334U);
  const std::byte* at = batch.bytes().data();
  const std::byte* const end = at + batch.bytes().size();
  for (int i = 0; i < 1000; ++i) {
    const RowView row{at};
    const std::size_t bytes = check_row(at, end);
    ASSERT_GT(bytes, 0U);
    ASSERT_EQ(row.time(), i);
    if (i % 3 == 1) {
      ASSERT_EQ(row.text(), "text" + std::to_string(i));
    }
    at += bytes;
  }
  EXPECT_EQ(at, end);
  batch.clear();
  EXPECT_TRUE(batch.empty());
  EXPECT_EQ(batch.bytes().size(), 0U);
}

TEST(Row, AMarkerHasNoBytesOfItsOwn) {
  RowBatch batch;
  batch.add_stale_markers(Group(3), -5);
  batch.add(Group(1), 6, Value::of_double(std::bit_cast<double>(kStaleMarkerBits)));  // a NaN like any other
  const unsigned char expected[] = {0x07, 0, 0, 0, 0x18, 0, 3, 0, 0xfb, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
  ASSERT_GT(batch.bytes().size(), sizeof expected);
  EXPECT_EQ(std::memcmp(batch.bytes().data(), expected, sizeof expected), 0);
  const RowView row = first_row(batch);
  EXPECT_EQ(checked(batch.bytes()), sizeof expected);
  EXPECT_EQ(row.bytes(), sizeof expected);
  EXPECT_EQ(row.kind(), RowKind::stale_marker);
  EXPECT_EQ(row.samples(), 0U);
  for (unsigned i = 0; i < 3; ++i) EXPECT_EQ(row.value(i), Value::of_stale_marker());
  const RowView other = batch.row_at(sizeof expected);
  EXPECT_EQ(other.value(0).type, ValueType::double_);
  EXPECT_EQ(other.value(0).bits, kStaleMarkerBits);
  EXPECT_FALSE(is_number(ValueType::stale_marker) || in_text(ValueType::stale_marker));
}

TEST(RowBatch, CountsMarkersApart) {
  RowBatch batch;
  batch.add(Group(2), 1, std::vector{Value::of_long(1), Value::of_long(2)});
  const auto mark = batch.mark();
  batch.add_stale_markers(Group(2), 2);
  EXPECT_EQ(batch.samples(), 2U);
  EXPECT_EQ(batch.markers(), 2U);
  EXPECT_EQ(batch.rows(), 2U);
  RowBatch copy;
  copy.add(RowView{batch.bytes().data() + batch.bytes().size() - kRowHeadBytes});
  EXPECT_EQ(copy.samples(), 0U);
  EXPECT_EQ(copy.markers(), 2U);
  EXPECT_FALSE(copy.empty());
  batch.rollback(mark);
  EXPECT_EQ(batch.markers(), 0U);
  copy.clear();
  EXPECT_EQ(copy.markers(), 0U);
}

TEST(RowBatch, TakesBackWhatCameAfterAMark) {
  RowBatch batch;
  const auto start = batch.mark();
  batch.add(Group(1), 1, Value::of_long(1));
  const std::vector before(batch.bytes().begin(), batch.bytes().end());
  const auto mark = batch.mark();
  batch.add(Group(1), 2, Value::of_string(std::string(10'000, 'x')));  // grows
  batch.add(Group(1), 3, Value::of_long(3));
  batch.rollback(mark);
  EXPECT_EQ(std::vector(batch.bytes().begin(), batch.bytes().end()), before);
  EXPECT_EQ(batch.rows(), 1U);
  EXPECT_EQ(batch.samples(), 1U);
  batch.add(Group(1), 4, Value::of_long(4));
  EXPECT_EQ(RowView{batch.bytes().data() + before.size()}.time(), 4);
  batch.rollback(start);
  EXPECT_TRUE(batch.empty());
}

TEST(CheckRow, RefusesEveryCut) {
  const std::vector<Value> rows[] = {{Value::of_long(1), Value::of_long(kMax)},
                                     {Value::of_double(3), Value::of_double(4)},
                                     {Value::of_long(1), Value::of_double(0.1)},
                                     {Value::of_string("text")}};
  for (const auto& values : rows) {
    const RowBatch batch = row_of(values);
    // A copy of exactly the cut size, so that the sanitizers see a read past it.
    for (std::size_t bytes = 0; bytes < batch.bytes().size(); ++bytes) {
      const std::vector<std::byte> cut(batch.bytes().begin(),
                                       batch.bytes().begin() + static_cast<std::ptrdiff_t>(bytes));
      EXPECT_EQ(checked(cut), 0U) << bytes;
    }
  }
}

TEST(CheckRow, RefusesWhatNoWriterWrites) {
  const RowBatch longs = row_of({Value::of_long(1)});
  const RowBatch typed = row_of({Value::of_double(0.1)});
  const RowBatch text = row_of({Value::of_string("text")});
  const struct {
    std::string_view why;
    const RowBatch& row;
    std::size_t at;
    unsigned char byte;
  } cases[] = {
      {"no series", longs, 6, 0},
      {"kind 4", longs, 4, 4 << 2},
      {"kind 7", longs, 4, 7 << 2},
      {"unused bit 5", longs, 4, 1 << 5},
      {"unused bit 7", longs, 4, 1 << 7},
      {"23 decimals", longs, 5, 23},
      {"unused bit 13", longs, 5, 1 << 5},
      {"more series than bytes", longs, 7, 1},
      {"wider than its bytes", longs, 4, 3},
      {"type string", typed, 16, 3},
      {"type 0", typed, 16, 0},
      {"two texts", text, 6, 2},
      {"longer text", text, 16, 5},
      {"text of 4 GiB", text, 19, 0xff},
  };
  for (const auto& [why, row, at, byte] : cases) {
    std::vector<std::byte> bytes(row.bytes().begin(), row.bytes().end());
    bytes[at] = std::byte{byte};
    EXPECT_EQ(checked(bytes), 0U) << why;
  }
}

}  // namespace
}  // namespace varve::model
