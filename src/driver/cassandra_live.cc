// SPDX-License-Identifier: Apache-2.0
// The driver and a real Cassandra, which tests/cassandra_test.py starts: VARVE_CASSANDRA names its contact points and
// VARVE_CASSANDRA_CA its certificate. What has to happen to the node is asked for on standard output and confirmed on
// standard input (control()).
#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <semaphore>
#include <thread>

#include "base/bytes.h"
#include "driver/cassandra.h"
#include "driver/wait.h"

namespace varve::driver {
namespace {

using namespace std::chrono_literals;

std::string be32(std::uint32_t value) {
  std::string bytes(4, 0);
  store_be32(bytes.data(), value);
  return bytes;
}
std::string be64(std::int64_t value) {
  std::string bytes(8, 0);
  store_be64(bytes.data(), static_cast<std::uint64_t>(value));
  return bytes;
}
std::string map_of(const std::map<std::string, std::string>& values) {
  std::string bytes = be32(static_cast<std::uint32_t>(values.size()));
  for (const auto& [key, value] : values)
    for (const auto& text : {key, value}) bytes += be32(static_cast<std::uint32_t>(text.size())) + text;
  return bytes;
}

void control(const char* what) {
  std::printf("control: %s\n", what);
  std::fflush(stdout);
  char line[16];
  ASSERT_NE(std::fgets(line, sizeof line, stdin), nullptr) << what;
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing changes it
  return value == nullptr ? "" : value;
}

SessionOptions options() {
  SessionOptions options;
  options.contact_points = environment("VARVE_CASSANDRA");
  options.user = options.password = "cassandra";
  return options;
}

Result<Session> connect(const Runtime& runtime, const SessionOptions& wanted = options()) {
  return wait<Session>([&](Done<Session> done) { Session::connect(runtime, wanted, std::move(done)); });
}
Result<Rows> query(const Session& session, std::string_view cql) {
  return wait<Rows>([&](Done<Rows> done) { session.query(cql, {}, std::move(done)); });
}
Result<Statement> prepare(const Session& session, std::string_view cql) {
  return wait<Statement>([&](Done<Statement> done) { session.prepare(cql, std::move(done)); });
}
Result<Rows> execute(const Session& session, const Statement& statement, std::vector<Cell> cells,
                     const ExecuteOptions& how = {}) {
  return wait<Rows>([&](Done<Rows> done) { session.execute({&statement, cells}, how, std::move(done)); });
}

template <class T>
T must(Result<T> result) {
  if (!result) {
    ADD_FAILURE() << result.error().message;
    std::abort();
  }
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

class Live : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    runtime = std::make_unique<Runtime>(must(Runtime::start(2)));
    // The first start makes the user while it already answers.
    auto connected = connect(*runtime);
    for (int attempt = 0; !connected && attempt < 60; ++attempt) {
      std::this_thread::sleep_for(500ms);
      connected = connect(*runtime);
    }
    session = std::make_unique<Session>(must(std::move(connected)));
    must(query(*session,
               "CREATE KEYSPACE IF NOT EXISTS live WITH replication = "
               "{'class': 'SimpleStrategy', 'replication_factor': 1}"));
    must(query(*session,
               "CREATE TABLE IF NOT EXISTS live.kinds (k text PRIMARY KEY, b blob, n bigint, t timestamp, "
               "s tinyint, m frozen<map<text, text>>)"));
    must(query(*session, "CREATE TABLE IF NOT EXISTS live.series (p bigint, c bigint, v blob, PRIMARY KEY (p, c))"));
  }
  static void TearDownTestSuite() {
    session.reset();
    runtime.reset();
  }

  static std::int64_t count(std::int64_t partition) {
    const auto select = must(prepare(*session, "SELECT count(*) FROM live.series WHERE p = ?"));
    const auto rows = must(execute(*session, select, {Cell(be64(partition))}));
    return static_cast<std::int64_t>(load_be64(rows.row(0)[0].bytes().data()));
  }
  static Statement insert() { return must(prepare(*session, "INSERT INTO live.series (p, c, v) VALUES (?, ?, ?)")); }

  static inline std::unique_ptr<Runtime> runtime;
  static inline std::unique_ptr<Session> session;
};

TEST_F(Live, EveryKindOfCellComesBack) {
  const auto put = must(prepare(*session, "INSERT INTO live.kinds (k, b, n, t, s, m) VALUES (?, ?, ?, ?, ?, ?)"));
  const auto get = must(prepare(*session, "SELECT k, b, n, t, s, m FROM live.kinds WHERE k = ?"));
  EXPECT_EQ(put.cells(), 6U);
  const std::string blob("\0\xff\n", 3), number = be64(-5), time = be64(1'790'000'000'123), small("\x80", 1);
  const std::string map = map_of({{"host", "a"}, {"kind", ""}});
  must(execute(*session, put, {Cell("full"), blob, number, time, small, map}));
  must(execute(*session, put, {Cell("empty"), "", Cell(), Cell(), Cell(), Cell()}));

  const auto full = must(execute(*session, get, {Cell("full")}));
  ASSERT_EQ(full.count(), 1U);
  const std::vector<std::string> wanted{"full", blob, number, time, small, map};
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_EQ(full.row(0)[i].bytes(), wanted[i]) << i;
  const auto empty = must(execute(*session, get, {Cell("empty")}));
  ASSERT_EQ(empty.count(), 1U);
  EXPECT_FALSE(empty.row(0)[1].null());
  EXPECT_EQ(empty.row(0)[1].bytes(), "");
  for (std::size_t i = 2; i < 6; ++i) EXPECT_TRUE(empty.row(0)[i].null()) << i;
  EXPECT_EQ(must(execute(*session, get, {Cell("nobody")})).count(), 0U);
}

TEST_F(Live, ErrorsSayWhatIsWrong) {
  auto error = [](const auto& result) { return result ? Error{Code::corrupt, "no error"} : result.error(); };
  auto unknown = error(prepare(*session, "SELECT a FROM live.no_such_table"));
  EXPECT_EQ(unknown.code, Code::invalid);
  EXPECT_NE(unknown.message.find("no_such_table"), std::string::npos) << unknown.message;
  EXPECT_EQ(error(prepare(*session, "SELEKT")).code, Code::invalid);
  EXPECT_EQ(error(query(*session, "CREATE TABLE live.series (p int PRIMARY KEY)")).code, Code::conflict);
  const auto put = insert();
  const auto few = error(execute(*session, put, {Cell(be64(1))}));
  EXPECT_EQ(few.code, Code::invalid);
  EXPECT_NE(few.message.find("1 cells for 3 markers"), std::string::npos) << few.message;
  EXPECT_EQ(error(execute(*session, put, {Cell("short"), Cell("short"), Cell("x")})).code, Code::invalid);
  const auto three = error(execute(*session, put, {Cell(be64(1)), Cell(be64(1)), Cell("x")},
                                   {.consistency = Consistency::three, .timestamp_us = {}}));
  EXPECT_EQ(three.code, Code::unavailable) << three.message;

  auto wrong = options();
  wrong.password = "wrong";
  EXPECT_EQ(error(connect(*runtime, wrong)).code, Code::invalid);
  wrong.user = wrong.password = "";
  EXPECT_EQ(error(connect(*runtime, wrong)).code, Code::invalid);
  wrong = options();
  wrong.keyspace = "nowhere";
  EXPECT_EQ(error(connect(*runtime, wrong)).code, Code::conflict);
  wrong = options();
  wrong.local_dc = "nowhere";  // connects, and finds nobody to ask
  const auto far = must(connect(*runtime, wrong));
  EXPECT_EQ(error(query(far, "SELECT key FROM system.local")).code, Code::unavailable);
}

TEST_F(Live, Tls) {
  auto secure = options();
  secure.tls.ca_file = environment("VARVE_CASSANDRA_CA");
  const auto encrypted = must(connect(*runtime, secure));
  EXPECT_EQ(must(query(encrypted, "SELECT key FROM system.local")).count(), 1U);
  secure.tls = {};
  secure.tls.enabled = true;  // the system's authorities do not know it
  const auto stranger = connect(*runtime, secure);
  ASSERT_FALSE(stranger);
  EXPECT_NE(stranger.error().message.find("certificate"), std::string::npos) << stranger.error().message;
}

TEST_F(Live, PagesComeWhenTheyAreAskedFor) {
  constexpr std::int64_t kRows = 10'000;
  const auto put = insert();
  for (std::int64_t begin = 0; begin < kRows; begin += 500) {
    std::vector<std::string> bytes;
    std::vector<std::array<Cell, 3>> cells;
    std::vector<Bound> rows;
    bytes.reserve(1'501), cells.reserve(500);
    const auto& partition = bytes.emplace_back(be64(1));
    for (std::int64_t i = begin; i < begin + 500; ++i) {
      const auto& key = bytes.emplace_back(be64(i));
      const auto& value = bytes.emplace_back("v" + std::to_string(i));
      rows.push_back({&put, cells.emplace_back(std::array<Cell, 3>{partition, key, value})});
    }
    must(wait<void>([&](Done<void> done) { session->batch(rows, {}, std::move(done)); }));
  }
  const auto get = must(prepare(*session, "SELECT c, v FROM live.series WHERE p = ?"));
  auto rows = must(execute(*session, get, {Cell(be64(1))}, {.timestamp_us = {}, .page_size = 777}));
  std::int64_t seen = 0;
  int pages = 0;
  for (;;) {
    ++pages;
    EXPECT_LE(rows.count(), 777U);
    for (std::size_t i = 0; i < rows.count(); ++i, ++seen) {
      ASSERT_EQ(load_be64(rows.row(i)[0].bytes().data()), static_cast<std::uint64_t>(seen));
      ASSERT_EQ(rows.row(i)[1].bytes(), "v" + std::to_string(seen));
    }
    if (!rows.more()) break;
    rows = must(wait<Rows>([&](Done<Rows> done) { rows.next(std::move(done)); }));
  }
  EXPECT_EQ(seen, kRows);
  EXPECT_EQ(pages, 13);
  const auto after = wait<Rows>([&](Done<Rows> done) { rows.next(std::move(done)); });
  ASSERT_FALSE(after);
  EXPECT_EQ(after.error().code, Code::invalid);
  EXPECT_EQ(must(execute(*session, get, {Cell(be64(1))})).count(), 10'000U) << "in one answer";
}

TEST_F(Live, ABatchOfSeveralStatements) {
  const auto put = insert();
  const auto forget = must(prepare(*session, "DELETE FROM live.series WHERE p = ? AND c = ?"));
  const std::string p = be64(2), one = be64(1), two = be64(2);
  must(execute(*session, put, {Cell(p), one, Cell("x")}, {.timestamp_us = 1}));
  const std::array<Cell, 3> new_row{p, two, "y"};
  const std::array<Cell, 2> old_row{p, one};
  const std::vector<Bound> rows{{&put, new_row}, {&forget, old_row}};
  must(wait<void>([&](Done<void> done) { session->batch(rows, {}, std::move(done)); }));
  EXPECT_EQ(count(2), 1);
  EXPECT_FALSE(
      wait<void>([&](Done<void> done) { session->batch(std::vector<Bound>{{&put, old_row}}, {}, std::move(done)); }));
}

TEST_F(Live, TheLaterTimestampWins) {
  const auto put = insert();
  const auto get = must(prepare(*session, "SELECT v FROM live.series WHERE p = ? AND c = ?"));
  const std::string p = be64(3), c = be64(1);
  must(execute(*session, put, {Cell(p), c, Cell("later")}, {.timestamp_us = 2'000}));
  must(execute(*session, put, {Cell(p), c, Cell("earlier")}, {.timestamp_us = 1'000}));
  EXPECT_EQ(must(execute(*session, get, {Cell(p), c})).row(0)[0].bytes(), "later");
  must(execute(*session, put, {Cell(p), c, Cell("now")}));
  EXPECT_EQ(must(execute(*session, get, {Cell(p), c})).row(0)[0].bytes(), "now");
}

TEST_F(Live, NodesAgree) {
  must(query(*session, "CREATE TABLE IF NOT EXISTS live.another (p int PRIMARY KEY)"));
  const auto agreed = wait<void>([&](Done<void> done) { session->agree(std::move(done)); });
  EXPECT_TRUE(agreed) << agreed.error().message;
  EXPECT_TRUE(prepare(*session, "SELECT p FROM live.another"));
}

TEST_F(Live, ManyAtOnce) {
  constexpr int kRows = 20'000;
  const auto put = insert();
  const std::string p = be64(4);
  std::counting_semaphore<> room(256);
  std::atomic<int> failed = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kRows; ++i) {
    room.acquire();
    const std::string c = be64(i);
    session->execute({&put, std::array<Cell, 3>{p, c, "value"}}, {}, [&](const Result<Rows>& done) {
      failed += !done;
      room.release();
    });
  }
  for (int i = 0; i < 256; ++i) room.acquire();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::printf("%.0f single rows a second, 256 in flight\n", kRows / took.count());
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(count(4), kRows);
}

TEST_F(Live, CancelledIsCalledBackOnce) {
  const auto put = insert();
  const std::string p = be64(5), c = be64(1);
  const std::array<Cell, 3> cells{p, c, "v"};
  constexpr int kRequests = 1'000;
  std::atomic<int> calls = 0, cancelled = 0, other = 0;
  std::counting_semaphore<> called(0);
  for (int i = 0; i < kRequests; ++i) {
    const auto request = session->execute({&put, cells}, {}, [&](const Result<Rows>& done) {
      ++calls;
      cancelled += !done && done.error().code == Code::cancelled;
      other += !done && done.error().code != Code::cancelled;
      called.release();
    });
    if (i % 2 == 0) request.cancel();
  }
  for (int i = 0; i < kRequests; ++i) called.acquire();
  EXPECT_EQ(calls, kRequests);
  EXPECT_GT(cancelled, 0);
  EXPECT_LE(cancelled, kRequests / 2);
  EXPECT_EQ(other, 0);
  EXPECT_TRUE(execute(*session, put, {p, c, "v"}));
}

TEST_F(Live, StopCallsBackOnceForEverything) {
  auto own = must(Runtime::start(2));
  const auto ours = must(connect(own));
  const auto put = must(prepare(ours, "INSERT INTO live.series (p, c, v) VALUES (?, ?, ?)"));
  const std::string p = be64(6), c = be64(1);
  const std::array<Cell, 3> cells{p, c, "v"};
  std::atomic<int> calls = 0;
  for (int i = 0; i < 2'000; ++i) ours.execute({&put, cells}, {}, [&](const Result<Rows>&) { ++calls; });
  own.stop();
  EXPECT_EQ(calls, 2'000);
  ours.execute({&put, cells}, {}, [&](const Result<Rows>& done) {
    ++calls;
    EXPECT_EQ(done.error().code, Code::cancelled);
  });
  EXPECT_EQ(calls, 2'001);
}

TEST_F(Live, ANodeThatHangs) {
  const auto put = insert();
  const std::string p = be64(7), c = be64(1);
  control("pause 1");
  const auto done = execute(*session, put, {Cell(p), c, Cell("v")}, {.timestamp_us = {}, .timeout_ms = 300});
  control("resume 1");
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, Code::timeout) << done.error().message;
  EXPECT_TRUE(execute(*session, put, {Cell(p), c, Cell("v")}));
}

TEST_F(Live, ANodeThatComesBackIsFoundAgain) {
  const auto put = insert();
  const std::string p = be64(8), c = be64(1);
  must(execute(*session, put, {Cell(p), c, Cell("before")}));
  control("kill 1");
  const auto lost = execute(*session, put, {Cell(p), c, Cell("lost")});
  ASSERT_FALSE(lost);
  EXPECT_TRUE(lost.error().code == Code::io || lost.error().code == Code::unavailable) << lost.error().message;
  control("start 1");
  // The driver tries again after 50 ms, then ever more seldom: after 10 s at the latest.
  auto done = execute(*session, put, {Cell(p), c, Cell("after")});
  for (int attempt = 0; !done && attempt < 120; ++attempt) {
    std::this_thread::sleep_for(250ms);
    done = execute(*session, put, {Cell(p), c, Cell("after")});
  }
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(count(8), 1);
}

}  // namespace
}  // namespace varve::driver
