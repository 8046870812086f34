// SPDX-License-Identifier: Apache-2.0
#include "tracker/redis/sequence.h"

#include <gtest/gtest.h>

#include "tracker/redis/testing/shared.h"

namespace varve::tracker::redis::testing {
namespace {

class SequenceTest : public ::testing::Test {
 protected:
  void set(const std::string& number) {
    auto question = link_a->question();
    question.commands.command({"SET", link_a->key("sequence"), number});
    ASSERT_TRUE(link_a->run(question));
  }
  const std::unique_ptr<Link> link_a = fresh_link();
  const std::unique_ptr<Link> link_b = fresh_link(link_a->key(""));
  Sequence a{*link_a}, b{*link_b};
};

TEST_F(SequenceTest, NumbersAscendOverAllReplicas) {
  std::int64_t last = 0;
  for (int i = 0; i < 20; ++i) {
    const auto number = (i % 3 == 0 ? a : b).draw(0);
    ASSERT_TRUE(number);
    EXPECT_GT(*number, last);
    last = *number;
  }
  EXPECT_GT(last, 1'600'000'000'000'000) << "the server's time";
  EXPECT_EQ(*a.draw(last + 1'000'000'000'000), last + 1'000'000'000'001);
  EXPECT_EQ(*b.draw(0), last + 1'000'000'000'002);
}

// Its time is behind what was given out before it was emptied.
TEST_F(SequenceTest, WhoHasDrawnIsNotFooledByAnEmptyRedis) {
  const std::int64_t ahead = *a.draw(0) + 3'600'000'000;
  const std::int64_t number = *a.draw(ahead);
  set("0");
  EXPECT_GT(*a.draw(0), number);
  set("0");
  EXPECT_LT(*b.draw(0), number) << "it cannot know";
  EXPECT_GT(*b.draw(number), number);
}

// The clock of Redis is behind what replicas know the time to be.
TEST_F(SequenceTest, WhoKnowsTheTimeIsNotFooledByAClockThatWentBack) {
  const std::int64_t time_us = *a.draw(0) + 3'600'000'000;
  ASSERT_TRUE(link_a->not_before(time_us));
  ASSERT_TRUE(link_b->check());
  set("0");
  EXPECT_GT(*b.draw(0), time_us - 100'000);
}

TEST_F(SequenceTest, ARubbishVersionIsRefused) {
  EXPECT_EQ(a.draw(INT64_MAX).error().code, Code::corrupt);
  EXPECT_EQ(a.draw(std::int64_t{1} << 53U).error().code, Code::corrupt);
  EXPECT_TRUE(a.draw(0));
}

}  // namespace
}  // namespace varve::tracker::redis::testing
