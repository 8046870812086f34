// SPDX-License-Identifier: Apache-2.0
#include "storage/row_check.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace varve::storage {
namespace {

// Group g has g % 5 + 1 series.
class RowCheckTest : public ::testing::Test {
 protected:
  static std::uint16_t width(std::uint32_t group) { return static_cast<std::uint16_t>(group % 5 + 1); }

  void define_up_to(std::uint32_t end) {
    const model::TenantId tenant = index_.tenant("t", definitions_);
    const std::vector<std::string_view> metrics{"a", "b", "c", "d", "e"};
    for (auto g = static_cast<std::uint32_t>(index_.group_count()); g < end; ++g) {
      const std::string host = std::to_string(g);
      ASSERT_TRUE(
          index_.define_group(tenant, {{"host", host}}, std::span(metrics).first(width(g)), 1U << 20, definitions_));
    }
    check_.catch_up(index_);
  }
  static model::RowBatch row(std::uint32_t group, std::uint16_t count, model::Timestamp time = 5) {
    model::RowBatch batch;
    batch.add(model::KeptGroup{model::GroupId{group}, count}, time,
              std::vector<model::Value>(count, model::Value::of_long(1)));
    return batch;
  }
  [[nodiscard]] bool fits(const model::RowBatch& batch) const { return check_.fits(batch.bytes()); }

  index::SeriesIndex index_;
  std::string definitions_;
  RowCheck check_;
};

TEST_F(RowCheckTest, EachGroupHasItsWidth) {
  EXPECT_FALSE(fits(row(0, 1))) << "there is none";
  for (const std::uint32_t end : {1U, 5U, 1023U, 1024U, 1025U, 5000U}) {
    define_up_to(end);
    for (std::uint32_t g = 0; g < end; ++g) {
      ASSERT_TRUE(fits(row(g, width(g)))) << g;
      ASSERT_FALSE(fits(row(g, static_cast<std::uint16_t>(width(g) + 1)))) << g;
    }
    for (const std::uint32_t g : {end, end + 1, 8191U, 8192U, 1U << 31, 0xffff'fffeU, 0xffff'ffffU}) {
      ASSERT_FALSE(fits(row(g, width(g)))) << g;
    }
  }
}

TEST_F(RowCheckTest, OnlyTimesThatThereAre) {
  define_up_to(1);
  EXPECT_TRUE(fits(row(0, 1, model::kTimestampMin)));
  EXPECT_TRUE(fits(row(0, 1, model::kTimestampMax)));
  EXPECT_FALSE(fits(row(0, 1, model::kTimestampMin - 1)));
  EXPECT_FALSE(fits(row(0, 1, model::kTimestampMax + 1)));
}

TEST_F(RowCheckTest, OnlyWholeRows) {
  define_up_to(3);
  const model::RowBatch batch = row(2, 3);
  EXPECT_TRUE(check_.fits({}));
  for (std::size_t size = 1; size < batch.bytes().size(); ++size) {
    EXPECT_FALSE(check_.fits(batch.bytes().first(size))) << size;
  }
}

// Of each kind and width, and each way to be none.
TEST_F(RowCheckTest, WhatIsWellFormedIsWhatAStartTakes) {
  define_up_to(1);
  for (unsigned shape = 0; shape <= 0xffff; ++shape) {
    std::array<std::byte, model::kRowHeadBytes + 16> row{};
    store_le(row.data() + 4, static_cast<std::uint16_t>(shape));
    store_le(row.data() + 6, std::uint16_t{1});
    const std::size_t bytes = model::check_row(row.data(), row.data() + row.size());
    const std::span<const std::byte> whole = std::span(row).first(bytes == 0 ? model::kRowHeadBytes + 8 : bytes);
    ASSERT_EQ(check_.fits(whole), bytes > 0) << shape;
    ASSERT_FALSE(check_.fits(whole.first(whole.size() - 1))) << shape;
  }
}

TEST_F(RowCheckTest, TheOthersAreLeft) {
  define_up_to(3);
  model::RowBatch batch;
  for (const auto& [group, count] :
       std::vector<std::pair<std::uint32_t, std::uint16_t>>{{0, 1}, {7, 3}, {2, 3}, {1, 1}}) {
    const model::RowBatch one = row(group, count);
    batch.add(model::RowView{one.bytes().data()});
  }
  ASSERT_EQ(batch.samples(), 8U);
  const RowCheck::Rest rest = check_.leave_out(batch);
  EXPECT_EQ(rest.batch.rows(), 2U);
  EXPECT_EQ(rest.batch.samples(), 4U);
  EXPECT_TRUE(fits(rest.batch));
  EXPECT_EQ(rest.error.code, Code::invalid);
  EXPECT_EQ(rest.error.message, "2 rows do not fit their line groups; the others are kept");
  const RowCheck::Rest nothing = check_.leave_out(row(9, 1));
  EXPECT_TRUE(nothing.batch.empty());
  EXPECT_EQ(nothing.error.code, Code::corrupt);
  EXPECT_EQ(nothing.error.message, "1 row does not fit its line group");
}

}  // namespace
}  // namespace varve::storage
