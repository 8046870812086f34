// SPDX-License-Identifier: Apache-2.0
// Messages are sealed, deleted and dropped: what a store says must be what a plain list says, whatever comes in
// between, and wherever a process dies.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <semaphore>
#include <set>

#include "base/testing/effort.h"
#include "engine/rocksdb/runs/database.h"
#include "engine/rocksdb/testing/child.h"
#include "engine/rocksdb/testing/directory.h"
#include "engine/rocksdb/testing/memory_directories.h"
#include "engine/rocksdb/testing/messages.h"
#include "engine/rocksdb/testing/records.h"
#include "engine/rocksdb/testing/steps.h"
#include "message/matches.h"

namespace varve::engine::rocksdb {
namespace {

using testing::kDied;
using testing::SeenMessage;

constexpr std::int64_t kHourMs = 3'600'000;
constexpr std::int64_t kHourInUs = kHourMs * 1000;
constexpr std::int64_t kFirstHour = 472'222;
constexpr std::int64_t kEver = kHourInUs * 1'000'000;

Options message_options() {
  Options options;
  options.slot_quiet_ms = kHourMs * 100'000;  // rounds of their own would make the tests depend on their luck
  options.merge_quiet_ms = kHourMs * 100'000;
  return options;
}

// Arrivals do not count: a delete or a repetition leaves gaps, which nobody sees.
std::vector<SeenMessage> plain(std::vector<SeenMessage> messages) {
  for (SeenMessage& one : messages) one.arrival = 0;
  std::ranges::sort(messages);
  return messages;
}

class SealMessages : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { testing::make_directories_in_memory(); }
  SealMessages() : clock_(kFirstHour * kHourMs + 20 * kHourMs), engine_(message_options(), clock_) {}

  void put(const std::vector<SeenMessage>& messages) {
    ASSERT_TRUE(testing::put_messages(engine_.store(), "t", messages));
  }
  SeenMessage at(std::int64_t us, const std::string& text, const std::string& id = "") {
    return {kFirstHour * kHourInUs + us, 0, text, id};
  }
  std::vector<SeenMessage> seen() { return plain(testing::messages_of(engine_.store(), "t", -kEver, kEver)); }
  std::vector<storage::MessagePart> parts() { return engine_.store().message_parts("t", -kEver, kEver).value(); }
  void settle() { ASSERT_TRUE(engine_.samples().settle()); }
  std::uint64_t erase(std::int64_t first, std::int64_t last, const message::Condition& condition = {}) {
    return engine_.store()
        .delete_messages("t", kFirstHour * kHourInUs + first, kFirstHour * kHourInUs + last, condition)
        .value();
  }
  static message::Condition text_is(const std::string& text) {
    return message::Condition::of(*message::make_term(message::Column::text, "", message::Op::equal, text));
  }

  ManualClock clock_;
  testing::RocksdbEngine engine_;
};

TEST_F(SealMessages, AnEndedSlotBecomesOneBlock) {
  put({at(5, "b"), at(3, "a")});
  settle();
  ASSERT_EQ(parts().size(), 1U);
  EXPECT_TRUE(parts()[0].block);
  const auto slots = engine_.store().message_slots(engine_.store().find_tenant("t").value().value(), 10);
  ASSERT_EQ(slots.size(), 1U);
  EXPECT_EQ(slots[0].phase, storage::SlotPhase::sealed);
  EXPECT_EQ(slots[0].samples, 2U);
  put({at(4, "late")});
  EXPECT_EQ(engine_.store().message_slots(engine_.store().find_tenant("t").value().value(), 10)[0].phase,
            storage::SlotPhase::hot);
  settle();
  ASSERT_EQ(parts().size(), 1U);
  EXPECT_EQ(seen(), (std::vector{at(3, "a"), at(4, "late"), at(5, "b")}));
  engine_.restart();
  EXPECT_EQ(seen(), (std::vector{at(3, "a"), at(4, "late"), at(5, "b")}));
  EXPECT_EQ(engine_.store().slot_counts().pending, 0U);
  EXPECT_EQ(testing::orphans(engine_.options().path), 0);
}

TEST_F(SealMessages, ASlotThatHasNotEndedStaysInFrames) {
  put({at(20 * kHourInUs + 1, "now")});
  settle();
  ASSERT_EQ(parts().size(), 1U);
  EXPECT_FALSE(parts()[0].block);
  clock_.advance_ms(kHourMs);
  settle();
  ASSERT_EQ(parts().size(), 1U);
  EXPECT_TRUE(parts()[0].block);
}

TEST_F(SealMessages, SealsByItselfWhenItIsQuiet) {
  engine_.options().slot_quiet_ms = 1000;
  std::counting_semaphore<> sealed(0);
  engine_.options().at_step = [&](std::string_view name) {
    if (name == "messages.published") sealed.release();
    return Status{};
  };
  engine_.restart();
  put({at(1, "a"), at(kHourInUs, "b")});
  clock_.advance_ms(2000);
  sealed.acquire();
  ASSERT_EQ(parts().size(), 2U);
  EXPECT_TRUE(parts()[0].block && parts()[1].block);
  engine_.options().at_step = {};
  engine_.restart();
}

TEST_F(SealMessages, MoreThanOneBlockIsMadeOfMany) {
  std::vector<SeenMessage> all;
  for (int request = 0; request < 8; ++request) {
    std::vector<SeenMessage> some;
    for (int i = 0; i < 10'000; ++i) some.push_back(at((i * 7919 + request) % 100'000, std::to_string(request)));
    put(some);
    all.insert(all.end(), some.begin(), some.end());
    if (request % 3 == 0) settle();
  }
  settle();
  EXPECT_EQ(parts().size(), 2U);
  EXPECT_EQ(seen(), plain(all));
  engine_.restart();
  EXPECT_EQ(seen(), plain(all));
}

TEST_F(SealMessages, WhatASenderRepeatsIsThereOnce) {
  const std::string one(16, '1'), two(16, '2');
  put({at(5, "first", one), at(5, "other", two), at(6, "later", one)});
  settle();
  put({at(5, "second", one), at(5, "none"), at(5, "none")});
  settle();
  EXPECT_EQ(seen(),
            plain({at(5, "first", one), at(5, "other", two), at(6, "later", one), at(5, "none"), at(5, "none")}));
}

TEST_F(SealMessages, DeletesTakeWhatFulfilsTheConditionHotAndSealed) {
  put({at(1, "a"), at(2, "b"), at(kHourInUs, "a"), at(2 * kHourInUs, "b")});
  settle();
  put({at(3, "a"), at(kHourInUs + 1, "a"), at(3 * kHourInUs, "b")});
  EXPECT_EQ(erase(1, kHourInUs, text_is("a")), 3U);
  EXPECT_EQ(seen(), plain({at(2, "b"), at(kHourInUs + 1, "a"), at(2 * kHourInUs, "b"), at(3 * kHourInUs, "b")}));
  EXPECT_EQ(erase(1, kHourInUs, text_is("a")), 0U);
  engine_.restart();
  EXPECT_EQ(seen().size(), 4U);
  EXPECT_EQ(erase(0, 4 * kHourInUs), 4U);
  EXPECT_TRUE(seen().empty());
  engine_.restart();
  EXPECT_TRUE(seen().empty());
  EXPECT_EQ(engine_.store().delete_messages("other", -kEver, kEver, {}).value(), 0U);
  settle();
  EXPECT_EQ(testing::orphans(engine_.options().path), 0);
}

// Exchanges the first block of each run of messages; returns what was there.
std::vector<std::string> exchange_frames(const std::string& path, const std::string& with) {
  const auto database = *Database::open(path + "/db");
  Checkpoint checkpoint;
  std::vector<rocksdb::Run> runs;
  std::vector<std::pair<SlotKey, Mark>> marks;
  EXPECT_TRUE(database->recover(checkpoint, runs, marks, [](std::string_view) { return Status{}; }));
  std::vector<std::string> old;
  Database::Draft draft(*database);
  Database::Commit commit;
  commit.checkpoint = checkpoint;
  for (const auto& run : runs) {
    if (!run.key.slot.is_of_messages()) continue;
    old.push_back(**database->get(run.block_key(run.first_groups[0]), nullptr));
    EXPECT_TRUE(draft.put_block(run.key, model::GroupId{run.first_groups[0]}, std::as_bytes(std::span(with))));
    commit.added.push_back(std::make_shared<const rocksdb::Run>(run));
  }
  EXPECT_TRUE(database->write(commit, draft));
  EXPECT_TRUE(database->flush());
  return old;
}

TEST_F(SealMessages, ADamagedSlotIsSetAsideAndComesBack) {
  put({at(20 * kHourInUs + 1, "damaged")});
  settle();  // frames
  clock_.advance_ms(kHourMs);
  engine_.close();
  const auto old = exchange_frames(engine_.options().path, "rubbish");
  ASSERT_EQ(old.size(), 1U);
  engine_.open();
  put({at(1, "whole")});
  settle();
  const auto aside = engine_.store().set_aside();
  ASSERT_EQ(aside.size(), 1U);
  EXPECT_EQ(aside[0].work, "seal");
  EXPECT_EQ(aside[0].granularity_ms, kMessageGranularity);
  EXPECT_TRUE(std::ranges::any_of(parts(), [](const auto& part) { return part.block != nullptr; }));
  EXPECT_FALSE(engine_.store().delete_messages("t", -kEver, kEver, text_is("whole"))) << "damage is said, not skipped";
  engine_.close();
  exchange_frames(engine_.options().path, old[0]);
}

// Random requests, settles, restarts and deletes against a plain list.
TEST_F(SealMessages, SaysWhatAPlainListSays) {
  for (int round = 0; round < varve::testing::effort(12); ++round) {
    std::mt19937 random(static_cast<unsigned>(round));
    const std::string tenant = "model" + std::to_string(round);
    std::vector<SeenMessage> all;
    const auto known = [&](const SeenMessage& one) {
      return !one.id.empty() && std::ranges::any_of(all, [&](const SeenMessage& other) {
        return other.time_us == one.time_us && other.id == one.id;
      });
    };
    for (int step = 0; step < 60; ++step) {
      switch (random() % 8) {
        case 0: settle(); break;
        case 1: engine_.restart(); break;
        case 2: {
          const auto first = kFirstHour * kHourInUs + static_cast<std::int64_t>(random() % 4) * kHourInUs;
          const auto last = first + static_cast<std::int64_t>(random() % 2) * kHourInUs;
          const std::string text(1, static_cast<char>('a' + random() % 3));
          const bool whole = random() % 4 == 0;
          const auto erased =
              engine_.store().delete_messages(tenant, first, last, whole ? message::Condition{} : text_is(text));
          ASSERT_TRUE(erased);
          EXPECT_EQ(*erased, std::erase_if(all, [&](const SeenMessage& one) {
            return one.time_us >= first && one.time_us <= last && (whole || one.text == text);
          }));
          break;
        }
        default: {
          std::vector<SeenMessage> some;
          for (unsigned i = random() % 40; i > 0; --i) {
            SeenMessage one =
                at(static_cast<std::int64_t>(random() % 5) * kHourInUs + static_cast<std::int64_t>(random() % 20) - 3,
                   std::string(1, static_cast<char>('a' + random() % 3)));
            if (random() % 3 == 0) one.id = std::string(16, static_cast<char>('0' + random() % 3));
            some.push_back(one);
          }
          if (some.empty()) break;
          ASSERT_TRUE(testing::put_messages(engine_.store(), tenant, some));
          for (const SeenMessage& one : some) {
            if (!known(one)) all.push_back(one);
          }
        }
      }
      // What was repeated is left out by whoever reads several parts (message/merged_rows.h).
      auto found = testing::messages_of(engine_.store(), tenant, -kEver, kEver);
      std::ranges::sort(found, {}, &SeenMessage::arrival);
      std::set<std::pair<std::int64_t, std::string>> ids;
      std::erase_if(
          found, [&](const SeenMessage& one) { return !one.id.empty() && !ids.emplace(one.time_us, one.id).second; });
      ASSERT_EQ(plain(found), plain(all)) << round << ' ' << step;
    }
  }
}

Options crash_options(const std::string& path) {
  Options options = message_options();
  options.path = path;
  return options;
}

// Seals, seals again with late messages, deletes; dies at the step that it is told.
struct MessageLife {
  explicit MessageLife(const Options& options) : engine(options, clock) {}
  bool play() {
    for (int request = 0; request < 3; ++request) {
      std::vector<SeenMessage> some;
      for (int i = 0; i < 5; ++i) some.push_back(message(request, i));
      if (!testing::put_messages(engine.store(), "t", some) || !engine.samples().settle()) return false;
    }
    return engine.store().delete_messages("t", -kEver, kEver, text_of(2)).has_value();
  }
  static SeenMessage message(int request, int i) {
    return {kFirstHour * kHourInUs + (i % 3) * kHourInUs + i, 0, std::to_string(request), ""};
  }
  static message::Condition text_of(int request) {
    return message::Condition::of(
        *message::make_term(message::Column::text, "", message::Op::equal, std::to_string(request)));
  }
  ManualClock clock{kFirstHour * kHourMs + 20 * kHourMs};
  testing::StoreAt engine;
};

TEST(SealMessagesChild, DISABLED_dies) {
  Options options = crash_options(std::getenv("VARVE_CRASH_PATH"));
  int left = std::atoi(std::getenv("VARVE_CRASH_STEP"));
  const testing::OwnSteps own;
  options.at_step = [&](std::string_view name) {
    if (own.has(name) && left-- == 0) ::_exit(kDied);
    return Status{};
  };
  MessageLife life(options);
  ::_exit(life.play() ? 3 : 1);
}

TEST(SealMessagesCrash, EveryMessageIsThereOnceOrDeleted) {
  testing::make_directories_in_memory();
  std::vector<std::string> steps;
  {
    const testing::TemporaryDirectory directory;
    Options options = crash_options(directory.path());
    const testing::OwnSteps own;
    options.at_step = [&](std::string_view name) {
      if (own.has(name)) steps.emplace_back(name);
      return Status{};
    };
    MessageLife life(options);
    ASSERT_TRUE(life.play());
  }
  for (const char* name : {"messages.begin", "messages.written", "messages.committed", "messages.published",
                           "erase.begin", "erase.written", "erase.committed"}) {
    EXPECT_TRUE(std::ranges::find(steps, name) != steps.end()) << name;
  }
  for (std::size_t step = 0; step < steps.size(); step += varve::testing::kOneOf) {
    SCOPED_TRACE("step " + std::to_string(step) + " " + steps[step]);
    const testing::TemporaryDirectory directory;
    ASSERT_EQ(testing::run_child("SealMessagesChild.*",
                                 {{"VARVE_CRASH_PATH", directory.path()}, {"VARVE_CRASH_STEP", std::to_string(step)}}),
              kDied);
    const MessageLife life(crash_options(directory.path()));
    auto& store = const_cast<testing::StoreAt&>(life.engine).store();
    const auto check = [&] {
      std::map<std::string, int> counts;
      for (const SeenMessage& one : testing::messages_of(store, "t", -kEver, kEver)) ++counts[one.text];
      // Requests are there whole: those that were acknowledged before it died, and no other.
      for (const auto& [text, count] : counts) EXPECT_EQ(count, 5) << text;
      return counts.size();
    };
    const std::size_t before = check();
    ASSERT_TRUE(store.settle());
    EXPECT_EQ(check(), before);
    EXPECT_TRUE(store.delete_messages("t", -kEver, kEver, {}));
    EXPECT_EQ(check(), 0U);
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace varve::engine::rocksdb
