// SPDX-License-Identifier: Apache-2.0
#include "migrate/contrail_names.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/bytes.h"
#include "migrate/token_ranges.h"

namespace varve::migrate {
namespace {

std::string id_of(std::uint64_t number) {
  std::string id(16, '\0');
  store_be64(id.data() + 8, number);
  return id;
}

class ContrailNamesTest : public ::testing::Test {
 protected:
  ContrailNamesTest() { std::filesystem::remove_all(path_); }
  ~ContrailNamesTest() override { std::filesystem::remove_all(path_); }
  const std::string path_ = testing::TempDir() + "varve-contrail-names";
};

TEST_F(ContrailNamesTest, EachMessageFindsItsOwn) {
  constexpr std::uint64_t kMessages = 20'000;
  ContrailNames names(path_);
  EXPECT_FALSE(names.complete());
  ASSERT_TRUE(names.begin());
  for (std::uint64_t i = 0; i < 3 * kMessages; ++i)
    ASSERT_TRUE(names.add(id_of(i % kMessages), "T" + std::to_string(i / kMessages), std::string(100, 'x') + ":y"));
  EXPECT_FALSE(names.complete());
  ASSERT_TRUE(names.end());
  EXPECT_TRUE(names.complete());
  ContrailNames again(path_);  // another process
  for (std::uint64_t i = 0; i < kMessages + 1; ++i) {
    const auto piece = again.of_range(range_of_uuid(id_of(i)));
    ASSERT_TRUE(piece);
    const auto found = (*piece)->of(id_of(i));
    ASSERT_EQ(found.size(), i < kMessages ? 3U : 0U) << i;
    for (std::size_t name = 0; name < found.size(); ++name)
      EXPECT_EQ(found[name], "T" + std::to_string(name) + ":" + std::string(100, 'x') + ":y");
  }
  again.remove();
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(ContrailNamesTest, BeginsAnew) {
  ContrailNames names(path_);
  ASSERT_TRUE(names.begin());
  ASSERT_TRUE(names.add(id_of(1), "T", "left by a crash"));
  ASSERT_TRUE(names.end());
  ASSERT_TRUE(names.begin());
  EXPECT_FALSE(names.complete());
  ASSERT_TRUE(names.add(id_of(2), "T", "a"));
  ASSERT_TRUE(names.end());
  EXPECT_TRUE((*names.of_range(range_of_uuid(id_of(1))))->of(id_of(1)).empty());
  EXPECT_EQ((*names.of_range(range_of_uuid(id_of(2))))->of(id_of(2)).size(), 1U);
}

TEST(NamesOfPiece, DamageIsSeen) {
  std::string bytes = id_of(7) + std::string("\0\0\0\3T:a", 7);
  ASSERT_TRUE(NamesOfPiece::parse(bytes));
  for (std::size_t size = 1; size < bytes.size(); ++size) EXPECT_FALSE(NamesOfPiece::parse(bytes.substr(0, size)));
  bytes[16] = '\xff';
  EXPECT_FALSE(NamesOfPiece::parse(bytes));
}

// (That a UUID's range is the one in which Cassandra has it, tests/migrate_contrail_test.py sees: else names are lost.)
TEST(TokenRanges, AreTheRing) {
  for (std::size_t i = 1; i < kRanges; ++i) {
    const auto last = load_be64(token_bounds(i - 1)[1].data());
    EXPECT_EQ(last + 1, load_be64(token_bounds(i)[0].data())) << i;
  }
  EXPECT_EQ(token_bounds(0)[0], std::string("\x80\0\0\0\0\0\0\0", 8));
  EXPECT_EQ(token_bounds(kRanges - 1)[1], std::string("\x7f\xff\xff\xff\xff\xff\xff\xff", 8));
}

}  // namespace
}  // namespace varve::migrate
