// SPDX-License-Identifier: Apache-2.0
#include "tracker/ownership.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tracker/local_jobs.h"

namespace varve::tracker {
namespace {

constexpr std::int64_t kPeriod = 64'000;
constexpr std::int64_t kLease = 30'000;

JobOptions jobs_of(std::vector<std::uint32_t> partitions, std::uint32_t jobs = 4) {
  return {std::move(partitions), jobs, kPeriod, kLease};
}

// The turn whose time has come, where the test knows that there is one.
Task task_of(Ownership& own) {
  const auto task = own.next().value();
  EXPECT_TRUE(task);
  return task.value_or(Task{});
}

TEST(PartitionSets, RangesAreExpanded) {
  using Ranges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
  using List = std::vector<std::uint32_t>;
  const auto in = [](const Ranges& ranges) { return partitions_in(ranges, 64); };
  EXPECT_EQ(in({{1, 1}, {5, 8}, {12, 12}, {15, 18}}), (List{1, 5, 6, 7, 8, 12, 15, 16, 17, 18}));
  EXPECT_EQ(in({}), List{});
  EXPECT_EQ(in({{0, 0}, {1, 1}, {3, 5}}), (List{0, 1, 3, 4, 5}));
  EXPECT_EQ(in({{3, 5}, {4, 6}, {0, 0}, {4, 4}}), (List{0, 3, 4, 5, 6})) << "ascending, each once";
  EXPECT_EQ(in({{62, 70}}), (List{62, 63}));
  EXPECT_EQ(in({{7, 0xffffffff}}).size(), 57U);
}

class OwnershipTest : public ::testing::Test {
 protected:
  std::unique_ptr<Ownership> replica(const std::string& name) {
    return std::make_unique<Ownership>(Ownership::Options{Own::jobs, name, jobs_of(all_partitions(64))}, &board, clock);
  }
  // Takes every turn for so long; how often each partition had one.
  std::map<std::uint32_t, int> run(const std::vector<Ownership*>& replicas, std::int64_t for_ms) {
    std::map<std::uint32_t, int> turns;
    for (std::int64_t at = 0; at < for_ms; at += 250) {
      clock.advance_ms(250);
      for (Ownership* one : replicas) {
        while (const auto task = one->next().value()) {
          ++turns[task->turn.partition];
          EXPECT_TRUE(one->finish(*task));
        }
      }
    }
    return turns;
  }

  ManualClock clock;
  LocalJobBoard board{jobs_of(all_partitions(64)), clock};
};

TEST_F(OwnershipTest, OneReplicaLooksAtEveryPartitionOncePerPeriod) {
  const auto one = replica("a");
  EXPECT_EQ(one->jobs_held(), 0U);
  while (const auto task = one->next().value()) ASSERT_TRUE(one->finish(*task));
  EXPECT_EQ(one->jobs_held(), 4U);
  EXPECT_EQ(one->partitions(), all_partitions(64));
  const auto turns = run({one.get()}, 10 * kPeriod);
  EXPECT_EQ(turns.size(), 64U);
  for (const auto& [partition, count] : turns) EXPECT_EQ(count, 10) << partition;
}

TEST_F(OwnershipTest, AJobHasOneTurnUnderWay) {
  const auto one = replica("a");
  clock.advance_ms(kPeriod);
  std::set<std::uint32_t> jobs;
  std::vector<Task> tasks;
  while (const auto task = one->next().value()) {
    EXPECT_TRUE(jobs.insert(task->lease.job).second);
    tasks.push_back(*task);
  }
  EXPECT_EQ(jobs.size(), 4U);
  ASSERT_TRUE(one->finish(tasks[2]));
  EXPECT_EQ(task_of(*one).lease.job, tasks[2].lease.job);
}

TEST_F(OwnershipTest, ASecondReplicaGetsItsShare) {
  const auto a = replica("a");
  const auto b = replica("b");
  run({a.get()}, kPeriod);
  EXPECT_EQ(a->jobs_held(), 4U);
  const auto turns = run({a.get(), b.get()}, 2 * kPeriod);
  EXPECT_EQ(a->jobs_held(), 2U);
  EXPECT_EQ(b->jobs_held(), 2U);
  EXPECT_EQ(turns.size(), 64U);
  for (const auto& [partition, count] : turns) EXPECT_GE(count, 1) << partition;
}

TEST_F(OwnershipTest, ADeadReplicasPartitionsAreLookedAtOneLeaseLater) {
  const auto a = replica("a");
  const auto b = replica("b");
  run({a.get(), b.get()}, 2 * kPeriod);
  ASSERT_EQ(a->jobs_held(), 2U);
  run({b.get()}, kLease + kLease / 3 + 1000);  // a is dead; b asks every third of a lease
  EXPECT_EQ(b->jobs_held(), 4U);
  EXPECT_EQ(b->partitions(), all_partitions(64));
}

TEST_F(OwnershipTest, StoppingGivesTheJobsBackAtOnce) {
  const auto a = replica("a");
  run({a.get()}, 1000);
  a->release();
  EXPECT_EQ(a->jobs_held(), 0U);
  const auto states = board.jobs().value();
  for (const JobState& job : states) EXPECT_EQ(job.holder, "");
}

TEST_F(OwnershipTest, WhoCameTooLateIsTold) {
  const auto a = replica("a");
  const Task task = task_of(*a);
  clock.advance_ms(kLease);
  const auto b = replica("b");
  task_of(*b);
  const Status finished = a->finish(task);
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().code, Code::conflict);
  EXPECT_EQ(a->jobs_held(), 3U) << "and the others are found lost at the next heartbeat";
  a->heartbeat();
  EXPECT_LE(a->jobs_held(), 2U);
}

TEST_F(OwnershipTest, ALongTurnIsKeptByHeartbeats) {
  const auto a = replica("a");
  const auto b = replica("b");
  const Task task = task_of(*a);
  for (int i = 0; i < 30; ++i) {
    clock.advance_ms(kLease / 3);
    a->heartbeat();
  }
  EXPECT_TRUE(a->finish(task));
}

// Another server's board, which does not answer now and then.
class FlakyBoard final : public JobBoard {
 public:
  explicit FlakyBoard(JobBoard& board) : board_(board) {}
  Result<std::optional<Lease>> claim(std::string_view replica) override {
    if (is_down) return fail(down);
    return board_.claim(replica);
  }
  Result<Lease> renew(const Lease& lease) override {
    if (is_down) return fail(down);
    return board_.renew(lease);
  }
  Result<Turn> turn(const Lease& lease) override {
    if (is_down) return fail(down);
    return board_.turn(lease);
  }
  Status finish(const Lease& lease, const Turn& turn) override {
    if (is_down) return fail(down);
    return board_.finish(lease, turn);
  }
  Status release(const Lease& lease) override {
    if (is_down) return fail(down);
    return board_.release(lease);
  }
  Result<std::vector<JobState>> jobs() override { return board_.jobs(); }

  bool is_down = false;

 private:
  inline static const Error down{Code::unavailable, "the board does not answer"};
  JobBoard& board_;
};

TEST_F(OwnershipTest, ABoardThatDoesNotAnswerCostsNothingWithinALease) {
  FlakyBoard flaky(board);
  Ownership own({Own::jobs, "a", jobs_of(all_partitions(64))}, &flaky, clock);
  flaky.is_down = true;
  EXPECT_FALSE(own.next().value()) << "nothing is held";
  flaky.is_down = false;
  clock.advance_ms(kLease / 3);
  const Task task = task_of(own);

  flaky.is_down = true;
  const Status finished = own.finish(task);
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().code, Code::unavailable);
  clock.advance_ms(kLease / 3);
  EXPECT_FALSE(own.next());
  EXPECT_EQ(own.jobs_held(), 4U);
  flaky.is_down = false;
  clock.advance_ms(kLease / 3);
  std::set<std::int64_t> again;
  while (const auto next = own.next().value()) {
    if (next->lease.token == task.lease.token) again.insert(next->turn.number);
    ASSERT_TRUE(own.finish(*next));
  }
  EXPECT_TRUE(again.contains(task.turn.number)) << "a turn that was not finished comes again";

  flaky.is_down = true;
  clock.advance_ms(kLease);
  EXPECT_FALSE(own.next().value());
  EXPECT_EQ(own.jobs_held(), 0U) << "not renewed for a lease: others may have it";
  own.release();
}

TEST(OwnList, HasTurnsForTheListedPartitionsOnly) {
  ManualClock clock;
  Ownership own({Own::list, "a", jobs_of({0, 1, 3, 4, 5})}, nullptr, clock);
  EXPECT_EQ(own.partitions(), (std::vector<std::uint32_t>{0, 1, 3, 4, 5}));
  std::map<std::uint32_t, int> turns;
  while (const auto task = own.next().value()) ASSERT_TRUE(own.finish(*task));
  for (int i = 0; i < 3 * kPeriod / 100; ++i) {
    clock.advance_ms(100);
    while (const auto task = own.next().value()) {
      ++turns[task->turn.partition];
      ASSERT_TRUE(own.finish(*task));
    }
  }
  EXPECT_EQ(turns, (std::map<std::uint32_t, int>{{0, 3}, {1, 3}, {3, 3}, {4, 3}, {5, 3}}));
}

TEST(OwnNone, HasNothingToDo) {
  ManualClock clock;
  Ownership own({Own::none, "a", jobs_of(all_partitions(64))}, nullptr, clock);
  clock.advance_ms(10 * kPeriod);
  EXPECT_FALSE(own.next().value());
  own.heartbeat();
  EXPECT_TRUE(own.partitions().empty());
  EXPECT_EQ(own.jobs_held(), 0U);
}

}  // namespace
}  // namespace varve::tracker
