// SPDX-License-Identifier: Apache-2.0
// What clients that are slow, greedy, broken or gone get, and how the server stops.
#include <algorithm>
#include <deque>
#include <future>
#include <latch>
#include <thread>

#include "base/mutex.h"
#include "base/task_pool.h"
#include "codec/compression.h"
#include "http/server_fixture.h"

namespace varve::http {
namespace {

using std::chrono::milliseconds;

// A handler that answers when the test says so.
class Later {
 public:
  Handler handler() {
    return [this](const Request& request, Responder answer) {
      const MutexLock lock(mutex_);
      gone = request.gone;
      held_.push_back(std::move(answer));
      arrived_.set_value();
    };
  }
  void wait() {
    arrived_.get_future().wait();
    arrived_ = {};
  }
  Responder take() {
    const MutexLock lock(mutex_);
    Responder r = std::move(held_.front());
    held_.pop_front();
    return r;
  }
  std::shared_ptr<std::atomic<bool>> gone;

 private:
  Mutex mutex_;
  std::deque<Responder> held_ VARVE_GUARDED_BY(mutex_);
  std::promise<void> arrived_;
};

TEST_F(ServerTest, RefusesBodiesOverTheLimit) {
  options.body_max = 10'000;
  start();
  EXPECT_EQ(Client(port()).post("/echo", std::string(10'000, 'x')).status, 200);
  EXPECT_EQ(Client(port()).post("/echo", std::string(10'001, 'x')).status, 413);
  EXPECT_EQ(Client(port()).post("/echo", std::string(5'000'000, 'x')).status, 413);
  Client expecting(port());
  EXPECT_EQ(expecting.ask("POST /echo HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 10001\r\n\r\n").status, 413);
  Client chunked(port());
  chunked.send("POST /echo HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (int i = 0; i < 11; ++i) chunked.send("3e8\r\n" + std::string(1000, 'x') + "\r\n");
  EXPECT_EQ(chunked.reply().status, 413);
}

TEST_F(ServerTest, RefusesBombs) {
  options.body_max = 100'000;
  start();
  const std::string bomb(50'000'000, 'x');
  for (const std::string coding : {"gzip", "deflate", "zstd"}) {
    std::string packed;
    ASSERT_TRUE(codec::compress(codec::coding_of(coding).value(), bomb, packed));
    ASSERT_LT(packed.size(), 100'000U);
    Client client(port());
    EXPECT_EQ(client.post("/echo", packed, "Content-Encoding: " + coding + "\r\n").status, 413) << coding;
    EXPECT_EQ(client.get("/who").status, 200);
  }
}

TEST_F(ServerTest, RefusesHeadsOverTheLimit) {
  options.head_max = 2000;
  options.target_max = 500;
  start();
  EXPECT_EQ(Client(port()).get("/who?" + std::string(600, 'a')).status, 414);
  EXPECT_EQ(Client(port()).get("/who?" + std::string(60'000, 'a')).status, 414);
  EXPECT_EQ(Client(port()).get("/who", "X: " + std::string(3000, 'a') + "\r\n").status, 431);
  EXPECT_EQ(Client(port()).get("/who", "X: " + std::string(60'000, 'a') + "\r\n").status, 431);
  Client garbage(port());
  garbage.send("put cpu 1 1 host=a\r\n\r\n");
  EXPECT_EQ(garbage.reply().status, 505);
}

TEST_F(ServerTest, RefusesWhatWouldPassTheMemoryOfAllRequests) {
  options.memory = std::make_shared<MemoryLedger>(400'000);  // 300'000 of them beside the shares of small ones
  Later later;
  router.add({Method::post, "/later", later.handler()});
  start();
  Client holder(port());
  holder.send("POST /later HTTP/1.1\r\nContent-Length: 200000\r\n\r\n" + std::string(200'000, 'x'));
  later.wait();
  Client other(port());
  const Reply reply = other.post("/echo", std::string(200'000, 'y'));
  EXPECT_EQ(reply.status, 503);
  EXPECT_EQ(reply.header("Retry-After"), "1");
  EXPECT_EQ(options.memory->refused(), 1U);
  EXPECT_EQ(Client(port()).post("/echo", "small").status, 200);
  later.take()(Response::empty(204));
  EXPECT_EQ(holder.reply().status, 204);
  EXPECT_EQ(Client(port()).post("/none", std::string(200'000, 'y')).status, 204);
}

TEST_F(ServerTest, ATaskOutOfMemoryIsAnErrorOfItsRequest) {
  TaskPool pool(1);
  router.add({Method::get, "/here", [](const Request&, const Responder&) { throw std::bad_alloc(); }});
  router.add({Method::get, "/there", [&](const Request&, const Responder& answer) {
                EXPECT_TRUE(pool.post([answer] { throw std::bad_alloc(); }));
              }});
  start();
  Client client(port());
  EXPECT_EQ(client.get("/here").status, 503);
  EXPECT_EQ(client.get("/there").status, 500);
  EXPECT_EQ(client.get("/who").status, 200);
  server.reset();  // before what it refers to
}

TEST_F(ServerTest, ClosesSlowClients) {
  options.head_timeout = options.body_timeout = options.idle_timeout = milliseconds(40);
  start();
  Client idle(port());
  EXPECT_TRUE(idle.at_end());
  Client head(port());
  EXPECT_EQ(head.ask("GET /who HT").status, 408);
  EXPECT_TRUE(head.at_end());
  Client body(port());
  EXPECT_EQ(body.ask("POST /echo HTTP/1.1\r\nContent-Length: 5\r\n\r\nab").status, 408);
  Client chunk(port());
  EXPECT_EQ(chunk.ask("POST /echo HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab").status, 408);
  Client between(port());
  EXPECT_EQ(between.get("/who").status, 200);
  EXPECT_TRUE(between.at_end());
}

TEST_F(ServerTest, ClosesAClientThatDoesNotRead) {
  options.write_timeout = milliseconds(40);
  start();
  Client client(port());
  client.send("GET /big?n=60000000 HTTP/1.1\r\n\r\n");
  const std::string head = client.read_to("\r\n\r\n");
  EXPECT_FALSE(head.empty());
  while (metrics.text().find("path=\"/big\"") == std::string::npos) std::this_thread::yield();
  server->stop(milliseconds(10'000));  // the deadline of the write, not this one, ends it
  EXPECT_LT(client.read_to_end().size(), 60'000'000U);
}

TEST_F(ServerTest, RefusesConnectionsOverTheLimit) {
  options.connections_max = 2;
  start();
  Client a(port());
  Client b(port());
  EXPECT_EQ(a.get("/who").status, 200);
  EXPECT_EQ(b.get("/who").status, 200);
  Client c(port());
  EXPECT_TRUE(c.at_end());
  EXPECT_EQ(metrics.counter("varve_http_connections_refused_total", "").value(), 1U);
}

TEST_F(ServerTest, TellsTheHandlerThatTheClientHasGone) {
  Later later;
  router.add({Method::get, "/later", later.handler()});
  start();
  {
    Client client(port());
    client.send("GET /later HTTP/1.1\r\n\r\n");
    later.wait();
    EXPECT_FALSE(*later.gone);
  }
  while (!*later.gone) std::this_thread::yield();
  later.take()(Response::text(200, "nobody"));
  EXPECT_EQ(Client(port()).get("/who").status, 200);
}

TEST_F(ServerTest, KeepsThePipelineWhileAHandlerTakesItsTime) {
  Later later;
  router.add({Method::get, "/later", later.handler()});
  start();
  Client client(port());
  client.send("GET /who HTTP/1.1\r\n\r\nGET /later HTTP/1.1\r\n\r\nGET /who HTTP/1.1\r\n\r\n");
  EXPECT_EQ(client.reply().status, 200);  // the first is not held back
  later.wait();
  client.send("GET /who HTTP/1.1\r\n\r\n");
  std::thread([&] { later.take()(Response::text(200, "late")); }).join();
  EXPECT_EQ(client.reply().body, "late");
  EXPECT_EQ(client.reply().status, 200);
  EXPECT_EQ(client.reply().status, 200);
  EXPECT_FALSE(*later.gone);
}

TEST_F(ServerTest, PipelinedRequestsTakeTurnsWithOtherConnections) {
  std::vector<std::string> order;
  std::latch begun(1), sent(1);
  router.add({Method::get, "/mark/{who}", [&](const Request& request, const Responder& answer) {
                order.emplace_back(request.path);
                if (order.size() == 1) {
                  begun.count_down();
                  sent.wait();
                }
                answer(Response::text(200, "marked"));
              }});
  options.threads = 1;
  start();
  Client many(port()), one(port());
  std::string requests;
  for (int i = 0; i < 200; ++i) requests += "GET /mark/many HTTP/1.1\r\n\r\n";
  many.send(requests);
  begun.wait();
  one.send("GET /mark/one HTTP/1.1\r\n\r\n");
  sent.count_down();
  for (int i = 0; i < 200; ++i) ASSERT_EQ(many.reply().body, "marked");
  EXPECT_EQ(one.reply().body, "marked");
  const auto place = std::ranges::find(order, "/mark/one") - order.begin();
  EXPECT_LT(place, 100) << "it does not wait for all of the other's";
}

TEST_F(ServerTest, AnswersOnceWhateverTheHandlerDoes) {
  router.add({Method::get, "/drop", [](const Request&, const Responder&) {}});
  router.add({Method::get, "/throw", [](const Request&, const Responder&) { throw std::runtime_error("no"); }});
  router.add({Method::get, "/twice", [](const Request&, const Responder& answer) {
                answer(Response::text(200, "first"));
                answer(Response::text(200, "second"));
              }});
  start();
  Client client(port());
  EXPECT_EQ(client.get("/drop").status, 500);
  EXPECT_EQ(client.get("/throw").status, 500);
  EXPECT_EQ(client.get("/twice").body, "first");
  EXPECT_EQ(client.get("/who").status, 200);
}

Response counting(int pieces, std::size_t bytes) {
  Response response = Response::text(200, "begin ");
  response.more = [i = 0, pieces, bytes](std::string& piece) mutable {
    if (i < pieces) piece = std::string(bytes, static_cast<char>('a' + i++ % 26));
    return Status();
  };
  return response;
}

TEST_F(ServerTest, StreamsAnswers) {
  router.add({Method::get, "/stream", [](const Request&, const Responder& a) { a(counting(50, 100'000)); }});
  start();
  Client client(port());
  std::string want = "begin ";
  for (int i = 0; i < 50; ++i) want += std::string(100'000, static_cast<char>('a' + i % 26));
  EXPECT_EQ(client.get("/stream").body, want);
  const Reply packed = client.get("/stream", "Accept-Encoding: gzip\r\n");
  std::string out;
  ASSERT_TRUE(codec::decompress(codec::Coding::gzip, packed.body, 10'000'000, out));
  EXPECT_EQ(out, want);
  EXPECT_EQ(client.ask("HEAD /stream HTTP/1.1\r\n\r\n").status, 200);
  EXPECT_EQ(client.get("/who").status, 200);
  EXPECT_EQ(Client(port()).ask("GET /stream HTTP/1.0\r\n\r\n").body, want);
}

TEST_F(ServerTest, HoldsTwoPiecesForASlowReader) {
  std::atomic<int> made = 0;
  router.add({Method::get, "/stream", [&](const Request&, const Responder& answer) {
                Response response = Response::text(200, "");
                response.more = [&](std::string& piece) {
                  if (++made <= 100) piece = std::string(1'000'000, 'x');
                  return Status();
                };
                answer(std::move(response));
              }});
  start();
  Client client(port());
  client.send("GET /stream HTTP/1.1\r\n\r\n");
  EXPECT_EQ(client.read(10).size(), 10U);
  // Socket buffers on both sides hold some; what they do not hold must not have been made.
  EXPECT_LT(made, 40);
  EXPECT_GT(client.read(100'000'000).size(), 99'000'000U);
}

TEST_F(ServerTest, PiecesAreMadeOnThePoolThatTheAnswerNames) {
  std::promise<std::thread::id> id;
  std::promise<void> release;
  TaskPool own(1), full(1, 1);
  ASSERT_TRUE(own.post([&] { id.set_value(std::this_thread::get_id()); }));
  const std::thread::id thread = id.get_future().get();
  ASSERT_TRUE(full.post([&] { release.get_future().wait(); }));
  while (full.waiting() != 0) std::this_thread::yield();
  ASSERT_TRUE(full.post([] {}));
  std::atomic<int> there = 0, elsewhere = 0;
  const auto pieces_on = [&](TaskPool& pool) {
    return [&](const Request&, const Responder& answer) {
      Response response = Response::text(200, "");
      response.pool = &pool;
      response.more = [&, left = 3](std::string& piece) mutable {
        ++(std::this_thread::get_id() == thread ? there : elsewhere);
        if (left-- > 0) piece = "x";
        return Status();
      };
      answer(std::move(response));
    };
  };
  router.add({Method::get, "/own", pieces_on(own)});
  router.add({Method::get, "/full", pieces_on(full)});
  start();
  EXPECT_EQ(Client(port()).get("/own").body, "xxx");
  EXPECT_EQ(there, 4);
  EXPECT_EQ(elsewhere, 0);
  EXPECT_EQ(Client(port()).get("/full").body, "xxx") << "it goes on beside";
  EXPECT_EQ(elsewhere, 4);
  release.set_value();
}

TEST_F(ServerTest, AStreamThatFailsIsNotMistakenForAWholeOne) {
  const auto failing = [](const auto& more) {
    return [more](const Request&, const Responder& answer) {
      Response response = Response::text(200, "begin");
      response.more = more;
      answer(std::move(response));
    };
  };
  router.add({Method::get, "/throws", failing([](std::string&) -> Status { throw std::runtime_error("no"); })});
  router.add({Method::get, "/says", failing([](std::string&) -> Status { return fail(Code::io, "no"); })});
  start();
  for (const char* const path : {"/throws", "/says"}) {
    for (const char* const headers : {"", "Accept-Encoding: gzip\r\n"}) {
      Client client(port());
      client.send("GET " + std::string(path) + " HTTP/1.1\r\n" + headers + "\r\n");
      const std::string all = client.read_to_end();
      EXPECT_NE(all.find("200 OK"), std::string::npos) << path;
      EXPECT_EQ(all.find("0\r\n\r\n"), std::string::npos) << path;
    }
  }
}

TEST_F(ServerTest, StopsAfterWhatIsUnderWay) {
  Later later;
  router.add({Method::get, "/later", later.handler()});
  start();
  const std::uint16_t at = port();
  Client idle(at);
  EXPECT_EQ(idle.get("/who").status, 200);
  Client busy(at);
  busy.send("GET /later HTTP/1.1\r\n\r\n");
  later.wait();
  std::thread stopping([&] { server->stop(milliseconds(10'000)); });
  EXPECT_TRUE(idle.at_end());
  later.take()(Response::text(200, "done"));
  const Reply reply = busy.reply();
  EXPECT_EQ(reply.body, "done");
  EXPECT_EQ(reply.header("Connection"), "close");
  busy.close();
  stopping.join();
  EXPECT_FALSE(Client(at).connected());
}

TEST_F(ServerTest, StopsAtItsDeadlineAndIgnoresLateAnswers) {
  Later later;
  router.add({Method::get, "/later", later.handler()});
  start();
  Client busy(port());
  busy.send("GET /later HTTP/1.1\r\n\r\n");
  later.wait();
  server->stop(milliseconds(10));
  EXPECT_TRUE(busy.at_end());
  EXPECT_TRUE(*later.gone);
  Responder late = later.take();
  server.reset();
  late(Response::text(200, "too late"));
}

}  // namespace
}  // namespace varve::http
