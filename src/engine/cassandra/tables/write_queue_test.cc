// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/tables/write_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <optional>
#include <thread>

#include "engine/cassandra/tables/adaptive_limit.h"

namespace varve::engine::cassandra {
namespace {

class WriteQueueTest : public ::testing::Test {
 protected:
  void start(WriteQueue::Options options) {
    queue.emplace(options, clock, [this](const std::vector<BoundRow>&, WriteQueue::Done done) {
      if (immediate)
        done({});
      else
        sent.push_back(std::move(done));
    });
  }
  void submit(std::size_t units, std::size_t bytes_each) {
    std::vector<WriteUnit> all(units);
    for (WriteUnit& unit : all) unit.bytes = bytes_each;
    queue->submit(std::move(all), [this](Status status) {
      answers.push_back(std::move(status));
      answered = answers.size();
    });
  }
  void answer(Status status = {}) {
    const auto done = std::move(sent.front());
    sent.pop_front();
    done(std::move(status));
  }

  ManualClock clock;
  bool immediate = false;
  std::deque<WriteQueue::Done> sent;  // under way
  std::vector<Status> answers;
  std::atomic<std::size_t> answered = 0;
  std::optional<WriteQueue> queue;
};

TEST_F(WriteQueueTest, SoManyAreUnderWay) {
  start({.in_flight = 2});
  submit(5, 1);
  EXPECT_EQ(sent.size(), 2U);
  EXPECT_EQ(queue->load().waiting, 3U);
  for (int i = 0; i < 4; ++i) {
    answer();
    EXPECT_TRUE(answers.empty());
  }
  answer();
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_TRUE(answers[0]);
  EXPECT_EQ(queue->load().bytes, 0U);
}

TEST_F(WriteQueueTest, TheFirstErrorIsToldWhenAllHaveEnded) {
  start({.in_flight = 8});
  submit(3, 1);
  answer(fail(Code::io, "first"));
  answer(fail(Code::io, "second"));
  EXPECT_TRUE(answers.empty());
  answer();
  EXPECT_EQ(answers.at(0).error().message, "first");
}

TEST_F(WriteQueueTest, TooMuchIsRefusedAsAWhole) {
  start({.in_flight = 1, .bytes_max = 100});
  submit(2, 30);
  submit(1, 41);
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].error().code, Code::unavailable);
  submit(1, 40);
  EXPECT_EQ(answers.size(), 1U);
  EXPECT_EQ(queue->load().bytes, 100U);
  EXPECT_EQ(queue->load().refused, 1U);
  for (int i = 0; i < 3; ++i) answer();
  EXPECT_EQ(answers.size(), 3U);
  submit(1, 1'000);  // alone
  answer();
  EXPECT_TRUE(answers.at(3));
}

TEST_F(WriteQueueTest, SlowAnswersMakeItCareful) {
  start({.in_flight = 64});
  submit(100, 1);
  EXPECT_EQ(sent.size(), 64U);
  clock.advance_ms(2'000);
  answer();
  EXPECT_EQ(queue->load().limit, 32U);
  EXPECT_EQ(sent.size(), 63U) << "no more for now";
  for (int i = 0; i < 63; ++i) answer(fail(Code::timeout, "slow"));
  EXPECT_EQ(queue->load().limit, 32U) << "the same jam";
  EXPECT_EQ(sent.size(), 32U);
  EXPECT_EQ(queue->load().slow, 64U);
  answer(fail(Code::timeout, "slow"));
  EXPECT_EQ(queue->load().limit, 16U);
  while (!sent.empty()) answer();
}

TEST_F(WriteQueueTest, WhatHasWaitedLongIsNotSent) {
  start({.in_flight = 1});
  submit(1, 1);
  submit(1, 1);
  clock.advance_ms(10'000);
  submit(1, 1);
  clock.advance_ms(1);
  answer();
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_TRUE(answers[0]);
  EXPECT_EQ(answers[1].error().code, Code::unavailable);
  answer();
  ASSERT_EQ(answers.size(), 3U);
  EXPECT_TRUE(answers[2]) << "younger";
  EXPECT_EQ(queue->load().bytes, 0U);
}

TEST_F(WriteQueueTest, AnswersThatComeAtOnceGoNoDeeper) {
  immediate = true;
  start({.in_flight = 1});
  submit(1'000'000, 1);
  ASSERT_EQ(answers.size(), 1U);
}

TEST_F(WriteQueueTest, DoneMaySubmit) {
  start({.in_flight = 1, .bytes_max = 10});
  queue->submit(std::vector<WriteUnit>{{{}, 10}}, [this](const Status&) { submit(1, 10); });
  answer();
  answer();
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_TRUE(answers[0]);
}

TEST_F(WriteQueueTest, TheEndFailsWhatWaitsAndWaitsForTheRest) {
  start({.in_flight = 1});
  submit(1, 1);
  submit(1, 1);
  std::thread ending([this] { queue.reset(); });
  while (answered == 0) std::this_thread::yield();
  answer();
  ending.join();
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(answers[0].error().code, Code::unavailable);
  EXPECT_TRUE(answers[1]);
}

TEST(AdaptiveLimit, Grows) {
  AdaptiveLimit limit(64);
  for (int i = 0; i < 10; ++i) limit.took_too_long(i, i);
  EXPECT_EQ(limit.now(), 4U);
  for (int i = 0; i < 100; ++i) limit.went_well(false);
  EXPECT_EQ(limit.now(), 4U);
  for (int i = 0; i < 5; ++i) limit.went_well(true);
  EXPECT_EQ(limit.now(), 5U);
  for (int i = 0; i < 10'000; ++i) limit.went_well(true);
  EXPECT_EQ(limit.now(), 64U);
}

}  // namespace
}  // namespace varve::engine::cassandra
