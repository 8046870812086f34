// SPDX-License-Identifier: Apache-2.0
// What requests hold together stays within limits.memory, and what is no longer wanted is given back.
#include <deque>
#include <thread>

#include "api/kairosdb/routes.h"
#include "api/shared/query_answer.h"
#include "api/testing/whole_context.h"
#include "base/mutex.h"
#include "http/server_fixture.h"
#include "storage/testing/memory_store.h"

namespace varve::api {
namespace {

using http::Client;
using http::Reply;
using Kind = MemoryLedger::Kind;
using std::chrono::milliseconds;

constexpr std::size_t kMiB = std::size_t{1} << 20;

// Pieces of 1 MB, as long as somebody takes them.
class Endless {
 public:
  explicit Endless(std::atomic<int>& alive) : alive_(alive) { ++alive_; }
  ~Endless() { --alive_; }
  Endless(const Endless&) = delete;
  Endless& operator=(const Endless&) = delete;
  bool next(std::string& out) {
    out.append(1'000'000, 'x');
    return true;
  }

 private:
  std::atomic<int>& alive_;
};

// One piece.
class Once {
 public:
  bool next(std::string& out) {
    if (!std::exchange(given_, true)) out += 'x';
    return out == "x";
  }

 private:
  bool given_ = false;
};

class MemoryTest : public http::ServerTest {
 protected:
  MemoryTest() {
    options.memory = memory_;
    router.add({Method::get, "/held", [this](const Request& request, const Responder& answer) {
                  const MutexLock lock(mutex_);
                  queries_.push_back(begin_query(engine_, request, "test", "m").value());
                  held_.emplace_back(answer);
                }});
    router.add({Method::get, "/endless", [this](const Request& request, const Responder& answer) {
                  auto query = begin_query(engine_, request, "test", "m").value();
                  EXPECT_TRUE(query->budget().charge(3 * kMiB));
                  answer(
                      streamed(std::move(query), Response::text(200, ""), std::make_shared<Endless>(endless_)).value());
                }});
    router.add({Method::post, "/later", [this](const Request&, Responder answer) {
                  const MutexLock lock(mutex_);
                  held_.push_back(std::move(answer));
                }});
    add_kairosdb_routes(router, whole_.of(engine_, pool_, metrics));
  }
  ~MemoryTest() override {
    held_.clear();  // their connections, before the server that they belong to
    server.reset();
  }

  std::size_t waiting() {
    const MutexLock lock(mutex_);
    return held_.size();
  }
  static void until(const std::function<bool()>& is_so) {
    while (!is_so()) std::this_thread::yield();
  }
  // The answer, made and not sent, of a query that the client asks; answer_held() takes it.
  Response made_answer(Client& client) {
    client.send("GET /held HTTP/1.1\r\n\r\n");
    until([&] { return waiting() == 1; });
    const MutexLock lock(mutex_);
    return held_by(std::move(queries_.front()), Response::text(200, std::string(100'000, 'x'))).value();
  }
  // The oldest that waits, with "x".
  void answer_next(bool streams) {
    until([&] { return waiting() != 0; });
    const MutexLock lock(mutex_);
    Response response = Response::text(200, streams ? "" : "x");
    held_.front()(streams ? streamed(queries_.front(), std::move(response), std::make_shared<Once>()).value()
                          : held_by(queries_.front(), std::move(response)).value());
    held_.pop_front();
    queries_.pop_front();
  }
  void answer_held(Response response) {
    const MutexLock lock(mutex_);
    held_.front()(std::move(response));
  }
  std::string kill_path() {
    const auto running = engine_.running().list("default");
    return "/api/v1/admin/killquery/" + (running.empty() ? "none" : running[0].id);
  }

  const std::shared_ptr<MemoryLedger> memory_ = std::make_shared<MemoryLedger>(16 * kMiB);  // 12 for large ones
  storage::testing::MemoryStore store_;
  ManualClock clock_;
  query::Engine engine_{store_, store_, clock_, {}, memory_};
  testing::WholeContext whole_{store_, clock_};
  TaskPool pool_{1};
  std::atomic<int> endless_{0};
  Mutex mutex_;
  std::deque<Responder> held_ VARVE_GUARDED_BY(mutex_);
  std::deque<std::shared_ptr<query::UnderWay>> queries_ VARVE_GUARDED_BY(mutex_);
};

TEST_F(MemoryTest, BodiesThatTrickleHoldWhatHasComeOfThem) {
  start();
  std::deque<Client> trickling;
  for (int i = 0; i < 64; ++i) {
    trickling.emplace_back(port());
    trickling.back().send("POST /none HTTP/1.1\r\nContent-Length: 67108864\r\n\r\n" + std::string(9000, 'x'));
  }
  until([&] { return memory_->held(Kind::body) >= 64U * 9000; });
  EXPECT_LE(memory_->held(Kind::body), 64U * 4 * 9000);
  Client client(port());
  EXPECT_EQ(client.post("/none", std::string(4 * kMiB, 'y')).status, 204);
  EXPECT_EQ(memory_->refused(), 0U);
  trickling.clear();
  until([&] { return memory_->held() == 0; });
}

TEST_F(MemoryTest, ABodyHasToComeAtSomeRate) {
  options.body_timeout = milliseconds(40);
  options.body_rate_min = std::size_t{1} << 40;
  start();
  Client slow(port());
  slow.send("POST /none HTTP/1.1\r\nContent-Length: 40000000\r\n\r\n");
  std::thread sender([&] {
    Client pace(port());
    for (std::size_t sent = 0; sent < 40'000'000; sent += 4000) {
      slow.send(std::string(4000, 'x'));
      EXPECT_EQ(pace.get("/who").status, 200);  // takes some time, and lets the server look
    }
  });
  EXPECT_EQ(slow.reply().status, 408);
  sender.join();
}

TEST_F(MemoryTest, SmallBodiesFindRoomBesideLargeOnes) {
  start();
  Client first(port());
  first.send("POST /later HTTP/1.1\r\nContent-Length: 8388608\r\n\r\n" + std::string(8 * kMiB, 'x'));
  Client second(port());
  second.send("POST /later HTTP/1.1\r\nContent-Length: 3000000\r\n\r\n" + std::string(3'000'000, 'x'));
  until([&] { return waiting() == 2; });
  MemoryLedger::Account rest(memory_, Kind::query);
  ASSERT_TRUE(rest.resize(memory_->room()));
  Client client(port());
  EXPECT_EQ(client.post("/none", std::string(kMiB, 'y')).status, 204);
  Client large(port());
  const Reply refused = large.post("/none", std::string(4 * kMiB, 'y'));
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.header("Retry-After"), "1");
  EXPECT_NE(refused.body.find("limits.memory"), std::string::npos) << refused.body;
  EXPECT_EQ(memory_->refused(), 1U);
  for (int i = 0; i < 2; ++i) {
    const MutexLock lock(mutex_);
    held_[static_cast<std::size_t>(i)](Response::empty(204));
  }
  EXPECT_EQ(first.reply().status, 204);  // those that had their memory keep it
  EXPECT_EQ(second.reply().status, 204);
  rest.clear();
  until([&] { return memory_->held() == 0; });
}

TEST_F(MemoryTest, AnAnswerThatNobodyReadsIsChargedListedAndEnded) {
  start();
  Client stuck(port());
  stuck.send("GET /endless HTTP/1.1\r\n\r\n");
  EXPECT_NE(stuck.read_to("\r\n\r\n"), "");
  EXPECT_GE(memory_->held(Kind::answer), 3 * kMiB);
  EXPECT_EQ(memory_->held(Kind::query), 0U);
  Client admin(port());
  const std::string listed = admin.get("/api/v1/admin/runningqueries").body;
  EXPECT_NE(listed.find(R"("query JSON":"/endless")"), std::string::npos) << listed;
  EXPECT_EQ(admin.ask("DELETE " + kill_path() + " HTTP/1.1\r\n\r\n").status, 204);
  const std::string rest = stuck.read_to_end();
  EXPECT_FALSE(rest.ends_with("0\r\n\r\n"));  // the client sees that it is not whole
  until([&] { return memory_->held() == 0; });
  EXPECT_EQ(endless_, 0);
  EXPECT_NE(admin.get("/api/v1/admin/runningqueries").body.find(R"("queries":[])"), std::string::npos);
}

TEST_F(MemoryTest, AnAnswerGoesWithItsConnection) {
  start();
  std::deque<Client> readers;
  for (int i = 0; i < 2; ++i) {
    readers.emplace_back(port());
    readers.back().send("GET /endless HTTP/1.1\r\n\r\n");
    EXPECT_NE(readers.back().read_to("\r\n\r\n"), "");
  }
  EXPECT_EQ(endless_, 2);
  EXPECT_GE(memory_->held(Kind::answer), 6 * kMiB);
  readers.clear();
  until([&] { return memory_->held() == 0 && endless_ == 0; });
  EXPECT_TRUE(engine_.running().list("default").empty());
}

TEST_F(MemoryTest, AQueryThatIsKilledBeforeItsAnswerIsToldSo) {
  start();
  Client client(port());
  Response response = made_answer(client);
  Client admin(port());
  EXPECT_EQ(admin.ask("DELETE " + kill_path() + " HTTP/1.1\r\n\r\n").status, 204);
  answer_held(std::move(response));
  const Reply reply = client.reply();
  EXPECT_EQ(reply.status, 422);
  EXPECT_NE(reply.body.find("killed by an operator"), std::string::npos) << reply.body;
  EXPECT_EQ(client.get("/who").status, 200);  // nothing was wrong with the connection
  until([&] { return memory_->held() == 0; });
}

// A client that reads nothing, until its answers wait behind one another. One that is killed there becomes an error;
// those in front of it and behind it come as they are.
TEST_F(MemoryTest, AKilledAnswerThatWaitsBehindOthersIsToldSo) {
  options.threads = 1;  // what is asked on another connection is done after what was asked and answered on this one
  start();
  for (const bool streams : {false, true}) {
    Client client(port());
    Client other(port());
    const auto read_round = [&](bool killed) {
      EXPECT_EQ(client.reply().body.size(), 15'000U);
      EXPECT_EQ(client.reply().body, "x");
      const Reply reply = client.reply();
      EXPECT_EQ(reply.status, killed ? 422 : 200);
      EXPECT_NE(reply.body.find(killed ? "killed by an operator" : "x"), std::string::npos) << reply.body;
      EXPECT_EQ(client.reply().body, "default default /who");
    };
    std::size_t unread = 0;
    for (bool waits = false; !waits && unread < 3000; ++unread) {
      client.send(
          "GET /big?n=15000 HTTP/1.1\r\n\r\nGET /held HTTP/1.1\r\n\r\n"
          "GET /held HTTP/1.1\r\n\r\nGET /who HTTP/1.1\r\n\r\n");
      EXPECT_EQ(other.get("/who").status, 200);
      // Not taken: it was the end of the last round that found no room.
      if (waiting() == 0) {
        for (; unread != 0; --unread) read_round(false);
      }
      answer_next(false);
      until([&] { return waiting() == 1; });
      EXPECT_EQ(other.get("/who").status, 200);
      waits = engine_.running().list("default").size() == 2;
      answer_next(waits && streams);
      EXPECT_EQ(other.get("/who").status, 200);
    }
    ASSERT_EQ(engine_.running().list("default").size(), 2U) << unread;
    const std::string second = engine_.running().list("default")[1].id;
    EXPECT_EQ(other.ask("DELETE /api/v1/admin/killquery/" + second + " HTTP/1.1\r\n\r\n").status, 204);
    until([&] { return engine_.running().list("default").size() < 2; });
    for (; unread != 0; --unread) read_round(unread == 1);
    EXPECT_EQ(client.get("/who").status, 200);
    until([&] { return memory_->held() == 0; });
  }
}

TEST_F(MemoryTest, AnAnswerIsHeldUntilItIsSent) {
  start();
  Client client(port());
  Response response = made_answer(client);
  EXPECT_GE(memory_->held(Kind::answer), 100'000U);
  EXPECT_EQ(engine_.running().list("default").size(), 1U);
  answer_held(std::move(response));
  EXPECT_EQ(client.reply().body.size(), 100'000U);
  until([&] { return memory_->held() == 0 && engine_.running().list("default").empty(); });
}

// Of no query: what such an answer holds counts, too.
TEST_F(MemoryTest, LargeAnswersOfAnyKindCount) {
  start();
  Client client(port());
  EXPECT_EQ(client.get("/big?n=13000000").status, 503);
  EXPECT_EQ(client.get("/big?n=11000000").body.size(), 11'000'000U);
  EXPECT_EQ(client.get("/big?n=60000").status, 200);
  until([&] { return memory_->held() == 0; });
  EXPECT_EQ(memory_->refused(), 1U);
}

}  // namespace
}  // namespace varve::api
