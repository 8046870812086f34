// SPDX-License-Identifier: Apache-2.0
// The contract of a MessageStore, as tests: every engine passes them. Include in one test file of an engine and write
//   INSTANTIATE_TEST_SUITE_P(Rocksdb, MessageContract, ::testing::Values(MakeEngine(…)));
// Each case looks at the messages when they have just been put, after settle(), and after a restart.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "storage/testing/message_fixture.h"

namespace varve::storage::testing {

class MessageContract : public ::testing::TestWithParam<MakeEngine> {
 protected:
  static constexpr std::int64_t kHour = 3'600'000'000;
  MessageContract() : engine(GetParam()()), store(*engine), now_us(engine->now_ms() * 1000) {}

  // Looks now, settled, and started anew; and once more when all is quiet.
  template <class Look>
  void everywhere(const Look& look) {
    {
      SCOPED_TRACE("as put");
      look();
    }
    ASSERT_TRUE(engine->samples().settle());
    {
      SCOPED_TRACE("settled");
      look();
    }
    engine->restart();
    {
      SCOPED_TRACE("restarted");
      look();
    }
    if (!engine->advance_ms(2 * kHour / 1000)) return;
    ASSERT_TRUE(engine->samples().settle());
    SCOPED_TRACE("settled when it was over");
    look();
  }
  std::vector<TestMessage> all(std::string_view tenant = "t") {
    return store.read(tenant, now_us - 1000 * kHour, now_us + 1000 * kHour);
  }
  std::vector<std::string> texts(std::string_view tenant = "t") {
    std::vector<std::string> out;
    for (const TestMessage& one : all(tenant)) out.push_back(one.text);
    return out;
  }
  using Texts = std::vector<std::string>;
  // Those with this text.
  std::uint64_t erase(std::int64_t first_us, std::int64_t last_us, std::string_view text) {
    const auto condition =
        message::Condition::of(*message::make_term(message::Column::text, {}, message::Op::equal, text));
    const auto erased = engine->messages()->delete_messages("t", first_us, last_us, condition);
    EXPECT_TRUE(erased) << erased.error().message;
    return erased.value_or(~std::uint64_t{0});
  }

  std::unique_ptr<Engine> engine;
  MessageFixture store;
  const std::int64_t now_us;
};

TEST_P(MessageContract, nothing_is_there_before) {
  EXPECT_TRUE(all().empty());
  const auto names = engine->messages()->message_names("t");
  ASSERT_TRUE(names);
  EXPECT_TRUE(names->fields.empty());
  EXPECT_TRUE(engine->samples().settle());
}

TEST_P(MessageContract, an_empty_request_is_done) {
  EXPECT_TRUE(store.put("t", {}));
  EXPECT_TRUE(all().empty());
}

TEST_P(MessageContract, is_seen_when_it_is_acknowledged) {
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(store.put("t", {{now_us - kHour + i, std::to_string(i)}}));
    ASSERT_EQ(all().size(), static_cast<std::size_t>(i) + 1);
  }
}

TEST_P(MessageContract, cells_come_back_byte_for_byte) {
  const TestMessage full{now_us - kHour,
                         std::string("a\0b\n\xff\xfe end", 10),
                         "0123456789abcdef",
                         "host'\"\\%*",
                         999,
                         {"ObjectVNTable:default:net", "x:y:z"},
                         {{"k", "v"}, {"a.b", ""}}};
  const TestMessage bare{now_us - kHour + 1, ""};
  ASSERT_TRUE(store.put("t", {full, bare}));
  everywhere([&] { EXPECT_EQ(all(), (std::vector{full, bare})); });
}

TEST_P(MessageContract, come_by_time_then_by_arrival) {
  const std::int64_t time = now_us - 2 * kHour;
  ASSERT_TRUE(store.put("t", {{time + 5, "c"}, {time, "a"}, {time + 5, "d"}}));
  ASSERT_TRUE(store.put("t", {{time, "b"}, {time + 5, "e"}}));
  ASSERT_TRUE(store.put("t", {{time + 5, "f"}, {.time_us = time + 5, .text = "g", .nanos = 1}}));
  everywhere([&] { EXPECT_EQ(texts(), (Texts{"a", "b", "c", "d", "e", "f", "g"})); });
}

TEST_P(MessageContract, arrivals_are_told_apart_and_stay) {
  std::vector<TestMessage> messages(3000, {now_us - 3 * kHour, "same"});
  ASSERT_TRUE(store.put("t", messages));
  ASSERT_TRUE(store.put("t", messages));
  const auto arrivals = [&] {
    std::set<std::uint64_t> out;
    for (const auto& one : store.parts("t", now_us - 4 * kHour, now_us)) out.insert(one.arrival);
    return out;
  };
  const auto before = arrivals();
  EXPECT_EQ(before.size(), 6000U);
  everywhere([&] { EXPECT_EQ(arrivals(), before); });
}

TEST_P(MessageContract, parts_are_of_the_range_and_of_the_tenant) {
  const std::int64_t time = now_us - 10 * kHour;
  ASSERT_TRUE(store.put("t", {{time, "0"}, {time + 10, "10"}, {time + kHour, "hour"}, {time + 2 * kHour, "two"}}));
  ASSERT_TRUE(store.put("other", {{time, "another's"}, {time + 5 * kHour, "another's, later"}}));
  everywhere([&] {
    EXPECT_EQ(store.read("t", time, time + 10).size(), 2U);
    EXPECT_EQ(store.read("t", time + kHour, time + kHour).size(), 1U);
    EXPECT_EQ(store.read("t", time + 11, time + kHour - 1).size(), 0U);
    EXPECT_EQ(store.read("t", time + 1, time + 2 * kHour).size(), 3U);
    EXPECT_EQ(store.parts("t", time + 4 * kHour, time + 9 * kHour).size(), 0U);
    EXPECT_EQ(store.read("t", time + 6, time + 5).size(), 0U);
    EXPECT_EQ(texts("t").size(), 4U);
    EXPECT_EQ(texts("other"), (Texts{"another's", "another's, later"}));
    EXPECT_TRUE(texts("nobody").empty());
    EXPECT_TRUE(texts("").empty());
  });
}

TEST_P(MessageContract, times_before_1970_and_far_ahead) {
  const std::vector<std::int64_t> times{-1, -kHour, -kHour - 1, -1'000'000 * kHour, 0, 1, 2'000'000 * kHour};
  std::vector<TestMessage> messages;
  for (const std::int64_t time : times) messages.push_back({time, std::to_string(time)});
  ASSERT_TRUE(store.put("t", messages));
  const auto look = [&] {
    for (const std::int64_t time : times) {
      const auto found = store.read("t", time, time);
      ASSERT_EQ(found.size(), 1U) << time;
      EXPECT_EQ(found[0].text, std::to_string(time));
    }
    EXPECT_EQ(store.read("t", -kHour - 1, 1).size(), 5U);
    EXPECT_EQ(store.read("t", std::numeric_limits<std::int64_t>::min(), -2).size(), 3U);
    EXPECT_EQ(store.read("t", 2, std::numeric_limits<std::int64_t>::max()).size(), 1U);
  };
  everywhere(look);
}

TEST_P(MessageContract, the_same_time_and_id_is_the_same_message) {
  const std::string id = "0123456789abcdef", other = "fedcba9876543210";
  const std::int64_t time = now_us - 2 * kHour;
  ASSERT_TRUE(
      store.put("t", {{time, "first", id}, {time, "again", id}, {time, "other", other}, {time + 1, "later", id}}));
  ASSERT_TRUE(store.put("t", {{time, "once more", id}}));
  everywhere([&] {
    EXPECT_EQ(texts(), (Texts{"first", "other", "later"}));
    ASSERT_TRUE(store.put("t", {{time, "repeated", id}}));
  });
}

TEST_P(MessageContract, a_request_that_comes_again_is_stored_once) {
  const std::int64_t time = now_us - 2 * kHour;
  std::vector<TestMessage> request{{time, "twice"}, {time, "twice"}, {time + 1, "once"}};
  request[2].fields = {{"user", "a"}};
  ASSERT_TRUE(store.put_as_request("t", request));
  std::string id;
  everywhere([&] {
    const auto found = store.read("t", time, time + 1);
    ASSERT_EQ(found.size(), 3U);
    EXPECT_NE(found[0].id, found[1].id);
    if (id.empty()) id = found[2].id;
    EXPECT_EQ(found[2].id, id) << "wherever it is stored";
    EXPECT_EQ(texts(), (Texts{"twice", "twice", "once"}));
    ASSERT_TRUE(store.put_as_request("t", request));
    std::ranges::rotate(request, request.begin() + 1);
    ASSERT_TRUE(store.put("t", {{time + 1, "once", id, {}, 0, {}, {{"user", "a"}}}})) << "read, and written back";
  });
}

TEST_P(MessageContract, late_ones_join_what_is_sealed) {
  const std::int64_t time = now_us - 5 * kHour;
  Texts want;
  for (int round = 0; round < 4; ++round) {
    for (const int at : {round, 10 - round}) {
      ASSERT_TRUE(store.put("t", {{time + at, std::to_string(at)}}));
      want.push_back(std::to_string(at));
    }
    std::ranges::sort(want, {}, [](const std::string& text) { return std::stoi(text); });
    everywhere([&] { EXPECT_EQ(texts(), want); });
  }
}

TEST_P(MessageContract, names_that_messages_brought_along) {
  const std::int64_t time = now_us - 3 * kHour;
  TestMessage one{time, "x"}, two{time + kHour, "y"};
  one.fields = {{"status", "200"}, {"user.name", "a"}};
  one.objects = {"ObjectVNTable:a", "ObjectVNTable:b"};
  two.fields = {{"status", "404"}, {"only", "here"}};
  two.objects = {"ObjectVRouter:c:d"};
  TestMessage others{time, "z"};
  others.fields = {{"secret", "1"}};
  ASSERT_TRUE(store.put("t", {one}));
  ASSERT_TRUE(store.put("t", {two, one}));
  ASSERT_TRUE(store.put("other", {others}));
  everywhere([&] {
    const auto names = engine->messages()->message_names("t");
    ASSERT_TRUE(names);
    EXPECT_EQ(names->fields, (decltype(names->fields){"only", "status", "user.name"}));
    EXPECT_EQ(names->object_types, (decltype(names->object_types){"ObjectVNTable", "ObjectVRouter"}));
    const auto nobody = engine->messages()->message_names("nobody");
    ASSERT_TRUE(nobody);
    EXPECT_TRUE(nobody->fields.empty() && nobody->object_types.empty());
  });
}

TEST_P(MessageContract, many_and_large_ones_in_one_request) {
  std::vector<TestMessage> messages;
  for (int i = 0; i < 20'000; ++i) messages.push_back({now_us - 9 * kHour + i * 1'000'000LL, std::to_string(i)});
  ASSERT_TRUE(store.put("t", messages));
  std::mt19937_64 random(7);
  std::string noise(message::kTextBytesMax, ' ');
  for (char& c : noise) c = static_cast<char>(random());
  const TestMessage large{now_us - 9 * kHour + 500, noise};
  const TestMessage smooth{now_us - 9 * kHour + 500, std::string(message::kTextBytesMax, 'x')};
  ASSERT_TRUE(store.put("t", {large, smooth}));
  messages.insert(messages.begin() + 1, {large, smooth});
  everywhere([&] { EXPECT_EQ(all(), messages); });
}

TEST_P(MessageContract, out_of_order_over_many_slots) {
  std::mt19937_64 random(11);
  std::vector<TestMessage> want;
  for (int request = 0; request < 40; ++request) {
    std::vector<TestMessage> messages;
    for (int i = 0; i < 50; ++i) {
      const auto ago = static_cast<std::int64_t>(random() % (30 * static_cast<std::uint64_t>(kHour)));
      messages.push_back({now_us - ago, std::to_string(request) + "/" + std::to_string(i)});
    }
    ASSERT_TRUE(store.put("t", messages));
    want.insert(want.end(), messages.begin(), messages.end());
    ASSERT_TRUE(request % 10 != 9 || engine->samples().settle());
  }
  std::ranges::stable_sort(want, {}, &TestMessage::time_us);
  everywhere([&] { EXPECT_EQ(all(), want); });
}

TEST_P(MessageContract, deletes_what_fulfils_a_condition) {
  const std::int64_t time = now_us - 5 * kHour;
  ASSERT_TRUE(store.put("t", {{time + 1, "a"}, {time + 2, "b"}, {time + kHour, "a"}, {time + 2 * kHour, "b"}}));
  ASSERT_TRUE(store.put("other", {{time + 1, "a"}}));
  ASSERT_TRUE(engine->samples().settle());
  ASSERT_TRUE(store.put("t", {{time + 3, "a"}, {time + kHour + 1, "a"}, {time + 3 * kHour, "b"}}));
  EXPECT_EQ(erase(time + 1, time + kHour, "a"), 3U) << "hot and sealed, both ends";
  EXPECT_EQ(texts(), (Texts{"b", "a", "b", "b"}));
  EXPECT_EQ(erase(time + 1, time + kHour, "a"), 0U);
  everywhere([&] { EXPECT_EQ(texts(), (Texts{"b", "a", "b", "b"})); });
  ASSERT_TRUE(store.put("t", {{time + 1, "a"}, {time + 3, "a"}}));
  everywhere([&] { EXPECT_EQ(texts(), (Texts{"a", "b", "a", "a", "b", "b"})) << "what comes later stays"; });
  const auto all_of_time = engine->messages()->delete_messages("t", std::numeric_limits<std::int64_t>::min(),
                                                               std::numeric_limits<std::int64_t>::max(), {});
  ASSERT_TRUE(all_of_time) << all_of_time.error().message;
  EXPECT_EQ(*all_of_time, 6U);
  everywhere([&] {
    EXPECT_TRUE(all().empty());
    EXPECT_EQ(texts("other"), (Texts{"a"}));
  });
  EXPECT_EQ(engine->messages()->delete_messages("nobody", time, now_us, {}).value_or(1), 0U);
}

TEST_P(MessageContract, deletes_every_copy_of_what_a_sender_repeats) {
  const std::string id(16, '1');
  const TestMessage once{now_us - kHour, "a", id}, later{now_us - kHour + 1, "a", id};
  ASSERT_TRUE(store.put("t", {once, once, later}));
  ASSERT_TRUE(engine->samples().settle());
  ASSERT_TRUE(store.put("t", {once, {now_us - kHour, "a"}}));
  EXPECT_EQ(erase(now_us - kHour, now_us - kHour, "a"), 2U);
  everywhere([&] { EXPECT_EQ(all(), (std::vector{later})); });
  ASSERT_TRUE(store.put("t", {once}));
  everywhere([&] { EXPECT_EQ(all(), (std::vector{once, later})) << "sent again after that, it is there"; });
}

TEST_P(MessageContract, deletes_by_every_kind_of_condition) {
  const std::int64_t time = now_us - 2 * kHour;
  using message::Column;
  using message::Condition;
  using message::Op;
  const auto term = [](Column column, Op op, std::string_view text, std::string_view field = {}) {
    return Condition::of(*message::make_term(column, field, op, text));
  };
  const std::vector<Condition> conditions{
      term(Column::text, Op::regex, "a+b"),
      term(Column::text, Op::word, "WORD"),
      term(Column::object, Op::prefix, "Net:"),
      term(Column::field, Op::equal, "7", "n"),
      term(Column::field, Op::prefix, "9", "n"),
      {Condition::Kind::all,
       {term(Column::source, Op::equal, "x"), {Condition::Kind::none, {term(Column::text, Op::equal, "stays")}, {}}},
       {}},
      {Condition::Kind::any, {term(Column::text, Op::contains, "ot"), term(Column::text, Op::equal, "?")}, {}}};
  std::vector<TestMessage> messages{{time, "aab"},
                                    {time + 1, "one word,"},
                                    {.time_us = time + 2, .text = "n"},
                                    {.time_us = time + 3, .text = "seven"},
                                    {.time_us = time + 4, .text = "nine"},
                                    {.time_us = time + 5, .text = "goes", .source = "x"},
                                    {time + 6, "other"},
                                    {.time_us = time + 7, .text = "stays", .source = "x"}};
  messages[2].objects = {"Net:a:b"};
  messages[3].fields = {{"n", "7"}};
  messages[4].fields = {{"n", "9"}};
  ASSERT_TRUE(store.put("t", messages));
  for (const Condition& condition : conditions) {
    const auto erased = engine->messages()->delete_messages("t", time, time + 10, condition);
    ASSERT_TRUE(erased) << erased.error().message;
    EXPECT_EQ(*erased, 1U);
    messages.erase(messages.begin());
    EXPECT_EQ(all(), messages);
  }
  everywhere([&] { EXPECT_EQ(all(), messages); });
}

TEST_P(MessageContract, several_at_once) {
  constexpr int kThreads = 4, kRequests = 20;
  std::vector<std::thread> threads;
  std::atomic<int> failed{0};
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kRequests; ++i) {
        const std::int64_t time = now_us - kHour + t * 1000 + i;
        if (!store.put("t", {{time, std::to_string(t)}, {time - kHour, "-"}})) ++failed;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 0);
  everywhere([&] { EXPECT_EQ(all().size(), std::size_t{2} * kThreads * kRequests); });
}

}  // namespace varve::storage::testing
