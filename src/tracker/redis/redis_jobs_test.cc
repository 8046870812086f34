// SPDX-License-Identifier: Apache-2.0
#include "tracker/redis/redis_jobs.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "tracker/redis/testing/shared.h"
#include "tracker/testing/job_contract.h"

namespace varve::tracker::testing {
namespace {

using redis::RedisJobBoard;
using redis::testing::fresh_link;

class RedisBoard final : public Board {
 public:
  explicit RedisBoard(const JobOptions& options) : board_(options, *link_, &clock_) {}
  JobBoard& board() override { return board_; }
  void advance_ms(std::int64_t by) override { clock_.advance_ms(by); }
  model::Timestamp now_ms() override { return clock_.now_ms(); }

 private:
  ManualClock clock_;
  std::unique_ptr<redis::Link> link_ = fresh_link();
  RedisJobBoard board_;
};

const MakeBoard make_board = [](const JobOptions& options) { return std::make_unique<RedisBoard>(options); };
INSTANTIATE_TEST_SUITE_P(redis, JobContract, ::testing::Values(make_board));

JobOptions options(std::uint32_t jobs, std::int64_t lease_ms) {
  JobOptions options{{}, jobs, 64'000, lease_ms};
  for (std::uint32_t p = 0; p < 64; ++p) options.partitions.push_back(p);
  return options;
}

TEST(RedisJobBoard, TheServersTimeCounts) {
  auto link = fresh_link();
  RedisJobBoard board(options(2, 30'000), *link);
  const Lease lease = board.claim("a").value().value_or(Lease{});
  const auto now = redis::testing::local_clock().now_ms();  // the same machine
  EXPECT_NEAR(static_cast<double>(lease.expires_ms), static_cast<double>(now + 30'000), 5000);
  EXPECT_NEAR(static_cast<double>(link->clock().now_ms()), static_cast<double>(now), 5000);
  const Turn turn = board.turn(lease).value();
  EXPECT_LE(turn.due_ms, now + 5000);
  EXPECT_TRUE(board.finish(lease, turn));
  EXPECT_TRUE(board.renew(lease));
}

// All at once want what is free: each job has one holder, each holder no more than its share.
TEST(RedisJobBoard, ReplicasCompete) {
  constexpr int kReplicas = 4;
  const std::string prefix = "compete|";
  std::vector<std::unique_ptr<redis::Link>> links;
  std::vector<std::unique_ptr<RedisJobBoard>> boards;
  links.reserve(kReplicas);
  boards.reserve(kReplicas);
  for (int i = 0; i < kReplicas; ++i) {
    links.push_back(fresh_link(prefix));
    boards.push_back(std::make_unique<RedisJobBoard>(options(16, 600'000), *links.back()));
  }
  std::vector<std::vector<Lease>> leases(kReplicas);
  std::vector<std::thread> threads;
  threads.reserve(kReplicas);
  for (std::size_t i = 0; i < kReplicas; ++i) {
    threads.emplace_back([&, i] {
      const std::string name = "r" + std::to_string(i);
      for (int attempt = 0; attempt < 20; ++attempt) {
        const auto lease = boards[i]->claim(name);
        ASSERT_TRUE(lease) << lease.error().message;
        if (*lease) leases[i].push_back(**lease);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  std::set<std::uint32_t> jobs;
  std::set<std::uint64_t> tokens;
  std::size_t held = 0;
  for (const auto& list : leases) {
    held += list.size();
    for (const Lease& lease : list) {
      jobs.insert(lease.job);
      tokens.insert(lease.token);
    }
  }
  EXPECT_EQ(held, 16U);
  EXPECT_EQ(jobs.size(), 16U);
  EXPECT_EQ(tokens.size(), 16U);
  // Whoever came first and got more gives it back: all have four in the end.
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < kReplicas; ++i) {
      std::erase_if(leases[i], [&](const Lease& lease) {
        if (!boards[i]->renew(lease)->surplus) return false;
        return boards[i]->release(lease).has_value();
      });
      while (const auto lease = boards[i]->claim("r" + std::to_string(i)).value()) leases[i].push_back(*lease);
    }
  }
  for (const auto& list : leases) EXPECT_EQ(list.size(), 4U);
}

// A token of before the loss is never given again.
TEST(RedisJobBoard, TokensAscendAcrossALoss) {
  auto link = fresh_link("loss|");
  RedisJobBoard board(options(1, 30'000), *link);
  const Lease before = board.claim("a").value().value_or(Lease{});
  redis::Question question = link->question();
  question.commands.command({"FLUSHALL"});
  ASSERT_TRUE(link->run(question));
  EXPECT_EQ(board.renew(before).error().code, Code::conflict);
  const Lease after = board.claim("b").value().value_or(Lease{});
  EXPECT_GT(after.token, before.token);
  EXPECT_EQ(board.finish(before, Turn{}).error().code, Code::conflict);
}

}  // namespace
}  // namespace varve::tracker::testing
