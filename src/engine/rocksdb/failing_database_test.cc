// SPDX-License-Identifier: Apache-2.0
// RocksDB cannot make files, or not write them, for a while: after errors that it does not come back from it is opened
// again in place. Nothing that was acknowledged is missing meanwhile or afterwards, and nobody has to restart anything.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

#include "engine/rocksdb/testing/rollup_store.h"

namespace varve::engine::rocksdb {
namespace {

using model::Timestamp;
using model::Value;
using testing::kDay;
using testing::kHour;
using testing::kStart;

// While it lives, calls of this process fail.
class Limit {
 public:
  Limit(__rlimit_resource what, rlim_t most) : what_(what) {
    ::getrlimit(what_, &before_);
    const rlimit less{most, before_.rlim_max};
    ::setrlimit(what_, &less);
  }
  ~Limit() { ::setrlimit(what_, &before_); }
  Limit(const Limit&) = delete;
  Limit& operator=(const Limit&) = delete;

 private:
  const __rlimit_resource what_;
  rlimit before_{};
};

// No further descriptor than those that are open.
rlim_t descriptors_in_use() {
  const int next = ::dup(0);
  ::close(next);
  return static_cast<rlim_t>(next);
}

enum class Fault { no_descriptors, no_writes };

class FailingDatabase : public testing::RollupStore, public ::testing::WithParamInterface<Fault> {
 protected:
  static void SetUpTestSuite() { std::signal(SIGXFSZ, SIG_IGN); }

  FailingDatabase() : RollupStore(options_with_hook()) {}
  ~FailingDatabase() override { fails_.reset(); }

  // From this step of the next settle() on calls fail, and for `again` more settle()s.
  void expect_failures(std::string step, int again = 0) {
    failing_from_ = std::move(step);
    for (int i = 0; i <= again; ++i) {
      const bool settled = bool(engine.samples().settle());
      // A file that is closed meanwhile may leave a descriptor that does.
      EXPECT_TRUE(!settled || GetParam() == Fault::no_descriptors);
    }
    EXPECT_TRUE(fails_);
  }
  void heal() { fails_.reset(); }
  // One row an hour, so many slots; the log of them is on disk before anything fails.
  void put(int from, int to) {
    for (int i = from; i < to; ++i) {
      ASSERT_TRUE(store.put(*group, kStart + i * kHour, {Value::of_long(i), Value::of_long(-i)}));
    }
  }
  void expect_rows(int count, const char* when) {
    for (const char* metric : {"a", "b"}) {
      const auto samples = store.read(metric);
      ASSERT_EQ(samples.size(), static_cast<std::size_t>(count)) << metric << ' ' << when;
      const auto windows = read(metric, kDay, {kStart, kStart + 30 * kDay});
      std::uint64_t counted = 0;
      for (const auto& [start, sum] : windows.sums) counted += sum.count;
      ASSERT_EQ(counted, static_cast<std::uint64_t>(count)) << metric << ' ' << when;
    }
  }
  storage::testing::Group* group = store.group({"a", "b"});

 private:
  Options options_with_hook() {
    Options options = RollupStore::options();
    options.cache_bytes_max = 0;  // what a query reads, it reads from the database
    options.at_step = [this](std::string_view step) -> Status {
      if (step != failing_from_ || fails_) return {};
      failing_from_.clear();
      if (GetParam() == Fault::no_descriptors) {
        fails_.emplace(RLIMIT_NOFILE, descriptors_in_use());
      } else {
        fails_.emplace(RLIMIT_FSIZE, 0);
      }
      return {};
    };
    return options;
  }
  std::string failing_from_;
  std::optional<Limit> fails_;
};

TEST_P(FailingDatabase, GoesOnByItselfWhenCallsGoWell) {
  put(0, 50);
  settle();
  int rows = 50;
  for (const char* step : {"flush.begin", "commit.flush", "merge.begin", "coarse.begin"}) {
    put(rows, rows + 10);
    rows += 10;
    // A second run in a slot that is sealed: something to merge.
    ASSERT_TRUE(store.put(*group, kStart, {Value::of_long(0), Value::of_long(0)}));
    expect_failures(step, step == std::string_view("merge.begin") ? 1 : 0);
    expect_rows(rows, "while calls fail");
    heal();
    settle();
    expect_rows(rows, step);
  }
  engine.restart();
  expect_rows(rows, "after a restart");
}

// The disk may be full again in the very moment in which the database is closed: here a folder stands where RocksDB
// wants a file of its own.
TEST_P(FailingDatabase, QueriesGoOnWhereItCannotBeOpened) {
  put(0, 50);
  settle();
  put(50, 60);
  expect_failures("commit.flush");
  const std::string lock = engine.options().path + "/db/LOCK";
  ASSERT_EQ(::unlink(lock.c_str()), 0);
  ASSERT_EQ(::mkdir(lock.c_str(), 0755), 0);
  heal();
  for (int i = 0; i < 2; ++i) {
    EXPECT_FALSE(engine.samples().settle());
    expect_rows(60, "while it cannot be opened");
  }
  ASSERT_EQ(::rmdir(lock.c_str()), 0);
  settle();
  expect_rows(60, "when it can be opened again");
  engine.restart();
  expect_rows(60, "after a restart");
}

// A query that began before has a snapshot of the database that was closed under it.
TEST_P(FailingDatabase, QueriesThatRunMeanwhileSeeAll) {
  put(0, 50);
  settle();
  class Slow final : public storage::PieceSink {
   public:
    explicit Slow(std::function<void()> then) : then_(std::move(then)) {}
    bool takes_stats(const storage::ChunkStats&) override { return false; }
    void stats(const storage::ChunkStats&) override {}
    Status piece(const storage::Piece& piece) override {
      if (samples == 0) then_();
      samples += piece.size();
      return {};
    }
    std::size_t samples = 0;

   private:
    std::function<void()> then_;
  };
  Slow sink([&] {
    put(50, 60);
    expect_failures("commit.flush");
    heal();
    settle();
    // What the query reads next is deleted, and would be erased.
    ASSERT_TRUE(engine.samples().erase(store.tenant(), store.find("a"), {kStart, kStart + 50 * kHour}, nullptr));
    settle();
  });
  storage::ScanOptions scan;
  scan.windows = false;
  scan.range = {kStart, kStart + 30 * kDay};
  const auto a = store.find("a");
  ASSERT_TRUE(engine.samples().scan(store.tenant(), a, scan, sink));
  EXPECT_EQ(sink.samples, 50U);
  EXPECT_EQ(store.read("a").size(), 10U);
}

// Definitions that RocksDB had in its memory are put again: without them what follows could not be read.
TEST_P(FailingDatabase, SeriesThatWereNewWhenItFailed) {
  put(0, 5);
  settle();
  for (int n = 0; n < 3; ++n) {
    const auto fresh = store.group({"new" + std::to_string(n)}, {{"n", std::to_string(n)}});
    ASSERT_TRUE(store.put(*fresh, kStart + n, {Value::of_long(n)}));
    expect_failures(n % 2 == 0 ? "flush.begin" : "commit.flush");
    heal();
    settle();
  }
  engine.restart();
  for (int n = 0; n < 3; ++n) EXPECT_EQ(store.read("new" + std::to_string(n)).size(), 1U) << n;
  expect_rows(5, "after a restart");
}

INSTANTIATE_TEST_SUITE_P(Faults, FailingDatabase, ::testing::Values(Fault::no_descriptors, Fault::no_writes),
                         [](const auto& fault) {
                           return fault.param == Fault::no_descriptors ? "NoDescriptors" : "NoWrites";
                         });

}  // namespace
}  // namespace varve::engine::rocksdb
