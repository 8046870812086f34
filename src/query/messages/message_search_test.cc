// SPDX-License-Identifier: Apache-2.0
#include "query/messages/message_search.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "query/testing/parts_store.h"

namespace varve::query {
namespace {

using testing::PartsStore;

class MessageSearchTest : public ::testing::Test {
 protected:
  Result<std::vector<std::string>> found(bool newest_first = false, std::size_t limit = 1000, std::int64_t first_us = 0,
                                         std::int64_t last_us = 1000, std::string_view has = "") {
    MessageSearch search;
    search.tenant = tenant_;
    search.first_us = first_us;
    search.last_us = last_us;
    search.newest_first = newest_first;
    if (!has.empty()) {
      search.condition =
          message::Condition::of(*message::make_term(message::Column::text, "", message::Op::contains, has));
    }
    std::vector<std::string> out;
    const Limits limits;
    const Deadline deadline(clock_, limits, &cancelled_);
    VARVE_RETURN_IF_ERROR(query::search(store_, search, deadline, [&](message::RowView row) -> Result<bool> {
      out.emplace_back(row.cell(message::Column::text)->text);
      return out.size() < limit;
    }));
    return out;
  }
  using Texts = std::vector<std::string>;

  ManualClock clock_{0};
  PartsStore store_;
  std::string tenant_ = "t";
  std::atomic<bool> cancelled_{false};
};

TEST_F(MessageSearchTest, ByTimeThenByArrivalOverAllParts) {
  store_.add({{30, "c", 5}, {10, "a", 6}});
  store_.add({{20, "b", 3}, {30, "d", 7}});
  store_.add({{900, "z", 1}});
  EXPECT_EQ(*found(), (Texts{"a", "b", "c", "d", "z"}));
  EXPECT_EQ(*found(true), (Texts{"z", "d", "c", "b", "a"}));
  EXPECT_EQ(*found(false, 1000, 20, 30), (Texts{"b", "c", "d"}));
  EXPECT_EQ(*found(false, 1000, 31, 899), Texts{});
  EXPECT_EQ(*found(false, 1000, 0, 1000, "z"), Texts{"z"});
  tenant_ = "other";
  EXPECT_EQ(*found(), Texts{});
}

TEST_F(MessageSearchTest, OnlyThosePartsAreReadThatAreTaken) {
  for (std::int64_t i = 0; i < 50; ++i)
    store_.add({{i * 10, std::to_string(i), 0}, {i * 10 + 9, std::to_string(i), 1}});
  EXPECT_EQ(*found(true, 3), (Texts{"49", "49", "48"}));
  EXPECT_EQ(store_.reads, 2);
  EXPECT_EQ(*found(false, 1), Texts{"0"});
  EXPECT_EQ(store_.reads, 3);
}

TEST_F(MessageSearchTest, OfTheSameTimeAndIdTheFirstOneStays) {
  const std::string id = "0123456789abcdef", other = "fedcba9876543210";
  store_.add({{5, "first", 1, id}, {5, "other id", 2, other}, {6, "other time", 3, id}});
  store_.add({{5, "again", 4, id}, {5, "no id", 5}, {5, "no id", 6}});
  EXPECT_EQ(*found(), (Texts{"first", "other id", "no id", "no id", "other time"}));
  EXPECT_EQ(*found(true), (Texts{"other time", "no id", "no id", "other id", "first"}));
}

TEST_F(MessageSearchTest, APartThatCannotBeReadFailsTheSearch) {
  store_.add({{1, "a", 1}});
  store_.fails = true;
  EXPECT_EQ(found().error().code, Code::corrupt);
}

TEST_F(MessageSearchTest, EndsWhenNobodyWaits) {
  store_.add({{1, "a", 1}});
  cancelled_ = true;
  EXPECT_EQ(found().error().code, Code::cancelled);
}

}  // namespace
}  // namespace varve::query
