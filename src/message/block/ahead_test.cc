// SPDX-License-Identifier: Apache-2.0
// What a question reads is named before, so that it takes few trips; and the answer does not depend on it.
#include "message/block/ahead.h"

#include <gtest/gtest.h>

#include <set>

#include "message/block/block.h"
#include "message/block/encode.h"
#include "message/block/testing/messages.h"

namespace varve::message::block {
namespace {

// Sections on another server: a trip for what is fetched together, and one for each that nobody had named.
class FarSections final : public Sections {
 public:
  explicit FarSections(std::vector<std::string> sections) : near_(std::move(sections)) {}
  [[nodiscard]] Result<Section> read(std::uint32_t section) const override {
    if (!here_.contains(section)) ++trips, ++unnamed;
    return near_.read(section);
  }
  [[nodiscard]] bool is_far() const override { return true; }
  void fetch(std::span<const std::uint32_t> sections, bool /*is_text*/) const override {
    EXPECT_TRUE(std::ranges::is_sorted(sections));
    EXPECT_FALSE(sections.empty());
    ++trips;
    here_.insert(sections.begin(), sections.end());
    fetched += sections.size();
  }
  mutable std::size_t trips = 0, unnamed = 0, fetched = 0;

 private:
  testing::MemorySections near_;
  mutable std::set<std::uint32_t> here_;
};

class AheadTest : public ::testing::Test {
 protected:
  AheadTest() {
    testing::SiteMessages(5).make(20'000, 0, 3'600'000'000, batch);
    sections = encode_block(testing::rows_of(batch))->sections;
    far = std::make_shared<FarSections>(sections);
  }
  static Condition term(Column column, Op op, std::string_view value, std::string_view field = {}) {
    return Condition::of(*make_term(column, field, op, value));
  }
  // Finds and puts together; without what opening takes.
  std::size_t trips(const Condition& condition) {
    far = std::make_shared<FarSections>(sections);
    auto block = *Block::open(far);
    far->trips = far->unnamed = 0;
    auto near = *Block::open(std::make_shared<testing::MemorySections>(sections));
    const auto found = block.find(condition), wanted = near.find(condition);
    EXPECT_TRUE(found && wanted);
    std::vector<std::uint32_t> rows;
    found->for_each([&](std::uint32_t row) { rows.push_back(row); });
    count = rows.size();
    EXPECT_EQ(count, wanted->count());
    Batch from_far, from_near;
    EXPECT_TRUE(rows.empty() || block.rows(rows, from_far));
    EXPECT_TRUE(rows.empty() || near.rows(rows, from_near));
    EXPECT_TRUE(std::ranges::equal(from_far.bytes(), from_near.bytes()));
    return far->trips;
  }

  Batch batch;
  std::vector<std::string> sections;
  std::shared_ptr<FarSections> far;
  std::size_t count = 0;
};

TEST_F(AheadTest, AColumnsMessagesTakeThreeTrips) {
  auto block = *Block::open(std::make_shared<testing::MemorySections>(sections));
  const auto sources = *block.terms(Column::source);
  EXPECT_EQ(trips(term(Column::source, Op::equal, sources[3])), 3U) << "condition, columns, frames";
  EXPECT_EQ(far->unnamed, 0U);
  EXPECT_GT(count, 10U);
  EXPECT_EQ(trips(term(Column::level, Op::equal, "3")), 3U);
  EXPECT_EQ(trips(term(Column::object, Op::prefix, "Object")), 3U);
  EXPECT_LE(trips(term(Column::source, Op::equal, "nobody")), 1U);
  EXPECT_EQ(count, 0U);
}

TEST_F(AheadTest, TextsAreReadInOneTripMore) {
  EXPECT_LE(trips(term(Column::text, Op::word, "timeout")), 4U);
  EXPECT_LE(trips(term(Column::text, Op::regex, ".*[0-9]{3}.*")), 4U);
  EXPECT_GT(count, 100U);
  EXPECT_EQ(far->unnamed, 0U);
}

TEST_F(AheadTest, TimesComeWithTheCondition) {
  auto block = *Block::open(far);
  far->trips = 0;
  const Condition condition = term(Column::level, Op::equal, "3");
  block.expect(condition);
  ASSERT_TRUE(block.times());
  ASSERT_TRUE(block.find(condition));
  EXPECT_EQ(far->unnamed, 1U) << "the head";
}

TEST_F(AheadTest, GroupsTakeOneTrip) {
  auto block = *Block::open(far);
  far->trips = 0;
  const std::vector<GroupColumn> columns{{Column::level}, {Column::type}};
  Batch groups;
  std::vector<std::uint64_t> times;
  ASSERT_TRUE(*block.groups(columns, Bitmap(block.messages(), true), groups, times));
  EXPECT_LE(far->trips, 1U);
  EXPECT_GT(times.size(), 1U);
}

}  // namespace
}  // namespace varve::message::block
