// SPDX-License-Identifier: Apache-2.0
// Redis is killed, started again with and without its data, emptied, paused.
#include "tracker/redis/link.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <future>

#include "model/testing/lengths.h"
#include "tracker/coalescing.h"
#include "tracker/redis/redis_jobs.h"
#include "tracker/redis/redis_tracker.h"
#include "tracker/redis/testing/shared.h"

namespace varve::tracker::redis::testing {
namespace {

constexpr model::TenantId kTenant{7};
using model::testing::kHour;
constexpr std::array<std::uint32_t, 1> kPartitions = {1};

Status nothing_to_replay() { return {}; }

// One replica, whose journal is simply a list.
struct Replica {
  explicit Replica(const driver::testing::RedisServer& server)
      : link(link_to(server, {.timeout_ms = 10'000, .pause_ms = 1})) {}

  Status touch(std::uint32_t id) {
    const Touch touch{{kTenant, id}, 1, 0};
    journal.push_back(touch);
    return coalescing.touch({&touch, 1}, kHour);
  }
  Status recover() {
    return link->recover([this] { return tracker.touch(journal, kHour); });
  }
  std::size_t due() { return tracker.due(2 * kHour, kPartitions, kNoLimit, When::quiet).value().size(); }

  std::unique_ptr<Link> link;
  TestNames names;
  RedisTracker tracker{{}, *link, names};
  CoalescingTracker coalescing{tracker, 300'000, 1000, [this] { return link->version(); }};
  RedisJobBoard board{{.partitions = {0, 1}}, *link};
  std::vector<Touch> journal;
};

class LinkTest : public ::testing::Test {
 protected:
  explicit LinkTest(std::vector<std::string> arguments = {}) : server(with_directory(std::move(arguments))) {}

  void SetUp() override {
    await(*a.link);
    await(*b.link);
    EXPECT_TRUE(a.link->lost()) << "an empty Redis is a lost one, also the first time";
    ASSERT_TRUE(a.recover());
    ASSERT_TRUE(b.link->check());
    EXPECT_FALSE(a.link->lost());
    EXPECT_FALSE(b.link->lost()) << "one recovers for all";
  }
  void TearDown() override {
    server.kill();
    std::filesystem::remove_all(directory);
  }
  std::vector<std::string> with_directory(std::vector<std::string> arguments) const {
    std::filesystem::create_directories(directory);
    arguments.insert(arguments.end(), {"--dir", directory});
    return arguments;
  }
  void command(std::initializer_list<std::string_view> words) {
    Question question = a.link->question();
    question.commands.command(words);
    ASSERT_TRUE(a.link->run(question));
  }
  void restart() {
    server.kill();
    EXPECT_EQ(a.link->check().error().code, Code::unavailable);
    EXPECT_EQ(b.link->check().error().code, Code::unavailable);
    server.start();
    await(*a.link);
    await(*b.link);
  }
  void expect_lost() {
    EXPECT_EQ(a.tracker.pending(kTenant, 0).error().code, Code::unavailable);
    EXPECT_EQ(b.tracker.pending_slots(kTenant, {}).error().code, Code::unavailable);
    EXPECT_TRUE(a.link->lost());
    EXPECT_TRUE(b.link->lost());
  }
  void expect_well(std::size_t due) {
    for (Replica* replica : {&a, &b}) {
      ASSERT_TRUE(replica->link->check());
      EXPECT_FALSE(replica->link->lost());
      EXPECT_TRUE(replica->tracker.pending(kTenant, 0).value());
      EXPECT_EQ(replica->due(), due);
    }
  }

  const std::string directory = ::testing::TempDir() + "varve-link." + std::to_string(::getpid());
  driver::testing::RedisServer server;
  Replica a{server}, b{server};
};

// A server that keeps each command.
class KeepingLinkTest : public LinkTest {
 protected:
  KeepingLinkTest() : LinkTest({"--appendonly", "yes", "--appendfsync", "always"}) {}
};

TEST_F(LinkTest, WhileRedisIsAwayEverythingIsUnavailable) {
  ASSERT_TRUE(a.touch(1));
  const Due work = a.tracker.due(2 * kHour, kPartitions, 1, When::quiet)->at(0);
  const Lease lease = a.board.claim("a").value().value_or(Lease{});
  server.kill();
  const auto away = [](const auto& result) { return !result && result.error().code == Code::unavailable; };
  const Touch touch{{kTenant, 2}, 1, 0};
  EXPECT_TRUE(away(a.tracker.touch({&touch, 1}, kHour)));
  EXPECT_TRUE(away(a.tracker.due(2 * kHour, kPartitions, 1, When::quiet)));
  EXPECT_TRUE(away(a.tracker.due(2 * kHour, kPartitions, 1, When::ended)));
  EXPECT_TRUE(away(a.tracker.complete(work)));
  EXPECT_TRUE(away(a.tracker.fail(work, kHour)));
  EXPECT_TRUE(away(a.tracker.pending(kTenant, 0)));
  EXPECT_TRUE(away(a.tracker.pending_slots(kTenant, {})));
  EXPECT_TRUE(away(a.tracker.counts()));
  EXPECT_TRUE(away(a.tracker.set_aside(1)));
  EXPECT_TRUE(away(a.board.claim("a")));
  EXPECT_TRUE(away(a.board.renew(lease)));
  EXPECT_TRUE(away(a.board.turn(lease)));
  EXPECT_TRUE(away(a.board.finish(lease, {})));
  EXPECT_TRUE(away(a.board.release(lease)));
  EXPECT_TRUE(away(a.board.jobs()));
  EXPECT_TRUE(away(a.link->recover(nothing_to_replay)));
  std::promise<Status> told;
  a.tracker.touch({&touch, 1}, kHour, [&told](Status status) { told.set_value(std::move(status)); });
  EXPECT_TRUE(away(told.get_future().get()));
  EXPECT_FALSE(a.link->lost()) << "not known yet";
}

TEST_F(LinkTest, ComesBackEmpty) {
  ASSERT_TRUE(a.touch(1));
  ASSERT_TRUE(b.touch(2));
  restart();
  expect_lost();
  EXPECT_EQ(a.due(), 0U);
  ASSERT_TRUE(a.touch(3)) << "touches are always taken";
  ASSERT_TRUE(b.tracker.touch(b.journal, kHour));
  ASSERT_TRUE(a.recover());
  expect_well(3);
}

TEST_F(KeepingLinkTest, ComesBackWithItsData) {
  ASSERT_TRUE(a.touch(1));
  const std::uint64_t version = b.link->version();
  restart();
  expect_lost();  // it cannot know that nothing is missing
  EXPECT_EQ(b.due(), 1U);
  ASSERT_TRUE(b.recover());
  EXPECT_GT(b.link->version(), version);
  expect_well(1);
}

TEST_F(LinkTest, ComesBackWithOldData) {
  ASSERT_TRUE(a.touch(1));
  command({"SAVE"});
  ASSERT_TRUE(a.touch(2));
  restart();
  expect_lost();
  EXPECT_EQ(a.due(), 1U);
  ASSERT_TRUE(a.recover());
  expect_well(2);
}

TEST_F(LinkTest, IsEmptiedWhileItRuns) {
  ASSERT_TRUE(a.touch(1));
  command({"FLUSHALL"});
  expect_lost();
  ASSERT_TRUE(a.recover());
  expect_well(1);
}

TEST_F(LinkTest, ForgetsWhichTouchesToLeaveOutWhoeverRecovers) {
  ASSERT_TRUE(b.touch(1));
  ASSERT_TRUE(b.touch(1));
  command({"FLUSHALL"});
  ASSERT_TRUE(a.recover());
  EXPECT_EQ(a.due(), 0U);
  ASSERT_TRUE(b.touch(1)) << "left out: its answer cannot tell b";
  EXPECT_EQ(a.due(), 0U);
  ASSERT_TRUE(b.link->check());
  ASSERT_TRUE(b.touch(1));
  expect_well(1);
}

TEST_F(LinkTest, IsLostAgainWhileItIsRecovered) {
  ASSERT_TRUE(a.touch(1));
  command({"FLUSHALL"});
  EXPECT_EQ(a.link
                ->recover([&] {
                  command({"FLUSHALL"});
                  return Status();
                })
                .error()
                .code,
            Code::unavailable);
  expect_lost();
  EXPECT_EQ(a.link
                ->recover([&] {
                  command({"SAVE"});
                  restart();
                  return Status();
                })
                .error()
                .code,
            Code::unavailable);
  expect_lost();
  EXPECT_EQ(a.link->recover([] { return Status(fail(Code::io, "the journal")); }).error().code, Code::io);
  expect_lost();
  ASSERT_TRUE(a.recover());
  expect_well(1);
}

TEST_F(LinkTest, IsDeclaredLost) {
  ASSERT_TRUE(a.touch(1));
  const std::uint64_t version = b.link->version();
  ASSERT_TRUE(a.link->declare_lost());
  expect_lost();
  EXPECT_GT(b.link->version(), version);
  ASSERT_TRUE(b.recover());
  expect_well(1);
}

TEST_F(LinkTest, ARecoveryThatBeganBeforeALossWasDeclaredEndsNothing) {
  ASSERT_TRUE(a.touch(1));
  command({"FLUSHALL"});
  EXPECT_EQ(a.link
                ->recover([&]() -> Status {
                  VARVE_RETURN_IF_ERROR(a.tracker.touch(a.journal, kHour));
                  return b.link->declare_lost();
                })
                .error()
                .code,
            Code::unavailable);
  expect_lost();
  ASSERT_TRUE(b.recover());
  expect_well(1);
}

TEST_F(LinkTest, FamiliesOfKeysAreApart) {
  ASSERT_TRUE(a.touch(1));
  RedisTracker units({}, *a.link, a.names, "units|pt5m|");
  EXPECT_FALSE(units.pending(kTenant, 0).value());
  const Touch touch{{kTenant, 2}, 1, 0};
  ASSERT_TRUE(units.touch({&touch, 1}, kHour));
  ASSERT_EQ(units.counts()->pending, 1U);
  const auto work = units.due(2 * kHour, kPartitions, kNoLimit, When::quiet);
  ASSERT_EQ(work->size(), 1U);
  EXPECT_EQ(work->at(0).member.id, 2U);
  EXPECT_TRUE(units.complete(work->at(0)).value());
  expect_well(1);
}

TEST_F(LinkTest, AServerThatHangsIsAskedOnceInAWhile) {
  ManualClock clock;
  driver::RedisOptions options = server.options();
  Link link(*driver::testing::connect(runtime(), options), {.timeout_ms = 500, .pause_ms = 1000}, clock);
  ASSERT_TRUE(link.check());
  server.signal(SIGSTOP);
  EXPECT_EQ(link.check().error().message, "Redis: Redis did not answer within 500 ms");
  server.signal(SIGCONT);
  EXPECT_EQ(link.check().error().message, "Redis does not answer") << "not asked";
  clock.advance_ms(999);
  EXPECT_FALSE(link.check());
  clock.advance_ms(1);
  EXPECT_TRUE(link.check());
  EXPECT_TRUE(link.check());
  EXPECT_FALSE(link.lost());
}

// What is added to the server's time goes with Redis; replicas that were there put it back.
TEST_F(LinkTest, TheTimeOfAllGoesOn) {
  const std::int64_t begin_ms = a.link->clock().now_ms();
  ASSERT_TRUE(a.link->not_before((begin_ms + kHour) * 1000));
  EXPECT_GE(a.link->clock().now_ms(), begin_ms + kHour);
  ASSERT_TRUE(b.link->check());
  EXPECT_GE(b.link->clock().now_ms(), begin_ms + kHour - 50) << "as far as the answers' times are known";
  ASSERT_TRUE(b.link->not_before((begin_ms + kHour / 2) * 1000)) << "which it is";
  server.kill();
  server.start();
  Replica c(server);
  await(*c.link);
  EXPECT_LT(c.link->clock().now_ms(), begin_ms + kHour) << "nobody has told it";
  await(*b.link);
  EXPECT_GE(b.link->clock().now_ms(), begin_ms + kHour - 50);
  ASSERT_TRUE(c.link->check());
  EXPECT_GE(c.link->clock().now_ms(), begin_ms + kHour - 100);
  EXPECT_LT(c.link->clock().now_ms(), begin_ms + kHour + 60'000);
}

// As Redis' clock is right here, it is this process' that go back.
struct TwoClocks final : Clock {
  [[nodiscard]] std::int64_t now_ms() const override { return wall_ms; }
  [[nodiscard]] std::int64_t steady_ns() const override { return steady_ms * 1'000'000; }
  std::int64_t wall_ms = local_clock().now_ms(), steady_ms = 10 * kHour;
};

TEST_F(LinkTest, AClockThatJumpsAheadIsNotFollowed) {
  TwoClocks clock;
  const std::int64_t right_ms = clock.wall_ms;
  clock.wall_ms -= 5 * kHour;
  Link link(*driver::testing::connect(runtime(), server.options()), {.timeout_ms = 10'000, .pause_ms = 1}, clock);
  ASSERT_TRUE(link.check()) << "the first answer says what time it is";
  EXPECT_NEAR(static_cast<double>(link.clock().now_ms()), static_cast<double>(right_ms), 20'000);
  clock.steady_ms -= kHour;  // for this process Redis is an hour ahead from now on
  for (int again = 0; again < 3; ++again) {
    const Status refused = link.check();
    ASSERT_EQ(refused.error().code, Code::unavailable);
    EXPECT_NE(refused.error().message.find("the clock of Redis is 3"), std::string::npos) << refused.error().message;
    EXPECT_LT(link.clock().now_ms(), right_ms - kHour / 2) << "it goes on as before";
    clock.steady_ms += 2;
  }
  EXPECT_EQ(link.clock_jumps(), 1U);
  clock.wall_ms = right_ms;
  EXPECT_TRUE(link.check()) << "this machine's clock says the same";
  EXPECT_GT(link.clock().now_ms(), right_ms - kHour / 2);
  clock.wall_ms -= 5 * kHour;
  clock.steady_ms -= 30'000;
  EXPECT_TRUE(link.check()) << "half a minute is no jump";
  EXPECT_EQ(link.clock_jumps(), 1U);
  // What others have added to the time is none of the server's clock.
  ASSERT_TRUE(a.link->not_before((a.link->clock().now_ms() + kHour) * 1000));
  EXPECT_TRUE(link.check());
  EXPECT_GT(link.clock().now_ms(), right_ms + kHour / 2);
}

TEST(ServerClock, TheClosestAnswerCounts) {
  ManualClock local(1'000'000);
  ServerClock clock(local);
  EXPECT_EQ(clock.now_ms(), 1'000'000);
  const std::int64_t start = local.steady_ns();
  const auto observe = [&](std::int64_t server_ms, std::int64_t round_trip_ms) {
    clock.observe(server_ms * 1000, {}, local.steady_ns() - round_trip_ms * 1'000'000, local.steady_ns());
  };
  observe(5'000'000, 200);
  EXPECT_EQ(clock.now_ms(), 5'000'100) << "read in the middle";
  observe(5'000'000, 2);
  EXPECT_EQ(clock.now_ms(), 5'000'001);
  observe(5'000'050, 20);
  EXPECT_EQ(clock.now_ms(), 5'000'001) << "that answer was on its way for longer";
  local.advance_ms(100'000);
  EXPECT_EQ(clock.now_ms(), 5'100'001);
  observe(5'100'040, 20);
  EXPECT_EQ(clock.now_ms(), 5'100'050) << "clocks drift: the old answer is worth less by now";
  EXPECT_EQ(clock.steady_ns(), start + 100'000'000'000);
  clock.forget();
  observe(9'000'000, 1000);
  EXPECT_EQ(clock.now_ms(), 9'000'500);
}

TEST(ServerClock, ItNeverGoesBack) {
  ManualClock local(1'000'000);
  ServerClock clock(local);
  const auto observe = [&](std::int64_t server_ms, const AddedTime& added = {}) {
    clock.observe(server_ms * 1000, added, local.steady_ns(), local.steady_ns());
  };
  constexpr std::int64_t kBack = 3'600'000;
  observe(9'000'000);
  clock.forget();
  observe(9'000'000 - kBack);
  EXPECT_TRUE(clock.behind());
  local.advance_ms(1000);
  EXPECT_EQ(clock.now_ms(), 9'001'000) << "it goes on";
  const AddedTime added{kBack * 1000, (9'001'000 - kBack) * 1000};
  observe(9'001'000 - kBack, added);
  EXPECT_FALSE(clock.behind());
  EXPECT_EQ(clock.now_ms(), 9'001'000);
  local.advance_ms(8000);
  EXPECT_EQ(clock.now_ms(), 9'008'000) << "slower";
  observe(9'009'000 - kBack, added);
  EXPECT_EQ(clock.now_ms(), 9'008'000);
  local.advance_ms(8 * kBack);
  EXPECT_EQ(clock.now_ms(), 9'009'000 - kBack + 8 * kBack) << "until all is made up for";
  observe(99'000'000);
  EXPECT_EQ(clock.now_ms(), 99'000'000) << "ahead it goes at once";
}

}  // namespace
}  // namespace varve::tracker::redis::testing
