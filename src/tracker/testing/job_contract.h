// SPDX-License-Identifier: Apache-2.0
// What every JobBoard must do. Use:
//   INSTANTIATE_TEST_SUITE_P(local, JobContract, ::testing::Values(MakeBoard(…)));
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "tracker/jobs.h"

namespace varve::tracker::testing {

// A board under test, whose clock the test moves.
class Board {
 public:
  virtual ~Board() = default;
  virtual JobBoard& board() = 0;
  virtual void advance_ms(std::int64_t by) = 0;
  virtual model::Timestamp now_ms() = 0;
};
using MakeBoard = std::function<std::unique_ptr<Board>(const JobOptions&)>;

class JobContract : public ::testing::TestWithParam<MakeBoard> {
 protected:
  static constexpr std::int64_t kPeriod = 64'000;
  static constexpr std::int64_t kLease = 30'000;

  static JobOptions options(std::uint32_t partitions = 64, std::uint32_t jobs = 4) {
    JobOptions options{{}, jobs, kPeriod, kLease};
    for (std::uint32_t p = 0; p < partitions; ++p) options.partitions.push_back(p);
    return options;
  }
  void make(const JobOptions& options) {
    made = GetParam()(options);
    board = &made->board();
  }
  void SetUp() override { make(options()); }

  std::optional<Lease> claim(std::string_view replica) {
    auto lease = board->claim(replica);
    EXPECT_TRUE(lease);
    return lease ? *lease : std::nullopt;
  }
  Lease must_claim(std::string_view replica) {
    const auto lease = claim(replica);
    EXPECT_TRUE(lease) << replica << " gets no job";
    return lease.value_or(Lease{});
  }
  static bool lost(const auto& result) { return !result && result.error().code == Code::conflict; }
  Turn turn(const Lease& lease) {
    auto turn = board->turn(lease);
    EXPECT_TRUE(turn);
    return turn ? *turn : Turn{};
  }
  // Takes the turn at its time.
  Turn work(const Lease& lease) {
    const Turn next = turn(lease);
    EXPECT_TRUE(board->finish(lease, next));
    return next;
  }

  std::unique_ptr<Board> made;
  JobBoard* board = nullptr;
};

TEST_P(JobContract, one_replica_gets_every_job_once) {
  std::set<std::uint32_t> jobs;
  std::set<std::uint64_t> tokens;
  for (int i = 0; i < 4; ++i) {
    const Lease lease = must_claim("a");
    jobs.insert(lease.job);
    tokens.insert(lease.token);
    EXPECT_FALSE(lease.surplus);
  }
  EXPECT_EQ(jobs.size(), 4U);
  EXPECT_EQ(tokens.size(), 4U);
  EXPECT_FALSE(claim("a"));
  EXPECT_FALSE(claim("b"));
  const auto states = board->jobs().value();
  for (const JobState& job : states) EXPECT_EQ(job.holder, "a");
}

// Stored later than now: not to be had. Now, or in the past: to be had, and the next one's time follows from it.
TEST_P(JobContract, a_turn_is_due_by_the_schedule) {
  const Lease lease = must_claim("a");
  const Turn first = turn(lease);
  EXPECT_EQ(first.wait_ms, 0) << "at the start the latest turn is taken at once";
  ASSERT_TRUE(board->finish(lease, first));
  Turn next = turn(lease);
  EXPECT_EQ(next.due_ms, first.due_ms + kPeriod / 16);
  EXPECT_EQ(next.wait_ms, next.due_ms - made->now_ms());
  EXPECT_GT(next.wait_ms, 0);
  made->advance_ms(next.wait_ms - 1);
  EXPECT_EQ(turn(lease).wait_ms, 1);
  made->advance_ms(1);
  EXPECT_EQ(turn(lease).wait_ms, 0);
  EXPECT_EQ(turn(lease).number, next.number) << "until it is finished";
  ASSERT_TRUE(board->finish(lease, next));
  EXPECT_TRUE(lost(board->finish(lease, next))) << "only once";
}

TEST_P(JobContract, nothing_drifts_where_work_takes_time) {
  Lease lease = must_claim("a");
  const Turn first = work(lease);
  for (int i = 1; i <= 40; ++i) {
    const Turn next = turn(lease);
    EXPECT_EQ(next.number, first.number + i);
    EXPECT_EQ(next.due_ms, first.due_ms + i * kPeriod / 16);
    made->advance_ms(next.wait_ms + 3700);  // of the 4000 until the next one
    lease = board->renew(lease).value();
    ASSERT_TRUE(board->finish(lease, next));
  }
}

TEST_P(JobContract, every_partition_has_one_turn_a_period_evenly_spread) {
  const std::vector<std::pair<std::uint32_t, std::uint32_t>> shapes = {{64, 4}, {128, 4}, {4, 4},
                                                                       {5, 2},  {1, 4},   {3, 8}};
  for (const auto& [partitions, jobs] : shapes) {
    SCOPED_TRACE(std::to_string(partitions) + " partitions in " + std::to_string(jobs) + " jobs");
    make(options(partitions, jobs));
    std::vector<Lease> leases;
    while (const auto lease = claim("a")) leases.push_back(*lease);
    EXPECT_EQ(leases.size(), std::min(partitions, jobs));
    for (const Lease& lease : leases) {
      while (turn(lease).wait_ms == 0) work(lease);
    }
    const model::Timestamp begin = made->now_ms();
    std::multiset<std::uint32_t> seen;
    std::multiset<model::Timestamp> times;
    for (int step = 0; step < kPeriod / 100; ++step) {
      made->advance_ms(100);
      for (Lease& lease : leases) {
        lease = board->renew(lease).value();
        for (Turn next = turn(lease); next.wait_ms == 0; next = turn(lease)) {
          seen.insert(next.partition);
          times.insert(next.due_ms);
          ASSERT_TRUE(board->finish(lease, next));
        }
      }
    }
    EXPECT_EQ(seen.size(), partitions);
    EXPECT_EQ(std::set(seen.begin(), seen.end()).size(), partitions);
    EXPECT_GT(*times.begin(), begin);
    for (auto it = times.begin(); std::next(it) != times.end(); ++it) {
      EXPECT_GE(*std::next(it) - *it, kPeriod / partitions / 2) << "a burst";
    }
  }
}

TEST_P(JobContract, after_a_long_pause_each_partition_has_one_turn) {
  make(options(16, 1));
  work(must_claim("a"));
  made->advance_ms(100 * kPeriod + 1234);
  const Lease lease = must_claim("a");
  std::set<std::uint32_t> seen;
  int turns = 0;
  while (turn(lease).wait_ms == 0) {
    seen.insert(work(lease).partition);
    ASSERT_LE(++turns, 16);
  }
  EXPECT_EQ(turns, 16);
  EXPECT_EQ(seen.size(), 16U);
}

TEST_P(JobContract, a_lease_lasts_while_its_heart_beats) {
  make(options(64, 1));
  Lease lease = must_claim("a");
  for (int i = 0; i < 10; ++i) {
    made->advance_ms(kLease - 1);
    EXPECT_FALSE(claim("b"));
    const auto renewed = board->renew(lease);
    ASSERT_TRUE(renewed);
    EXPECT_EQ(renewed->token, lease.token);
    EXPECT_EQ(renewed->expires_ms, made->now_ms() + kLease);
    lease = *renewed;
  }
}

TEST_P(JobContract, a_dead_replicas_job_is_taken_over_where_it_stopped) {
  make(options(64, 1));
  const Lease lease = must_claim("a");
  const Turn done = work(lease);
  made->advance_ms(turn(lease).wait_ms);
  const Turn begun = turn(lease);  // and then a dies
  made->advance_ms(kLease - 1000 - 1);
  EXPECT_FALSE(claim("b"));
  made->advance_ms(1);
  const Lease taken = must_claim("b");
  EXPECT_GT(taken.token, lease.token) << "fencing tokens ascend";
  EXPECT_EQ(begun.number, done.number + 1);
  EXPECT_EQ(turn(taken).number, begun.number);
  EXPECT_EQ(turn(taken).due_ms, begun.due_ms);

  // a was only slow: all it may do now is to find that out.
  EXPECT_TRUE(lost(board->renew(lease)));
  EXPECT_TRUE(lost(board->turn(lease)));
  EXPECT_TRUE(lost(board->finish(lease, begun)));
  EXPECT_TRUE(board->release(lease));
  EXPECT_EQ(turn(taken).number, begun.number) << "the new holder goes on undisturbed";
  EXPECT_TRUE(board->finish(taken, begun));
}

TEST_P(JobContract, an_expired_lease_is_lost_also_if_nobody_took_it) {
  const Lease lease = must_claim("a");
  made->advance_ms(kLease);
  EXPECT_TRUE(lost(board->renew(lease)));
  EXPECT_TRUE(lost(board->turn(lease)));
  std::set<std::uint32_t> jobs;
  for (int i = 0; i < 4; ++i) jobs.insert(must_claim("a").job);
  EXPECT_TRUE(jobs.contains(lease.job));
}

TEST_P(JobContract, what_was_given_back_is_free_at_once) {
  make(options(64, 1));
  const Lease lease = must_claim("a");
  ASSERT_TRUE(board->release(lease));
  EXPECT_EQ(board->jobs().value()[0].holder, "");
  EXPECT_TRUE(lost(board->renew(lease)));
  EXPECT_NE(must_claim("b").token, lease.token);
}

TEST_P(JobContract, the_job_most_behind_goes_first) {
  const Lease first = must_claim("a");
  for (int i = 0; i < 3; ++i) {
    const Lease other = must_claim("a");
    work(other);
    ASSERT_TRUE(board->release(other));
    // Of those that are free, each has been worked on once more than the one that was never given back.
  }
  ASSERT_TRUE(board->release(first));
  EXPECT_EQ(must_claim("a").job, first.job);
}

TEST_P(JobContract, replicas_share) {
  std::vector<Lease> of_a(4);
  for (Lease& lease : of_a) lease = must_claim("a");
  EXPECT_FALSE(claim("b")) << "nothing is free";
  std::size_t surplus = 0;
  for (Lease& lease : of_a) {
    lease = board->renew(lease).value();
    if (!lease.surplus) continue;
    ++surplus;
    ASSERT_TRUE(board->release(lease));
  }
  EXPECT_EQ(surplus, 2U);
  EXPECT_FALSE(claim("a")) << "it has its share";
  must_claim("b");
  must_claim("b");
  EXPECT_FALSE(claim("b"));
  // b is not heard of any more: a gets all, one lease later.
  made->advance_ms(kLease - 1);
  for (Lease& lease : of_a) {
    if (!lease.surplus) lease = board->renew(lease).value();
  }
  EXPECT_FALSE(claim("a"));
  made->advance_ms(1);
  must_claim("a");
  must_claim("a");
  EXPECT_FALSE(claim("a"));
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(JobContract);

}  // namespace varve::tracker::testing
