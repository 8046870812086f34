// SPDX-License-Identifier: Apache-2.0
#include "telnet/listener.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <deque>
#include <optional>
#include <thread>

#include "base/mutex.h"
#include "net/test_client.h"
#include "write/testing/fake_stores.h"

namespace varve::telnet {
namespace {

// Answers appends only when told, from another thread: a store that is behind.
class HeldStore final : public storage::SampleStore {
 public:
  void append(const model::RowBatch& batch, AppendDone done) override {
    const MutexLock lock(mutex_);
    samples_ += batch.samples();
    if (!hold_) return done({});
    held_.push_back(std::move(done));
  }
  void release(bool keep_holding) {
    std::deque<AppendDone> now;
    {
      const MutexLock lock(mutex_);
      hold_ = keep_holding;
      now.swap(held_);
    }
    for (auto& done : now) done({});
  }
  void hold() {
    const MutexLock lock(mutex_);
    hold_ = true;
  }
  std::size_t samples() {
    const MutexLock lock(mutex_);
    return samples_;
  }
  std::size_t held() {
    const MutexLock lock(mutex_);
    return held_.size();
  }
  Status scan(model::TenantId, std::span<const model::SeriesId>, const storage::ScanOptions&,
              storage::PieceSink&) override {
    return {};
  }
  Result<storage::EraseReport> erase(model::TenantId, std::span<const model::SeriesId>, model::TimeRange,
                                     const std::atomic<bool>*) override {
    return storage::EraseReport{};
  }
  Result<storage::SettleReport> settle() override { return storage::SettleReport{}; }
  [[nodiscard]] storage::StorageBytes storage_bytes() const override { return {}; }

 private:
  Mutex mutex_;
  std::deque<AppendDone> held_ VARVE_GUARDED_BY(mutex_);
  std::size_t samples_ VARVE_GUARDED_BY(mutex_) = 0;
  bool hold_ VARVE_GUARDED_BY(mutex_) = false;
};

class ListenerTest : public ::testing::Test {
 protected:
  write::testing::FakeSeriesStore series;
  HeldStore store;
  write::Writer writer{series, store, {}};
  write::testing::FakeSampleStore full;  // refuses, and its writer; both must outlive the listener's threads
  write::Writer refusing{series, full, {}};
  Metrics metrics;
  ListenerOptions options{.listen = "127.0.0.1:0", .version = "1.2.3"};
  std::optional<Listener> listener;

  void start() {
    listener.emplace(options, writer, metrics);
    ASSERT_TRUE(listener->start());
  }
  [[nodiscard]] std::uint16_t port() const { return listener->port(); }
};

TEST_F(ListenerTest, TakesLinesAndClosesInOrder) {
  start();
  net::TestClient client(port());
  client.send("put m 1700000000 1 host=a\r\nputm m 1700000000001 2.5  host=a\nputm m 17000000");
  client.send("00002 3 host=b\nputm m 1700000000003 4 host=");
  client.close_sending();
  EXPECT_EQ(client.read_to_end(), "");
  EXPECT_EQ(store.samples(), 3U);  // the last line had no end
}

TEST_F(ListenerTest, ASilentConnectionEnds) {
  options.idle_timeout = std::chrono::milliseconds(300);
  start();
  net::TestClient client(port());
  client.send("put m 1700000000 1 host=a\n");
  EXPECT_EQ(client.read_to_end(), "");
  EXPECT_EQ(store.samples(), 1U);
}

TEST_F(ListenerTest, ConnectionsAreBounded) {
  options.connections_max = 2;
  start();
  std::vector<std::unique_ptr<net::TestClient>> held;
  for (int i = 0; i < 2; ++i) {
    held.push_back(std::make_unique<net::TestClient>(port()));
    held.back()->send("version\n");
    EXPECT_FALSE(held.back()->read_to("\n").empty());
  }
  net::TestClient third(port());
  EXPECT_EQ(third.read_to_end(), "");
  EXPECT_EQ(metrics.counter("varve_telnet_connections_refused_total", "").value(), 1U);
}

TEST_F(ListenerTest, AnswersCommandsAndNamesBadLines) {
  start();
  net::TestClient client(port());
  client.send("version\n");
  EXPECT_NE(client.read_to("\n").find("varve 1.2.3"), std::string::npos);
  client.send("bogus\nput m 1700000000 1 host=a\nput m x 1 host=a\n");
  EXPECT_FALSE(client.read_to("\n").empty());
  EXPECT_FALSE(client.read_to("\n").empty());
  client.send("exit\nput m 1700000000 1 host=a\n");
  EXPECT_EQ(client.read_to_end(), "");
  EXPECT_EQ(store.samples(), 1U);
}

TEST_F(ListenerTest, ClosesOnlyWhenTheLinesAreDurable) {
  store.hold();
  start();
  net::TestClient client(port());
  client.send("put m 1700000000 1 host=a\n");
  client.close_sending();
  while (store.held() == 0) std::this_thread::yield();
  std::thread releasing([&] { store.release(true); });
  EXPECT_EQ(client.read_to_end(), "");
  releasing.join();
  EXPECT_EQ(store.samples(), 1U);
}

TEST_F(ListenerTest, HoldsTheSenderBackWhileTheStoreIsBehind) {
  store.hold();
  start();
  net::TestClient client(port());
  const std::string line = "put m 1700000000 1 host=a\n";
  std::string many;
  for (int i = 0; i < 100'000; ++i) many += line;
  std::thread sending([&] {
    client.send(many);
    client.close_sending();
  });
  while (store.held() == 0) std::this_thread::yield();
  EXPECT_EQ(store.held(), 1U);
  EXPECT_LE(store.samples(), (128U << 10) / line.size() + 1);  // one piece, however much was sent
  store.release(false);
  sending.join();
  EXPECT_EQ(client.read_to_end(), "");
  EXPECT_EQ(store.samples(), 100'000U);
}

TEST_F(ListenerTest, AStoreThatRefusesEndsTheConnectionWithAWord) {
  full.refuse = true;
  listener.emplace(options, refusing, metrics);
  ASSERT_TRUE(listener->start());
  net::TestClient client(port());
  client.send("put m 1700000000 1 host=a\n");
  EXPECT_EQ(client.read_to_end(), "error: the disk is full\n");
}

// The answer of `version` says that the lines before it are kept.
TEST_F(ListenerTest, LinesThatWereLostAreNotAcknowledgedByVersion) {
  full.refuse = true;
  listener.emplace(options, refusing, metrics);
  ASSERT_TRUE(listener->start());
  net::TestClient client(port());
  client.send("put m 1700000000 1 host=a\nversion\n");
  EXPECT_EQ(client.read_to_end(), "error: the disk is full\n");
}

TEST_F(ListenerTest, RefusedSeriesAreNamedBeforeTheAnswerOfVersion) {
  full.refuse = true;
  full.refusal = Code::limit;
  listener.emplace(options, refusing, metrics);
  ASSERT_TRUE(listener->start());
  net::TestClient client(port());
  client.send("put m 1700000000 1 host=a\nversion\n");
  EXPECT_EQ(client.read_to("\n"), "error: the disk is full\n");
  EXPECT_NE(client.read_to("\n").find("varve 1.2.3"), std::string::npos);
}

// A tenant that is full is no reason to lose what comes after.
TEST_F(ListenerTest, RefusedSeriesDoNotEndTheConnection) {
  full.refuse = true;
  full.refusal = Code::limit;
  listener.emplace(options, refusing, metrics);
  ASSERT_TRUE(listener->start());
  net::TestClient client(port());
  client.send("put m 1700000000 1 host=a\n");
  EXPECT_EQ(client.read_to("\n"), "error: the disk is full\n");
  full.refuse = false;
  client.send("put m 1700000000 1 host=a\nexit\n");
  EXPECT_EQ(client.read_to_end(), "");
  EXPECT_EQ(full.appended, 2U);
}

TEST_F(ListenerTest, StopTakesWhatHasArrived) {
  start();
  net::TestClient idle(port());
  idle.send("version\n");
  EXPECT_FALSE(idle.read_to("\n").empty());
  net::TestClient client(port());
  client.send("version\n");
  EXPECT_FALSE(client.read_to("\n").empty());
  client.send("put m 1700000000 1 host=a\nput m 17000");  // in the server's socket buffer now
  listener->stop(std::chrono::milliseconds(10'000));
  EXPECT_EQ(store.samples(), 1U);
  EXPECT_EQ(client.read_to_end(), "");
  EXPECT_EQ(idle.read_to_end(), "");
}

TEST_F(ListenerTest, StopWaitsForTheStoreUntilItsDeadline) {
  store.hold();
  start();
  net::TestClient client(port());
  client.send("put m 1700000000 1 host=a\n");
  while (store.held() == 0) std::this_thread::yield();
  listener->stop(std::chrono::milliseconds(20));
  listener.reset();
  store.release(false);  // too late for the connection, and harmless
}

TEST_F(ListenerTest, ManyConnections) {
  options.threads = 2;
  start();
  std::vector<std::thread> clients;
  for (int c = 0; c < 20; ++c) {
    clients.emplace_back([&, c] {
      net::TestClient client(port());
      for (int i = 0; i < 50; ++i) client.send("put m 1700000000 1 host=h" + std::to_string(c) + "\n");
      client.close_sending();
      EXPECT_EQ(client.read_to_end(), "");
    });
  }
  for (auto& client : clients) client.join();
  EXPECT_EQ(store.samples(), 1000U);
}

// Event loops want some: a start is refused, and can be tried again.
TEST_F(ListenerTest, starts_when_there_are_descriptors_again) {
#ifdef __clang__  // whose sanitizers want descriptors themselves (docs/decisions/0031)
  GTEST_SKIP();
#endif
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  listener.emplace(options, writer, metrics);
  const int next = ::dup(0);
  ::close(next);
  for (int more = 0; more < 3; ++more) {
    const rlimit few{static_cast<rlim_t>(next + more), before.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &few);
    const Status started = listener->start();
    ::setrlimit(RLIMIT_NOFILE, &before);
    ASSERT_FALSE(started) << more;
    EXPECT_NE(started.error().message.find("Too many open files"), std::string::npos) << started.error().message;
  }
  EXPECT_TRUE(listener->start());
}

}  // namespace
}  // namespace varve::telnet
