// SPDX-License-Identifier: Apache-2.0
#include "index/sorted_ids.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <vector>

namespace varve::index {
namespace {

using Ids = std::vector<std::uint32_t>;

// Ids that are sorted by a number each, beside a plain sorted list of the same.
class SortedIdsTest : public testing::Test {
 protected:
  void add(std::uint32_t rank) {
    const auto id = static_cast<std::uint32_t>(rank_of_.size());
    rank_of_.push_back(rank);
    const auto place = ids_.find_for_new(before(rank));
    ids_.reserve(place);
    ids_.insert(place, id);
    plain_.insert(std::ranges::lower_bound(plain_, rank, {}, [&](std::uint32_t one) { return rank_of_[one]; }), id);
  }
  [[nodiscard]] std::function<bool(std::uint32_t)> before(std::uint32_t rank) const {
    return [this, rank](std::uint32_t id) { return rank_of_[id] < rank; };
  }
  [[nodiscard]] Ids from(std::uint32_t rank, std::size_t limit = std::size_t(-1)) const {
    Ids out;
    ids_.walk(ids_.find(before(rank)), [&](std::uint32_t id) {
      out.push_back(id);
      return out.size() < limit;
    });
    return out;
  }
  [[nodiscard]] Ids plain_from(std::uint32_t rank) const {
    return {std::ranges::lower_bound(plain_, rank, {}, [&](std::uint32_t one) { return rank_of_[one]; }), plain_.end()};
  }
  // Bytes of an id, where a full leaf takes four.
  [[nodiscard]] double bytes_an_id() const {
    return static_cast<double>(ids_.memory_bytes()) / static_cast<double>(plain_.size());
  }

  SortedIds ids_;
  Ids plain_;
  std::vector<std::uint32_t> rank_of_;  // by id; all differ
};

TEST_F(SortedIdsTest, NothingIsInIt) {
  EXPECT_EQ(from(0), Ids{});
  EXPECT_EQ(ids_.memory_bytes(), 0U);
}

TEST_F(SortedIdsTest, AtTheEdgesOfLeaves) {
  constexpr std::uint32_t kMany = 3 * SortedIds::kLeafMax;
  for (std::uint32_t rank = 1; rank <= kMany; ++rank) add(rank * 2);
  for (std::uint32_t rank = 0; rank <= kMany * 2 + 2; ++rank) ASSERT_EQ(from(rank), plain_from(rank)) << rank;
  EXPECT_EQ(from(SortedIds::kLeafMax * 2, 2), (Ids{SortedIds::kLeafMax - 1, SortedIds::kLeafMax}));
}

TEST_F(SortedIdsTest, WhatComesInOrderFillsLeaves) {
  for (std::uint32_t rank = 0; rank < 10'000; ++rank) add(rank);
  EXPECT_EQ(from(0), plain_);
  EXPECT_LT(bytes_an_id(), 4.5);
}

TEST_F(SortedIdsTest, InReverseOrder) {
  for (std::uint32_t rank = 10'000; rank > 0; --rank) add(rank);
  EXPECT_EQ(from(0), plain_);
  EXPECT_LT(bytes_an_id(), 8);
}

TEST_F(SortedIdsTest, InOrderInTheMiddle) {
  for (std::uint32_t rank = 0; rank < 500; ++rank) add(rank * 1000);
  for (std::uint32_t rank = 1; rank < 10'000; ++rank) {
    if (rank % 1000 != 0) add(rank);
    if (rank % 1000 != 0) add(200'000 + rank);
  }
  EXPECT_EQ(from(0), plain_);
  EXPECT_LT(bytes_an_id(), 7);
}

// The worst that can be done to it: whatever is added splits a leaf where few are left on one side.
TEST_F(SortedIdsTest, LeavesAreNeverNearlyEmpty) {
  for (std::uint32_t rank = 0; rank < 1000; ++rank) add(rank * 10'000);
  for (std::uint32_t i = 1; i < 9'000; ++i) add(9'990'000 - i % 2 * 9'980'000 - i / 2 - 1);
  EXPECT_EQ(from(0), plain_);
  EXPECT_LT(bytes_an_id(), 17);
}

TEST_F(SortedIdsTest, AgreesWithAPlainSortedList) {
  std::mt19937 random{5};
  std::vector<std::uint32_t> ranks(20'000);
  for (std::uint32_t i = 0; i < ranks.size(); ++i) ranks[i] = i * 3 + 1;
  std::ranges::shuffle(ranks, random);
  for (std::uint32_t i = 0; i < ranks.size(); ++i) {
    add(ranks[i]);
    if (i % 97 == 0) {
      const auto rank = static_cast<std::uint32_t>(random() % (ranks.size() * 3 + 2));
      ASSERT_EQ(from(rank), plain_from(rank)) << i;
    }
  }
  ASSERT_EQ(from(0), plain_);
  EXPECT_LT(bytes_an_id(), 7);
}

}  // namespace
}  // namespace varve::index
