// SPDX-License-Identifier: Apache-2.0
// For tests: a server with a few routes, and an HTTP client on a raw socket.
#pragma once

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <charconv>
#include <future>
#include <optional>

#include "http/answer.h"
#include "http/server.h"
#include "net/test_client.h"

namespace varve::http {

struct Reply {
  int status = 0;
  std::string head;
  std::string body;
  [[nodiscard]] std::string header(std::string_view name) const {
    const auto at = head.find("\r\n" + std::string(name) + ": ");
    if (at == std::string::npos) return {};
    const auto from = at + name.size() + 4;
    return head.substr(from, head.find("\r\n", from) - from);
  }
};

class Client : public net::TestClient {
 public:
  using TestClient::TestClient;

  // Each request of `bytes` that begins with its method gets a Host, if that is not what comes first.
  Client& send(std::string_view bytes) {
    constexpr std::string_view kLine = " HTTP/1.1\r\n";
    std::string out;
    for (;;) {
      const auto at = bytes.find(kLine);
      out += bytes.substr(0, at == std::string_view::npos ? at : at + kLine.size());
      if (at == std::string_view::npos) break;
      bytes.remove_prefix(at + kLine.size());
      // A request may come in pieces, cut within this word.
      if (!std::string_view("Host:").starts_with(bytes.substr(0, 5))) out += "Host: localhost\r\n";
    }
    TestClient::send(out);
    return *this;
  }

  Reply reply(bool bodiless = false) {
    Reply r;
    r.head = read_to("\r\n\r\n");
    if (r.head.size() < 12) return r;
    std::from_chars(r.head.data() + 9, r.head.data() + 12, r.status);
    if (bodiless || r.status == 204 || r.status == 100) return r;
    if (r.header("Transfer-Encoding") == "chunked") {
      for (;;) {
        const std::string line = read_to("\r\n");
        std::size_t size = 0;
        std::from_chars(line.data(), line.data() + line.size(), size, 16);
        r.body += read(size);
        read(2);
        if (size == 0) return r;
      }
    }
    const std::string length = r.header("Content-Length");
    r.body = length.empty() ? read_to_end() : read(std::stoul(length));
    return r;
  }
  Reply ask(const std::string& request) {
    send(request);
    return reply(request.starts_with("HEAD"));
  }
  Reply get(const std::string& target, const std::string& headers = "") {
    return ask("GET " + target + " HTTP/1.1\r\n" + headers + "\r\n");
  }
  Reply post(const std::string& target, const std::string& body, const std::string& headers = "") {
    return ask("POST " + target + " HTTP/1.1\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" + headers +
               "\r\n" + body);
  }
  [[nodiscard]] bool at_end() { return read(1).empty(); }
};

// Of this thread.
inline int niceness() { return ::getpriority(PRIO_PROCESS, static_cast<id_t>(::gettid())); }

class ServerTest : public ::testing::Test {
 protected:
  ServerOptions options{.listen = "127.0.0.1:0", .threads = 2};
  Gate gate;
  Metrics metrics;
  Router router;
  std::optional<Server> server;

  ServerTest() {
    router.add({Method::post, "/echo",
                [](const Request& r, const Responder& answer) { answer(Response::text(200, std::string(r.body))); }});
    router.add({Method::post, "/none", [](const Request&, const Responder& answer) { answer(Response::empty(204)); }});
    router.add({Method::post, "/priority", [own = niceness()](const Request&, const Responder& answer) {
                  answer(Response::text(200, niceness() > own ? "low" : "normal"));
                }});
    router.add(
        {.method = Method::post,
         .pattern = "/accepted",
         .handler = [](const Request& r,
                       const Responder& answer) { answer(Response::text(202, std::string(r.header("expect")))); },
         .answers_later = true});
    router.add({Method::get, "/who", [](const Request& r, const Responder& answer) {
                  answer(Response::text(200, r.tenant + (r.tenant_named ? " named " : " default ") + r.path));
                }});
    router.add({Method::get, "/big", [](const Request& r, const Responder& answer) {
                  answer(Response::text(200, std::string(std::stoul(std::string(r.param("n").value_or("0"))), 'x')));
                }});
  }
  void start() {
    Router always;
    always.add({Method::get, "/-/healthy",
                [](const Request&, const Responder& answer) { answer(Response::text(200, "ok")); }});
    server.emplace(options, std::move(always), gate, metrics);
    ASSERT_TRUE(server->start());
    server->open(std::move(router));
  }
  [[nodiscard]] std::uint16_t port() const { return server->port(); }
  [[nodiscard]] std::uint64_t counted(std::string_view path, std::string_view code) {
    return metrics.counter("varve_http_requests_total", "", {{"path", path}, {"code", code}}).value();
  }
};

}  // namespace varve::http
