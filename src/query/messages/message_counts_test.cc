// SPDX-License-Identifier: Apache-2.0
// Random parts, as rows and as blocks: what is found and counted is what a plain list says.
#include "query/messages/message_counts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "base/testing/effort.h"
#include "model/time.h"
#include "query/messages/block_answers.h"
#include "query/testing/parts_store.h"

namespace varve::query {
namespace {

using Message = testing::PartsStore::Message;
using message::block::GroupColumn;

std::vector<Message> first_of_each(std::vector<Message> messages) {
  std::ranges::sort(messages, {}, [](const Message& one) { return std::pair(one.time_us, one.arrival); });
  std::set<std::pair<std::int64_t, std::string>> seen;
  std::erase_if(messages,
                [&](const Message& one) { return !one.id.empty() && !seen.emplace(one.time_us, one.id).second; });
  return messages;
}

struct Case {
  testing::PartsStore store;
  std::vector<Message> all;
};

void make_case(std::mt19937& random, Case& made) {
  std::uint64_t arrival = 0;
  for (unsigned part = random() % 6; part > 0; --part) {
    std::vector<Message> some;
    // Some of them only touch: the last time of one is the first of the next.
    const auto from = static_cast<std::int64_t>(random() % 2 == 0 ? random() % 50 : 19 * (random() % 3));
    for (unsigned i = random() % 30 + 1; i > 0; --i) {
      Message one{from + static_cast<std::int64_t>(random() % 20),
                  std::string(1, static_cast<char>('a' + random() % 3)), ++arrival, "", static_cast<int>(random() % 3)};
      if (random() % 4 == 0) {  // the same message says the same
        one.id = std::string(16, static_cast<char>('0' + random() % 2));
        one.text = one.time_us % 2 == 0 ? "a" : "b";
        one.level = static_cast<int>(one.time_us % 3);
      }
      some.push_back(one);
    }
    made.all.insert(made.all.end(), some.begin(), some.end());
    const bool sealed = random() % 2 == 0;
    if (sealed) some = first_of_each(some);
    made.store.add(some, sealed);
  }
}

class MessageCounts : public ::testing::Test {
 protected:
  MessageSearch random_search(std::mt19937& random) {
    MessageSearch search;
    search.tenant = "t";
    search.first_us = static_cast<std::int64_t>(random() % 60);
    search.last_us = search.first_us + static_cast<std::int64_t>(random() % 80);
    search.newest_first = random() % 2 == 0;
    if (random() % 2 == 0) {
      search.condition =
          message::Condition::of(*message::make_term(message::Column::text, "", message::Op::equal, "a"));
    }
    return search;
  }
  static bool finds(const MessageSearch& search, const Message& one) {
    const bool all = search.condition.kind == message::Condition::Kind::all;
    return one.time_us >= search.first_us && one.time_us <= search.last_us && (all || one.text == "a");
  }

  ManualClock clock_{0};
  const Limits limits_;
  std::atomic<bool> cancelled_{false};
  const Deadline deadline_{clock_, limits_, &cancelled_};
};

TEST_F(MessageCounts, AsAPlainListHasThem) {
  for (int round = 0; round < varve::testing::effort(400); ++round) {
    std::mt19937 random(static_cast<unsigned>(round));
    Case made;
    make_case(random, made);
    const MessageSearch search = random_search(random);
    const std::int64_t window = random() % 2 == 0 ? 0 : static_cast<std::int64_t>(random() % 20) + 1;
    std::vector<GroupColumn> columns{{message::Column::level}};
    if (window != 0) columns.push_back({message::Column::time, "", window});
    using Counts = std::map<std::pair<std::int64_t, std::int64_t>, std::uint64_t>;
    const auto key = [&](std::int64_t time, std::int64_t level) {
      return std::pair(window == 0 ? 0 : model::window_start(time, window), level);
    };
    Counts counts, expected;
    ASSERT_TRUE(
        count_groups(made.store, search, columns, deadline_, [&](message::RowView row, std::uint64_t times) -> Status {
          const auto level = row.cell(message::Column::level);
          counts[key(row.time_us(), level ? level->number : -1)] += times;
          return {};
        }));
    std::vector<std::uint64_t> arrivals, found;
    for (const Message& one : first_of_each(made.all)) {
      if (!finds(search, one)) continue;
      ++expected[key(one.time_us, one.level)];
      arrivals.push_back(one.arrival);
    }
    EXPECT_EQ(counts, expected) << round;
    ASSERT_TRUE(query::search(made.store, search, deadline_, [&](message::RowView row) -> Result<bool> {
      found.push_back(row.arrival());
      return true;
    }));
    if (search.newest_first) std::ranges::reverse(arrivals);
    EXPECT_EQ(found, arrivals) << round;
  }
}

// A block has as many messages as it can, and the next one goes on where it ends.
TEST_F(MessageCounts, OfBlocksThatTouchOnlyTheEdgeIsForRows) {
  const auto id = [](char c) { return std::string(16, c); };
  testing::PartsStore store;
  store.add({{1, "a", 1, id('1')}, {5, "a", 2, id('2')}, {9, "a", 3, id('3')}, {9, "a", 4, id('4')}}, true);
  store.add({{9, "a", 5, id('4')}, {9, "a", 6, id('5')}, {11, "a", 7, id('6')}}, true);
  MessageSearch search;
  search.tenant = "t";
  search.last_us = 20;
  std::size_t in_blocks = 0, in_rows = 0;
  const auto block = [&](const auto&, const message::block::Bitmap& found) -> Result<bool> {
    in_blocks += found.count();
    return true;
  };
  ASSERT_TRUE(answer_by_blocks(store, search, deadline_, block, [&](message::RowView row) -> Status {
    EXPECT_EQ(row.time_us(), 9);
    ++in_rows;
    return {};
  }));
  EXPECT_EQ(in_blocks, 3U);
  EXPECT_EQ(in_rows, 3U) << "one has come twice";
}

TEST_F(MessageCounts, EndsWhenNobodyWaits) {
  testing::PartsStore store;
  store.add({{1, "a", 1}}, true);
  cancelled_ = true;
  MessageSearch search;
  search.tenant = "t";
  search.last_us = 10;
  const auto status = count_groups(store, search, {}, deadline_, [](auto, auto) -> Status { return {}; });
  EXPECT_EQ(status.error().code, Code::cancelled);
}

}  // namespace
}  // namespace varve::query
