// SPDX-License-Identifier: Apache-2.0
// What a well-behaved client sees: requests, answers, routes, tenants.
#include "http/server.h"

#include "codec/compression.h"
#include "http/server_fixture.h"

namespace varve::http {
namespace {

TEST_F(ServerTest, AnswersManyRequestsOnOneConnection) {
  start();
  Client client(port());
  for (const std::size_t size : {0, 1, 100, 8000, 8192, 9000, 100'000, 3'000'000, 5}) {
    const std::string body(size, static_cast<char>('a' + size % 26));
    const Reply reply = client.post("/echo", body);
    ASSERT_EQ(reply.status, 200);
    ASSERT_EQ(reply.body, body);
    ASSERT_EQ(client.post("/none", body).status, 204);
  }
  EXPECT_EQ(counted("/echo", "200"), 9U);
  EXPECT_EQ(counted("/none", "204"), 9U);
}

TEST_F(ServerTest, AnswersPipelinedRequestsInOrder) {
  start();
  Client client(port());
  std::string all;
  for (int i = 0; i < 500; ++i) {
    const std::string body = "request " + std::to_string(i);
    all += "POST /echo HTTP/1.1\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    if (i % 7 == 0) all += "GET /big?n=20000 HTTP/1.1\r\n\r\n";
  }
  client.send(all);
  for (int i = 0; i < 500; ++i) {
    ASSERT_EQ(client.reply().body, "request " + std::to_string(i));
    if (i % 7 == 0) {
      ASSERT_EQ(client.reply().body.size(), 20'000U);
    }
  }
}

TEST_F(ServerTest, TakesARequestCutAnywhere) {
  start();
  const std::string request =
      "POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nX: y\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
  Client client(port());
  for (std::size_t cut = 1; cut < request.size(); ++cut) {
    client.send(request.substr(0, cut));
    EXPECT_EQ(client.ask(request.substr(cut)).body, "abc") << cut;
  }
  for (const char byte : request) client.send({&byte, 1});
  EXPECT_EQ(client.reply().body, "abc");
}

TEST_F(ServerTest, TakesChunkedBodiesOfAnySize) {
  start();
  Client client(port());
  for (const std::size_t chunk : {1UL, 1000UL, 65'536UL}) {
    std::string body;
    std::string request = "POST /echo HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
    for (int i = 0; i < 40; ++i) {
      const std::string piece(chunk, static_cast<char>('a' + i % 26));
      char size[20];
      std::snprintf(size, sizeof size, "%zx\r\n", piece.size());
      request += size + piece + "\r\n";
      body += piece;
    }
    client.send(request + "0\r\n\r\nGET /who HTTP/1.1\r\n\r\n");
    EXPECT_EQ(client.reply().body, body);
    EXPECT_EQ(client.reply().body, "default default /who");
  }
}

// So that those who wait for an answer do not wait for those who bring much.
TEST_F(ServerTest, LargeBodiesMoveAConnectionToAThreadOfLowPriority) {
  start();
  std::string packed;
  ASSERT_TRUE(codec::compress(codec::Coding::gzip, std::string(50'000'000, 'x'), packed));
  std::string little, less, tiny;  // of which much comes out, though it is little on the wire
  ASSERT_TRUE(codec::compress(codec::Coding::gzip, std::string(1'000'000, 'x'), little));
  ASSERT_TRUE(codec::compress(codec::Coding::zstd, little, less));
  ASSERT_TRUE(codec::compress(codec::Coding::gzip, std::string(200'000, 'x'), tiny));
  ASSERT_LT(little.size(), 2000U);
  const std::string chunk = "20000\r\n" + std::string(0x20000, 'x') + "\r\n";
  const std::string chunked =
      "POST /priority HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk + chunk + "0\r\n\r\n";
  const std::vector<std::function<Reply(Client&)>> large{
      [](Client& client) { return client.post("/priority", std::string(300'000, 'x')); },
      [&](Client& client) { return client.post("/priority", packed, "Content-Encoding: gzip\r\n"); },
      [&](Client& client) { return client.post("/priority", little, "Content-Encoding: gzip\r\n"); },
      [&](Client& client) { return client.post("/priority", less, "Content-Encoding: gzip, zstd\r\n"); },
      [&](Client& client) { return client.ask(chunked); }};
  for (const auto& post_large : large) {
    Client client(port());
    EXPECT_EQ(client.post("/priority", std::string(200'000, 'x')).body, "normal");
    EXPECT_EQ(client.post("/priority", tiny, "Content-Encoding: gzip\r\n").body, "normal");
    EXPECT_EQ(post_large(client).body, "low");
    EXPECT_EQ(client.post("/priority", "x").body, "low") << "it stays there";
    EXPECT_EQ(client.get("/big?n=300000").body.size(), 300'000U);
    Client other(port());
    EXPECT_EQ(other.post("/priority", "x").body, "normal");
  }
}

// Also while its body is still coming.
TEST_F(ServerTest, StopsWithConnectionsThatHaveMoved) {
  start();
  Client idle(port());
  Client halfway(port());
  ASSERT_EQ(idle.post("/priority", std::string(300'000, 'x')).body, "low");
  halfway.send("POST /echo HTTP/1.1\r\nContent-Length: 300000\r\nExpect: 100-continue\r\n\r\n");
  ASSERT_EQ(halfway.reply().status, 100);
  halfway.send(std::string(150'000, 'x'));
  std::thread stopping([this] { server->stop(std::chrono::seconds(10)); });
  EXPECT_EQ(idle.read_to_end(), "");
  const Reply reply = halfway.ask(std::string(150'000, 'x'));
  EXPECT_EQ(reply.body.size(), 300'000U);
  EXPECT_EQ(halfway.read_to_end(), "");
  stopping.join();
}

TEST_F(ServerTest, SaysContinueWhenAskedTo) {
  start();
  Client client(port());
  client.send("POST /echo HTTP/1.1\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.reply().status, 100);
  EXPECT_EQ(client.ask("hello").body, "hello");
  client.send("POST /nowhere HTTP/1.1\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.reply().status, 404);
}

TEST_F(ServerTest, AnswersLaterWhereAHandlerKnowsTo) {
  start();
  Client client(port());
  EXPECT_EQ(client.ask("POST /echo HTTP/1.1\r\nContent-Length: 5\r\nExpect: 202-accepted\r\n\r\nhello").status, 417);
  EXPECT_EQ(client.ask("GET /who HTTP/1.1\r\nExpect: 202-accepted\r\n\r\n").status, 417);
  EXPECT_EQ(client.ask("GET /nowhere HTTP/1.1\r\nExpect: 202-accepted\r\n\r\n").status, 404);
  EXPECT_EQ(client.ask("POST /accepted HTTP/1.1\r\nContent-Length: 5\r\nExpect: 202-accepted\r\n\r\nhello").body,
            "202-accepted");
  EXPECT_EQ(client.ask("POST /accepted HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello").body, "");
}

TEST_F(ServerTest, UndoesContentEncoding) {
  start();
  Client client(port());
  const std::string body(100'000, 'z');
  for (const std::string coding : {"gzip", "deflate", "zstd", "snappy"}) {
    std::string packed;
    ASSERT_TRUE(codec::compress(codec::coding_of(coding).value(), body, packed));
    EXPECT_EQ(client.post("/echo", packed, "Content-Encoding: " + coding + "\r\n").body, body);
  }
  std::string once;
  std::string twice;
  ASSERT_TRUE(codec::compress(codec::Coding::gzip, body, once));
  ASSERT_TRUE(codec::compress(codec::Coding::zstd, once, twice));
  EXPECT_EQ(client.post("/echo", twice, "Content-Encoding: gzip, zstd\r\n").body, body);
  EXPECT_EQ(client.post("/echo", once, "Content-Type: application/gzip\r\n").body, body);
  EXPECT_EQ(client.post("/echo", "abc", "Content-Encoding: identity\r\n").body, "abc");
  EXPECT_EQ(client.post("/echo", "abc", "Content-Encoding: br\r\n").status, 415);
  EXPECT_EQ(client.post("/echo", twice, "Content-Encoding: gzip\r\nContent-Encoding: ZSTD\r\n").body, body);
  EXPECT_EQ(client.post("/echo", twice, "Content-Encoding: identity, gzip, zstd\r\n").status, 415);
  EXPECT_EQ(client.post("/echo", twice, "Content-Encoding: gzip, zstd\r\nContent-Encoding: identity\r\n").status, 415);
  EXPECT_EQ(client.post("/echo", "abc", "Content-Encoding: gzip\r\n").status, 400);
  EXPECT_EQ(client.post("/echo", "", "Content-Encoding: gzip\r\n").status, 200);
}

TEST_F(ServerTest, CompressesAnswers) {
  start();
  Client client(port());
  const Reply reply = client.get("/big?n=50000", "Accept-Encoding: gzip, deflate\r\n");
  EXPECT_EQ(reply.header("Content-Encoding"), "gzip");
  std::string out;
  ASSERT_TRUE(codec::decompress(codec::Coding::gzip, reply.body, 100'000, out));
  EXPECT_EQ(out, std::string(50'000, 'x'));
  EXPECT_EQ(client.get("/big?n=50000").body, out);
}

TEST_F(ServerTest, FindsTheTenant) {
  start();
  Client client(port());
  EXPECT_EQ(client.get("/who").body, "default default /who");
  EXPECT_EQ(client.get("/t/acme/who").body, "acme named /who");
  EXPECT_EQ(client.get("/who", "X-Tenant: b\r\n").body, "b named /who");
  EXPECT_EQ(client.get("/who", "X-Scope-OrgID: c\r\n").body, "c named /who");
  EXPECT_EQ(client.get("/t/acme/who", "X-Tenant: b\r\n").body, "acme named /who");
  EXPECT_EQ(client.get("/who", "X-Scope-OrgID: c\r\nX-Tenant: b\r\n").body, "b named /who");
  EXPECT_EQ(client.get("/t/a%20b/who").status, 400);
  EXPECT_EQ(client.get("/t//who").status, 400);
  EXPECT_EQ(client.get("/who", "X-Tenant: a/b\r\n").status, 400);
  EXPECT_EQ(client.get("/who", "X-Tenant: " + std::string(65, 'a') + "\r\n").status, 400);
}

TEST_F(ServerTest, OnlySomeMayNameTheTenant) {
  options.tenant_from = {.path = false, .x_tenant = true, .x_scope_orgid = false};
  start();
  Client client(port());
  EXPECT_EQ(client.get("/who").body, "default default /who");
  EXPECT_EQ(client.get("/who", "X-Tenant: b\r\n").body, "b named /who");
  EXPECT_EQ(client.get("/t/acme/who").status, 400);
  EXPECT_EQ(client.get("/t/acme/who", "X-Tenant: b\r\n").status, 400);
  EXPECT_EQ(client.get("/who", "X-Scope-OrgID: c\r\n").status, 400);
  EXPECT_EQ(client.get("/who", "X-Scope-OrgID: c\r\nX-Tenant: b\r\n").status, 400);
}

TEST_F(ServerTest, AnEncodedSlashBelongsToTheTenant) {
  start();
  Client client(port());
  EXPECT_EQ(client.get("/t/a%2Fb/who").status, 400);
  EXPECT_EQ(client.get("/t%2Fa/who").status, 404);
}

TEST_F(ServerTest, NamesWhatIsWrongWithARequest) {
  start();
  Client client(port());
  const Reply missing = client.get("/nowhere");
  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ(missing.body, R"({"error":"there is no path /nowhere","errors":["there is no path /nowhere"]})"
                          "\n");
  const Reply wrong = client.get("/echo");
  EXPECT_EQ(wrong.status, 405);
  EXPECT_EQ(wrong.header("Allow"), "POST, OPTIONS");
  EXPECT_EQ(client.post("/nowhere", "small body").status, 404);
  EXPECT_EQ(client.ask("PATCH /echo HTTP/1.1\r\n\r\n").status, 405);
  EXPECT_EQ(client.get("/%zz").status, 400);
  EXPECT_EQ(client.get("/who").status, 200);  // still the same connection
  EXPECT_EQ(counted("other", "404"), 2U);
  EXPECT_EQ(counted("/echo", "405"), 2U);
}

TEST_F(ServerTest, AnswersHeadAndOptions) {
  start();
  Client client(port());
  const Reply head = client.ask("HEAD /big?n=5000 HTTP/1.1\r\n\r\n");
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.header("Content-Length"), "5000");
  const Reply asked = client.ask("OPTIONS /echo HTTP/1.1\r\n\r\n");
  EXPECT_EQ(asked.status, 200);
  EXPECT_EQ(asked.header("Allow"), "POST, OPTIONS");
  EXPECT_EQ(client.ask("OPTIONS * HTTP/1.1\r\n\r\n").status, 200);
}

TEST_F(ServerTest, ClosesWhenTheClientWantsIt) {
  start();
  Client client(port());
  EXPECT_EQ(client.get("/who", "Connection: close\r\n").header("Connection"), "close");
  EXPECT_TRUE(client.at_end());
  Client old(port());
  const Reply reply = old.ask("GET /who HTTP/1.0\r\n\r\n");
  EXPECT_EQ(reply.head.substr(0, 12), "HTTP/1.0 200");
  EXPECT_TRUE(old.at_end());
  Client kept(port());
  EXPECT_EQ(kept.ask("GET /who HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").header("Connection"), "keep-alive");
  EXPECT_EQ(kept.get("/who").status, 200);
}

TEST_F(ServerTest, AClientMayStopSendingBeforeItReads) {
  start();
  Client client(port());
  client.send("POST /echo HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc");
  client.close_sending();
  EXPECT_EQ(client.reply().body, "abc");
  EXPECT_TRUE(client.at_end());
}

TEST_F(ServerTest, IsShutBeforeItIsOpen) {
  Router always;
  always.add({Method::get, "/-/healthy", [](const Request&, const Responder& a) { a(Response::text(200, "ok")); }});
  server.emplace(options, std::move(always), gate, metrics);
  ASSERT_TRUE(server->start());
  Client client(port());
  const Reply reply = client.get("/who");
  EXPECT_EQ(reply.status, 503);
  EXPECT_EQ(reply.header("Retry-After"), "1");
  EXPECT_EQ(client.get("/-/healthy").body, "ok");
  EXPECT_EQ(client.ask("POST /-/healthy HTTP/1.1\r\n\r\n").status, 405);
  server->open(std::move(router));
  EXPECT_EQ(client.get("/who").status, 200);
}

TEST_F(ServerTest, SaysWhyItCannotListen) {
  start();
  Gate other_gate;
  const auto code = [&](std::string listen) {
    Server other({.listen = std::move(listen)}, Router(), other_gate, metrics);
    const Status status = other.start();
    return status ? Code::io : status.error().code;
  };
  EXPECT_EQ(code("127.0.0.1:" + std::to_string(port())), Code::conflict);
  EXPECT_EQ(code("127.0.0.1"), Code::invalid);
  EXPECT_EQ(code("nowhere:80"), Code::invalid);
  EXPECT_EQ(code("127.0.0.1:80000"), Code::invalid);
}

Response in_brackets(int status, std::string_view message, const Request& request) {
  return Response::text(status, "[" + std::string(message) + " at " + request.path + "]");
}
Response in_words(int status, std::string_view message, const Request&) {
  return Response::text(status, std::string(message));
}

TEST_F(ServerTest, RefusalsHaveTheShapeOfTheRoute) {
  const Handler none = [](const Request&, const Responder& answer) { answer(Response::empty(204)); };
  options.body_max = 10;
  router.add({.method = Method::post, .pattern = "/a/b/c", .handler = none, .shape = in_brackets});
  router.add({.method = Method::post, .pattern = "/a/d", .handler = none, .shape = in_words});
  start();
  Client client(port());
  const auto body = [&](const std::string& target) { return client.get(target).body; };
  EXPECT_EQ(body("/a/b/c"), "[this path takes POST, OPTIONS at /a/b/c]");
  EXPECT_EQ(body("/t/x/a/b/"), "[there is no path /a/b/ at /a/b/]");
  EXPECT_EQ(body("/a/c"), "there is no path /a/c");
  EXPECT_EQ(body("/t//a/d"), "the path names no tenant");
  EXPECT_EQ(client.ask("GET /a/d HTTP/1.1\r\nHost: a:b\r\n\r\n").body.substr(0, 1), "'") << "before the tenant";
  EXPECT_EQ(body("/c"), R"({"error":"there is no path /c","errors":["there is no path /c"]})"
                        "\n");
  EXPECT_EQ(client.post("/a/b/c", "longer than ten").body, "[the body is larger than 10 bytes at /a/b/c]");
}

TEST_F(ServerTest, ATenantIsAskedForBeforeTheBodyIsRead) {
  options.tenant_default = "";
  const Handler none = [](const Request&, const Responder& answer) { answer(Response::empty(204)); };
  router.add({.method = Method::post,
              .pattern = "/a",
              .handler = none,
              .effect = Effect::writes,
              .shape = in_words,
              .needs_tenant = true});
  start();
  const std::string large = "Content-Length: 1000000\r\nExpect: 100-continue\r\n";
  const auto ask = [&](const std::string& headers) {
    const Reply reply = Client(port()).ask("POST /a HTTP/1.1\r\n" + headers + "\r\n");
    return std::to_string(reply.status) + " " + reply.body;
  };
  EXPECT_EQ(ask(large), "400 the request names no tenant");
  EXPECT_EQ(ask(large + "X-Tenant: varve\r\n").substr(0, 4), "403 ");
  EXPECT_EQ(ask("X-Tenant: a\r\nContent-Length: 0\r\n"), "204 ");
}

}  // namespace
}  // namespace varve::http
