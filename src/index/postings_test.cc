// SPDX-License-Identifier: Apache-2.0
#include "index/postings.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "index/id_table.h"

namespace varve::index {
namespace {

TEST(Postings, AreEmptyThenOneThenMany) {
  Postings postings;
  ListRef list = kEmptyList;
  EXPECT_EQ(postings.count(list), 0U);
  EXPECT_TRUE(postings.ids(list).empty());
  std::vector<std::uint32_t> expected;
  for (const std::uint32_t id : {0U, 1U, 2U, 200U, 201U, 100'000U, 100'001U, kIdsMax - 2, kIdsMax - 1}) {
    postings.append(list, id);
    expected.push_back(id);
    EXPECT_EQ(postings.ids(list), expected);
    EXPECT_EQ(postings.count(list), expected.size());
    EXPECT_EQ(postings.first(list), 0U);
    EXPECT_EQ(postings.last(list), id);
  }
}

TEST(Postings, KeepManyListsThatGrowTogether) {
  std::mt19937 random(1);
  Postings postings;
  constexpr int kLists = 50;
  std::vector<ListRef> lists(kLists, kEmptyList);
  std::vector<std::vector<std::uint32_t>> expected(kLists);
  std::uint32_t id = 0;
  for (int i = 0; i < 50'000; ++i) {
    id += 1U << random() % 14;
    const auto at = random() % (i % 3 == 0 ? 3 : kLists);
    postings.append(lists[at], id);
    expected[at].push_back(id);
  }
  for (std::size_t i = 0; i < kLists; ++i) {
    ASSERT_EQ(postings.ids(lists[i]), expected[i]);
    EXPECT_EQ(postings.first(lists[i]), expected[i].front());
    EXPECT_EQ(postings.last(lists[i]), expected[i].back());
  }
}

TEST(Postings, DenseListsCostLittle) {
  Postings postings;
  ListRef list = kEmptyList;
  for (std::uint32_t id = 0; id < 1'000'000; id += 10) postings.append(list, id);
  EXPECT_LT(postings.memory_bytes(), 250'000U);  // 100,000 ids, one column block, one arena
}

TEST(IdTable, ContentDecidesNotTheHash) {
  std::vector<std::string> texts;
  std::map<std::string, std::uint32_t> known;
  IdTable table;
  std::mt19937 random(2);
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = std::to_string(random() % 5000);
    // A bad hash: 300 values, all parts in use, and long runs of equal ones.
    const std::uint32_t hash = static_cast<std::uint32_t>(std::stoul(text)) % 300 * 14'316'557;
    const auto found = table.find(hash, [&](std::uint32_t id) { return texts[id] == text; });
    const auto at = known.find(text);
    ASSERT_EQ(found, at == known.end() ? kNone : at->second);
    if (found == kNone) {
      const auto id = static_cast<std::uint32_t>(texts.size());
      known[text] = id;
      texts.push_back(text);
      table.insert(hash, id);
    }
  }
  EXPECT_GT(table.memory_bytes(), texts.size() * 8);
}

TEST(Arena, PiecesDoNotOverlapAndStay) {
  Strings strings;
  std::vector<std::pair<std::uint32_t, std::string>> expected;
  std::mt19937 random(3);
  for (int i = 0; i < 300; ++i) {
    std::string text(i % 10 == 0 ? 65535 - random() % 10 : random() % 50, static_cast<char>('a' + i % 26));
    expected.emplace_back(strings.add(text), text);
  }
  for (const auto& [place, text] : expected) ASSERT_EQ(strings.at(place), text);
}

}  // namespace
}  // namespace varve::index
