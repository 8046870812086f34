// SPDX-License-Identifier: Apache-2.0
// The contract of rows in a real Cassandra, which tests/schema_test.py starts, and what rows cost there.
#include "engine/cassandra/tables/cassandra_rows.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <optional>
#include <random>
#include <semaphore>
#include <thread>

#include "driver/wait.h"
#include "engine/cassandra/tables/apply.h"
#include "engine/cassandra/tables/testing/row_store_contract.h"

namespace varve::engine::cassandra {
namespace {

using testing::MakeRows;
using testing::RowStoreContract;
using testing::RowsUnderTest;

const SchemaOptions kSchema{.keyspace = "rows", .rollups = {{300'000, rollup::kForEver}}};

// One session for all tests of the program.
class Connected {
 public:
  static Connected& instance() {
    static Connected connected;
    return connected;
  }
  const driver::Session& session() { return *session_; }

 private:
  Connected() : runtime_(std::move(driver::Runtime::start(1).value())) {
    driver::SessionOptions wanted;
    wanted.contact_points = std::getenv("VARVE_CASSANDRA");  // NOLINT(concurrency-mt-unsafe): nothing changes it
    session_.emplace(driver::wait<driver::Session>([&](driver::Done<driver::Session> done) {
                       driver::Session::connect(runtime_, wanted, std::move(done));
                     }).value());
    const Status applied = apply_schema(*session_, kSchema, [](std::string_view) {});
    EXPECT_TRUE(applied) << applied.error().message;
  }

  driver::Runtime runtime_;
  std::optional<driver::Session> session_;
};

class InCassandra final : public RowsUnderTest {
 public:
  explicit InCassandra(const CassandraRowsOptions& options)
      : rows_(CassandraRows::open(Connected::instance().session(), tables_, options, clock_).value()) {}
  RowStore& rows() override { return *rows_; }
  const Tables& tables() override { return tables_; }
  std::int64_t steady_ns() override { return clock_.steady_ns(); }
  void let_pass(unsigned seconds) override { std::this_thread::sleep_for(std::chrono::seconds(seconds)); }

 private:
  SystemClock clock_;
  Tables tables_{kSchema};
  std::unique_ptr<CassandraRows> rows_;
};

INSTANTIATE_TEST_SUITE_P(Cassandra, RowStoreContract, ::testing::Values(MakeRows([] {
                           return std::make_unique<InCassandra>(CassandraRowsOptions{.keyspace = "rows"});
                         })));

// Little of everything at once.
INSTANTIATE_TEST_SUITE_P(CassandraNarrow, RowStoreContract, ::testing::Values(MakeRows([] {
                           return std::make_unique<InCassandra>(CassandraRowsOptions{
                               .keyspace = "rows",
                               .in_flight_requests = 3,
                               .batch_rows_max = 7,
                               .reads_in_flight = 2,
                               .scan_ranges = 3,
                           });
                         })));

class CassandraRowsLive : public ::testing::Test {
 protected:
  std::unique_ptr<CassandraRows> open(CassandraRowsOptions options = {}) {
    options.keyspace = "rows";
    return std::move(CassandraRows::open(Connected::instance().session(), tables, options, clock).value());
  }
  RowWrite raw(std::int64_t slot, std::int64_t arrived, std::string value, std::uint32_t ttl_s = 0) const {
    return {&tables.raw,
            {"live", timestamp_cell(slot), smallint_cell(0)},
            {"0123456789abcdef", bigint_cell(arrived), bigint_cell(1)},
            {std::move(value)},
            arrived,
            ttl_s};
  }
  std::int64_t ttl_of(std::int64_t slot) {
    const std::string cql = "SELECT TTL(value) FROM rows." + tables.raw.name +
                            " WHERE tenant = 'live' AND shard = 0 AND time_slot = " + std::to_string(slot);
    const auto found = driver::wait<driver::Rows>(
        [&](driver::Done<driver::Rows> done) { Connected::instance().session().query(cql, {}, std::move(done)); });
    const driver::Cell cell = found.value().row(0)[0];
    return cell.null() ? 0 : integer_of(cell.bytes()).value();
  }

  SystemClock clock;
  Tables tables{kSchema};
};

TEST_F(CassandraRowsLive, TimeToLiveIsTheTablesUnlessTheRowHasOne) {
  const auto rows = open();
  ASSERT_TRUE(rows->write_now({raw(1, 1, "v"), raw(2, 1, "v", 1'000)}));
  EXPECT_GT(ttl_of(1), kHotKeptMs / 1000 - 600);
  EXPECT_LE(ttl_of(1), kHotKeptMs / 1000);
  EXPECT_GT(ttl_of(2), 400);
  EXPECT_LE(ttl_of(2), 1'000);
}

TEST_F(CassandraRowsLive, WhatCannotBeSaidIsForEver) {
  const auto rows = open();
  ASSERT_TRUE(rows->write_now({raw(3, 1, "v", 19 * 365 * 86'400), raw(4, 1, "v", UINT32_MAX)}));
  EXPECT_EQ(ttl_of(3), 0);
  EXPECT_EQ(ttl_of(4), 0);
}

TEST_F(CassandraRowsLive, MissingTablesAreNamed) {
  CassandraRowsOptions nowhere{.keyspace = "nowhere"};
  const auto opened = CassandraRows::open(Connected::instance().session(), tables, nowhere, clock);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, Code::unsupported);
  EXPECT_NE(opened.error().message.find("varve schema --apply"), std::string::npos) << opened.error().message;
}

TEST_F(CassandraRowsLive, TooMuchIsRefused) {
  const auto rows = open({.in_flight_requests = 1, .queued_bytes_max = 1 << 20});
  std::atomic<int> written = 0, refused = 0;
  constexpr int kCalls = 200;
  std::counting_semaphore<> called(0);
  for (int i = 0; i < kCalls; ++i) {
    rows->write({raw(3, i, std::string(64 << 10, 'x'))}, [&](const Status& status) {
      written += status.has_value();
      refused += !status && status.error().code == Code::unavailable;
      called.release();
    });
    EXPECT_LE(rows->load().bytes, 1U << 20);
  }
  for (int i = 0; i < kCalls; ++i) called.acquire();
  EXPECT_GT(refused, 0);
  EXPECT_EQ(written + refused, kCalls);
  EXPECT_EQ(rows->load().bytes, 0U);
}

TEST_F(CassandraRowsLive, TheEndWaitsForWhatIsUnderWay) {
  std::atomic<int> called = 0;
  auto rows = open({.in_flight_requests = 4});
  for (int i = 0; i < 1'000; ++i) rows->write({raw(i, 1, "v")}, [&](const Status&) { ++called; });
  rows.reset();
  EXPECT_EQ(called, 1'000);
}

TEST_F(CassandraRowsLive, ReadsAreCancelledInTheMiddle) {
  const auto rows = open();
  std::vector<RowWrite> all;
  std::vector<RowRead> reads;
  for (int i = 0; i < 2'000; ++i) {
    all.push_back(raw(10'000 + i, 1, std::string(1'000, 'x')));
    reads.push_back({&tables.raw, all.back().partition, {}, {}, {"value"}});
  }
  ASSERT_TRUE(rows->write_now(std::move(all)));
  std::atomic<bool> cancelled = false;
  int seen = 0;
  const Status status = rows->read(reads, {&cancelled, 0}, [&](std::size_t, const RowView&) {
    cancelled = ++seen == 100;
    return Status();
  });
  EXPECT_EQ(status.error().code, Code::cancelled);
  EXPECT_EQ(seen, 100);
}

void control(const char* what) {
  std::printf("control: %s\n", what);
  std::fflush(stdout);
  char line[16];
  ASSERT_NE(std::fgets(line, sizeof line, stdin), nullptr) << what;
}

TEST_F(CassandraRowsLive, OneThatHangsIsWaitedForWithoutGrowing) {
  const auto rows = open({.queued_bytes_max = 4 << 20});
  std::atomic<int> called = 0, failed = 0;
  const RowRead one{&tables.raw, raw(4, 0, "").partition, {}, {}, {"value"}};
  const auto nothing = [](std::size_t, const RowView&) { return Status(); };
  ASSERT_TRUE(rows->read({&one, 1}, {}, nothing));
  control("pause 1");
  int taken = 0;
  bool refused = false;
  for (int i = 0; !refused; ++i) {
    ASSERT_LT(i, 10'000);
    rows->write({raw(4, i, std::string(16 << 10, 'x'))}, [&](const Status& status) {
      ++called;
      failed += !status;
    });
    refused = rows->load().refused > 0;
    taken += !refused;
  }
  EXPECT_GT(taken, 200);
  EXPECT_EQ(called, 1) << "who is refused hears of it at once";
  const RowRead new_kind{&tables.raw, one.partition, "0", {}, {}};  // which must be prepared first
  EXPECT_EQ(rows->read({&new_kind, 1}, {nullptr, clock.steady_ns() + 500'000'000}, nothing).error().code,
            Code::timeout);
  EXPECT_EQ(rows->read({&one, 1}, {nullptr, clock.steady_ns() + 2'000'000'000}, nothing).error().code, Code::timeout);
  control("resume 1");
  while (called != taken + 1) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(failed, 1) << "all that was taken was written";
  EXPECT_GT(rows->load().slow, 0U);
  EXPECT_LT(rows->load().limit, 256U);
  EXPECT_EQ(rows->load().bytes, 0U);
  std::size_t seen = 0;
  ASSERT_TRUE(rows->read({&one, 1}, {}, [&](std::size_t, const RowView&) {
    ++seen;
    return Status();
  }));
  EXPECT_EQ(seen, static_cast<std::size_t>(taken));
}

double cpu_s() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

class Stopwatch {
 public:
  void tell(const char* what, std::size_t items) const {
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin_;
    std::printf("%s: %.0f a second, %.1f us of client CPU each\n", what, static_cast<double>(items) / took.count(),
                (cpu_s() - cpu_) * 1e6 / static_cast<double>(items));
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  double cpu_ = cpu_s();
};

std::string noise(std::size_t bytes) {
  static std::mt19937_64 random(7);
  std::string out(bytes, 0);
  for (char& c : out) c = static_cast<char>(random());
  return out;
}

class CassandraRowsSpeed : public CassandraRowsLive {
 protected:
  // Rows of so many bytes, `a_call` of them in each call, in partitions of their own or all of a call in one.
  void write_many(const char* what, std::size_t bytes, std::size_t count, std::size_t a_call, bool one_partition) {
    const auto rows = open();
    const std::string value = noise(bytes);
    std::counting_semaphore<> room(static_cast<std::ptrdiff_t>(std::max<std::size_t>(1, 1'024 / a_call)));
    const std::ptrdiff_t calls_in_flight = static_cast<std::ptrdiff_t>(std::max<std::size_t>(1, 1'024 / a_call));
    std::atomic<int> failed = 0;
    const Stopwatch watch;
    for (std::size_t i = 0; i < count; i += a_call) {
      std::vector<RowWrite> call;
      for (std::size_t j = i; j < i + a_call; ++j) {
        const auto slot = static_cast<std::int64_t>(1'000'000 + (one_partition ? i : j));
        call.push_back(raw(slot, static_cast<std::int64_t>(j), value));
      }
      room.acquire();
      rows->write(std::move(call), [&](const Status& status) {
        failed += !status;
        room.release();
      });
    }
    for (std::ptrdiff_t i = 0; i < calls_in_flight; ++i) room.acquire();
    watch.tell(what, count);
    EXPECT_EQ(failed, 0);
    std::printf("  limit %zu, slow %zu\n", rows->load().limit, static_cast<std::size_t>(rows->load().slow));
  }
};

TEST_F(CassandraRowsSpeed, HotRows) {
  write_many("rows of 200 bytes, partitions of their own", 200, 20'000, 10, false);
  write_many("rows of 200 bytes, 100 in a partition at once", 200, 50'000, 100, true);
  write_many("rows of 2 KiB, partitions of their own", 2'048, 10'000, 10, false);
  write_many("rows of 16 KiB, partitions of their own", 16'384, 8'000, 1, false);
  write_many("rows of 16 KiB, 8 in a partition at once", 16'384, 8'000, 8, true);
}

TEST_F(CassandraRowsSpeed, Reads) {
  const auto rows = open();
  const std::string value = noise(500);
  std::vector<RowWrite> all;
  std::vector<RowRead> reads;
  for (int i = 0; i < 10'000; ++i) {
    all.push_back(raw(2'000'000 + i, 1, value));
    reads.push_back({&tables.raw, all.back().partition, {}, {}, {"value"}});
  }
  ASSERT_TRUE(rows->write_now(std::move(all)));
  all.clear();
  for (std::int64_t i = 0; i < 10'000; ++i) all.push_back(raw(3'000'000, i, value));
  ASSERT_TRUE(rows->write_now(std::move(all)));
  std::size_t seen = 0;
  const auto count = [&](std::size_t, const RowView&) {
    ++seen;
    return Status();
  };
  for (const char* const what : {"reads of a row of 500 bytes, cold", "reads of a row of 500 bytes"}) {
    seen = 0;
    const Stopwatch watch;
    ASSERT_TRUE(rows->read(reads, {}, count));
    watch.tell(what, reads.size());
    EXPECT_EQ(seen, reads.size());
  }
  const RowRead one = {&tables.raw, raw(3'000'000, 0, "").partition, {}, {}, {"value"}};
  seen = 0;
  const Stopwatch watch;
  ASSERT_TRUE(rows->read({&one, 1}, {}, count));
  watch.tell("rows of 500 bytes read from one partition", seen);
  EXPECT_EQ(seen, 10'000U);
}

}  // namespace
}  // namespace varve::engine::cassandra
