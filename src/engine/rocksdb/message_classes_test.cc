// SPDX-License-Identifier: Apache-2.0
// Classes of messages: sealed blocks never mix them, and each goes when its own time is over.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <set>
#include <tuple>

#include "base/testing/effort.h"
#include "engine/rocksdb/testing/directory.h"
#include "engine/rocksdb/testing/memory_directories.h"
#include "engine/rocksdb/testing/messages.h"
#include "engine/rocksdb/testing/records.h"
#include "message/matches.h"

namespace varve::engine::rocksdb {
namespace {

using testing::SeenMessage;

constexpr std::int64_t kClassHour = 3'600'000;
constexpr std::int64_t kClassDay = 24 * kClassHour;
constexpr std::int64_t kClassStart = 20'000 * kClassDay;
constexpr std::int64_t kAlways = kClassStart * 100'000;

// By the beginning of their texts, which these messages have and no others.
message::ClassRule rule_of(std::string name, std::int64_t retention_ms, std::string text) {
  return {.name = std::move(name),
          .retention_ms = retention_ms,
          .column = message::Column::text,
          .value = std::move(text),
          .is_prefix = true};
}

message::Classes two_classes() {
  return {{rule_of("audit", 9 * kClassDay, "a"), rule_of("brief", kClassDay, "b")}, 3 * kClassDay};
}

class MessageClasses : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { testing::make_directories_in_memory(); }
  static Options options() {
    Options options;
    options.slot_quiet_ms = 1000 * kClassDay;  // rounds of their own would make the tests depend on their luck
    options.merge_quiet_ms = 1000 * kClassDay;
    options.message_classes = two_classes();
    return options;
  }
  MessageClasses() : clock_(kClassStart), engine_(options(), clock_) {}

  static SeenMessage at(std::int64_t ms, std::string text) {
    return {(kClassStart + ms) * 1000, 0, std::move(text), ""};
  }
  void put(const std::vector<SeenMessage>& messages) {
    ASSERT_TRUE(testing::put_messages(engine_.store(), "t", messages));
  }
  void settle() { ASSERT_TRUE(engine_.samples().settle()); }
  std::vector<SeenMessage> seen() {
    auto messages = testing::messages_of(engine_.store(), "t", -kAlways, kAlways);
    for (SeenMessage& one : messages) one.arrival = 0;
    std::ranges::sort(messages);
    return messages;
  }
  std::vector<std::string> texts() {
    std::vector<std::string> out;
    for (const auto& one : seen()) out.push_back(one.text);
    return out;
  }
  std::vector<storage::MessagePart> parts() { return engine_.store().message_parts("t", -kAlways, kAlways).value(); }
  // The first letters of the texts of each part, which are its classes.
  std::vector<std::string> classes_of_parts() {
    std::vector<std::string> out;
    for (const auto& part : parts()) {
      std::set<char> first;
      for (const auto& one : testing::messages_of(part, -kAlways, kAlways)) first.insert(one.text[0]);
      out.emplace_back(first.begin(), first.end());
    }
    std::ranges::sort(out);
    return out;
  }

  ManualClock clock_;
  testing::RocksdbEngine engine_;
};

using Texts = std::vector<std::string>;

TEST_F(MessageClasses, ABlockHoldsOneClass) {
  put({at(-5 * kClassHour, "a1"), at(-5 * kClassHour + 1, "x1"), at(-5 * kClassHour + 2, "b1"),
       at(-5 * kClassHour + 3, "a2")});
  EXPECT_EQ(classes_of_parts(), (Texts{"a", "b", "x"}));
  settle();
  EXPECT_EQ(classes_of_parts(), (Texts{"a", "b", "x"}));
  for (const auto& part : parts()) EXPECT_TRUE(part.block);
  EXPECT_EQ(texts(), (Texts{"a1", "x1", "b1", "a2"}));
  // To people they are one slot.
  const auto slots = engine_.store().message_slots(engine_.store().find_tenant("t").value().value(), 10);
  ASSERT_EQ(slots.size(), 1U);
  EXPECT_EQ(slots[0].samples, 4U);
  EXPECT_EQ(slots[0].fragments, 3U);
  EXPECT_EQ(slots[0].phase, storage::SlotPhase::sealed);
}

// Of all parts those that a question for less time gets, whatever the classes and slots that it does not look at.
TEST_F(MessageClasses, AQuestionGetsThePartsOfItsTime) {
  const auto span_of = [](const storage::MessagePart& part) {
    return std::tuple(part.first_us, part.last_us, part.messages);
  };
  std::mt19937 random(11);
  const auto pick_ms = [&] { return -static_cast<std::int64_t>(random() % (20 * kClassHour)); };
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 60; ++i) put({at(pick_ms(), std::string(1, "abx"[random() % 3]))});
    if (round < 2) settle();
    const auto all = parts();
    for (int i = 0; i < 50; ++i) {
      const std::int64_t first_us = (kClassStart + pick_ms()) * 1000 + static_cast<std::int64_t>(random() % 1000);
      const std::int64_t last_us = first_us + static_cast<std::int64_t>(random() % (3 * kClassHour)) * 1000;
      std::multiset<std::tuple<std::int64_t, std::int64_t, std::uint64_t>> want, got;
      for (const auto& part : all) {
        if (part.first_us <= last_us && part.last_us >= first_us) want.insert(span_of(part));
      }
      for (const auto& part : engine_.store().message_parts("t", first_us, last_us).value()) got.insert(span_of(part));
      ASSERT_EQ(got, want) << first_us << ' ' << last_us;
    }
  }
  constexpr auto kBeforeAll = std::numeric_limits<std::int64_t>::min();
  constexpr auto kBehindAll = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(engine_.store().message_parts("t", kBeforeAll, kBehindAll).value().size(), parts().size());
  EXPECT_TRUE(engine_.store().message_parts("t", kBeforeAll, kBeforeAll).value().empty());
}

TEST_F(MessageClasses, EachGoesWhenItsOwnTimeIsOver) {
  put({at(-kClassHour, "a"), at(-kClassHour, "b"), at(-kClassHour, "x"), at(-kClassHour, "of another tenant")});
  settle();
  const auto bytes = [&] { return engine_.store().storage_bytes().message; };
  const auto all = bytes();
  clock_.advance_ms(kClassDay + kClassHour);
  settle();
  EXPECT_EQ(texts(), (Texts{"a", "of another tenant", "x"}));
  EXPECT_LT(bytes(), all);
  clock_.advance_ms(2 * kClassDay);
  settle();
  EXPECT_EQ(texts(), Texts{"a"});
  engine_.restart();
  EXPECT_EQ(texts(), Texts{"a"});
  clock_.advance_ms(6 * kClassDay);
  settle();
  EXPECT_EQ(texts(), Texts{});
  EXPECT_EQ(bytes(), 0U);
}

// Storage shrinks within the hour, also where only one class is short.
TEST_F(MessageClasses, TheShortestRetentionSaysHowOftenIsLooked) {
  engine_.options().message_classes = message::Classes({rule_of("brief", kClassHour, "b")}, rollup::kForEver);
  engine_.restart();
  put({at(-kClassHour, "b"), at(-kClassHour, "x")});
  clock_.advance_ms(kClassHour / 2);
  settle();
  EXPECT_EQ(texts(), (Texts{"b", "x"}));
  clock_.advance_ms(kClassHour / 2);
  settle();
  EXPECT_EQ(texts(), Texts{"x"});
}

TEST_F(MessageClasses, WhatIsStoredStaysReadableWhenTheConfigurationChanges) {
  put({at(-kClassHour, "a"), at(-kClassHour, "b"), at(-kClassHour, "x")});
  settle();
  put({at(-kClassHour, "a hot"), at(-kClassHour, "b hot")});
  // audit is gone: what is sealed is kept as the default class is. What is in the log is what it is now.
  engine_.options().message_classes = message::Classes({rule_of("later", 30 * kClassDay, "b")}, 3 * kClassDay);
  engine_.restart();
  EXPECT_EQ(texts(), (Texts{"a", "a hot", "b", "b hot", "x"}));
  settle();
  EXPECT_EQ(texts(), (Texts{"a", "a hot", "b", "b hot", "x"}));
  clock_.advance_ms(3 * kClassDay + kClassHour);
  settle();
  EXPECT_EQ(texts(), Texts{"b hot"});
  engine_.options().message_classes = message::Classes({}, rollup::kForEver);
  engine_.restart();
  EXPECT_EQ(texts(), Texts{"b hot"});
}

TEST_F(MessageClasses, DeletesTakeAllClasses) {
  put({at(-kClassHour, "a"), at(-kClassHour, "b"), at(-kClassHour, "x"), at(0, "a")});
  settle();
  put({at(-kClassHour, "b2")});
  const auto term = *message::make_term(message::Column::text, "", message::Op::prefix, "b");
  EXPECT_EQ(engine_.store().delete_messages("t", -kAlways, kAlways, message::Condition::of(term)).value(), 2U);
  EXPECT_EQ(texts(), (Texts{"a", "x", "a"}));
  EXPECT_EQ(engine_.store().delete_messages("t", -kAlways, (kClassStart - 1) * 1000, {}).value(), 2U);
  EXPECT_EQ(texts(), Texts{"a"});
}

// Against a plain list that knows when each message's slot is over.
TEST_F(MessageClasses, AreWhatAListSays) {
  std::mt19937 random(17);
  std::vector<SeenMessage> all;
  const message::Classes classes = two_classes();
  const auto keep = [&] {
    std::erase_if(all, [&](const SeenMessage& one) {
      const std::int64_t end = (one.time_us / 1000 / kClassHour + 1) * kClassHour;
      const std::int64_t days = one.text[0] == 'a' ? 9 : one.text[0] == 'b' ? 1 : 3;
      return end + days * kClassDay <= clock_.now_ms();
    });
    std::ranges::sort(all);
  };
  const auto look = [&] {  // once an hour, at what is in the database
    settle();
    clock_.advance_ms(kClassHour);
    settle();
  };
  for (int step = 0; step < varve::testing::effort(120); ++step) {
    switch (random() % 6) {
      case 0:
        look();
        keep();
        ASSERT_TRUE(seen() == all) << step << ": " << seen().size() << " messages, not " << all.size();
        for (const auto& of_part : classes_of_parts()) EXPECT_EQ(of_part.size(), 1U);
        break;
      case 1: engine_.restart(); break;
      case 2: clock_.advance_ms(static_cast<std::int64_t>(random() % 20) * kClassHour); break;
      default: {
        std::vector<SeenMessage> some;
        for (unsigned i = 1 + random() % 30; i > 0; --i) {
          const auto age = static_cast<std::int64_t>(random() % static_cast<unsigned>(20 * kClassHour));
          some.push_back({(clock_.now_ms() - age) * 1000, 0, std::string(1, "abx"[random() % 3]), ""});
        }
        put(some);
        all.insert(all.end(), some.begin(), some.end());
      }
    }
  }
  look();
  keep();
  ASSERT_TRUE(seen() == all) << seen().size() << " messages, not " << all.size();
  EXPECT_EQ(testing::orphans(engine_.options().path), 0);
}

}  // namespace
}  // namespace varve::engine::rocksdb
