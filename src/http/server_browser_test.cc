// SPDX-License-Identifier: Apache-2.0
// Pages of browsers, and names of the server: who is answered, and what a page is told.
#include "http/server_fixture.h"

namespace varve::http {
namespace {

class BrowserTest : public ServerTest {
 protected:
  int changes = 0;

  BrowserTest() {
    const auto change = [this](const Request&, const Responder& answer) {
      ++changes;
      answer(Response::empty(204));
    };
    router.add({Method::post, "/change", change});
    router.add({Method::delete_, "/change", change});
    router.add({.method = Method::get,
                .pattern = "/kill",
                .handler = change,
                .effect = Effect::administers,
                .changes_by_get = true});
    router.add({Method::get, "/vary", [](const Request&, const Responder& answer) {
                  Response response = Response::text(200, std::string(5000, 'x'));
                  answer(std::move(response));
                }});
  }
  static std::string shown(const Reply& r) {
    std::string out = std::to_string(r.status);
    for (const char* name : {"Allow-Origin", "Allow-Methods", "Allow-Headers", "Max-Age"}) {
      const std::string value = r.header(std::string("Access-Control-") + name);
      if (!value.empty()) out += " " + std::string(name) + "=" + value;
    }
    return out + (r.header("Vary").empty() ? "" : " Vary=" + r.header("Vary"));
  }
  std::string ask(const std::string& method, const std::string& target, const std::string& headers) {
    return shown(Client(port()).ask(method + " " + target + " HTTP/1.1\r\n" + headers + "\r\n"));
  }
};

TEST_F(BrowserTest, AForeignPageChangesNothing) {
  start();
  const std::string own = "http://localhost:" + std::to_string(port());
  const std::string host = "Host: localhost:" + std::to_string(port()) + "\r\n";
  for (const std::string origin : {"http://evil.example", "null", "", "http://localhost", "http://localhost:1"}) {
    const std::string headers = host + "Origin: " + origin + "\r\n";
    EXPECT_EQ(ask("POST", "/change", headers), "403") << origin;
    EXPECT_EQ(ask("DELETE", "/change", headers), "403") << origin;
    EXPECT_EQ(ask("POST", "/nowhere", headers), "403") << origin;
    EXPECT_EQ(ask("PATCH", "/change", headers), "403") << origin;
    EXPECT_EQ(ask("OPTIONS", "/change", headers), "403") << origin;
    EXPECT_EQ(ask("GET", "/kill", headers), "403") << origin;
    EXPECT_EQ(ask("GET", "/who", headers), "200") << origin;
    EXPECT_EQ(ask("HEAD", "/who", headers), "200") << origin;
    EXPECT_EQ(ask("OPTIONS", "/change", headers + "Access-Control-Request-Method: POST\r\n"), "200") << origin;
  }
  EXPECT_EQ(changes, 0);
  EXPECT_EQ(ask("POST", "/change", host + "Origin: " + own + "\r\n"), "204");
  EXPECT_EQ(ask("GET", "/kill", host + "Origin: " + own + "\r\n"), "204");
  EXPECT_EQ(ask("POST", "/change", host), "204");
  EXPECT_EQ(changes, 3);
}

TEST_F(BrowserTest, AnAllowedPageIsNamedBack) {
  options.origins = {"https://grafana.example:3000"};
  start();
  const std::string allowed = "Origin: https://grafana.example:3000\r\n";
  const std::string named = " Allow-Origin=https://grafana.example:3000";
  EXPECT_EQ(ask("POST", "/change", allowed), "204" + named + " Vary=Origin");
  EXPECT_EQ(ask("GET", "/kill", allowed + "Sec-Fetch-Site: cross-site\r\n"), "204" + named + " Vary=Origin");
  EXPECT_EQ(ask("GET", "/vary", allowed + "Accept-Encoding: gzip\r\n"),
            "200" + named + " Vary=Accept-Encoding, Origin");
  EXPECT_EQ(ask("OPTIONS", "/change",
                allowed + "Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: a, b\r\n"),
            "200" + named + " Allow-Methods=POST, DELETE, OPTIONS Allow-Headers=a, b Max-Age=86400 Vary=Origin");
  EXPECT_EQ(changes, 2);
  EXPECT_EQ(ask("POST", "/change", "Origin: https://grafana.example\r\n"), "403 Vary=Origin");
  EXPECT_EQ(ask("POST", "/change", allowed + allowed), "403 Vary=Origin");
  EXPECT_EQ(ask("GET", "/who", ""), "200 Vary=Origin");
  EXPECT_EQ(changes, 2);
}

TEST_F(BrowserTest, AnyPageIfThatIsWanted) {
  options.origins = {"*"};
  start();
  EXPECT_EQ(ask("POST", "/change", "Origin: null\r\n"), "204 Allow-Origin=null Vary=Origin");
}

TEST_F(BrowserTest, AGetOfAnotherSiteChangesNothing) {
  start();
  EXPECT_EQ(ask("GET", "/kill", "Sec-Fetch-Site: cross-site\r\n"), "403");
  EXPECT_EQ(ask("GET", "/who", "Sec-Fetch-Site: cross-site\r\n"), "200");
  EXPECT_EQ(ask("HEAD", "/kill", ""), "405");
  EXPECT_EQ(changes, 0);
  EXPECT_EQ(ask("GET", "/kill", "Sec-Fetch-Site: same-origin\r\n"), "204");
  EXPECT_EQ(ask("GET", "/kill", ""), "204");
  EXPECT_EQ(changes, 2);
}

TEST_F(BrowserTest, NamesOfThisServer) {
  options.hosts = {"db.example.org", "*.lan.example"};
  start();
  const auto status = [&](const std::string& head) {
    net::TestClient client(port());
    client.send(head + "\r\n");
    return client.read(12);
  };
  for (const char* good : {"127.0.0.1", "127.0.0.1:1", "[::1]:8080", "localhost", "LocalHost:80", "a.localhost",
                           "varve", "DB.example.org:8080", "a.lan.example", "b.a.lan.example"}) {
    EXPECT_EQ(status("GET /who HTTP/1.1\r\nHost: " + std::string(good) + "\r\n"), "HTTP/1.1 200") << good;
  }
  for (const char* foreign :
       {"evil.example", "evil.example:8080", "x.db.example.org", "lan.example", "localhost.evil.example"}) {
    EXPECT_EQ(status("GET /who HTTP/1.1\r\nHost: " + std::string(foreign) + "\r\n"), "HTTP/1.1 421") << foreign;
    EXPECT_EQ(status("GET /-/healthy HTTP/1.1\r\nHost: " + std::string(foreign) + "\r\n"), "HTTP/1.1 421") << foreign;
  }
  EXPECT_EQ(status("GET /who HTTP/1.1\r\n"), "HTTP/1.1 400");
  EXPECT_EQ(status("GET /who HTTP/1.1\r\nHost:\r\n"), "HTTP/1.1 400");
  EXPECT_EQ(status("GET /who HTTP/1.1\r\nHost: a b\r\n"), "HTTP/1.1 400");
  EXPECT_EQ(status("GET /who HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n"), "HTTP/1.1 400");
  EXPECT_EQ(status("GET http://evil.example/who HTTP/1.1\r\nHost: localhost\r\n"), "HTTP/1.1 421");
  EXPECT_EQ(status("GET http://localhost/who HTTP/1.1\r\nHost: evil.example\r\n"), "HTTP/1.1 421");
  EXPECT_EQ(status("GET http://localhost/who HTTP/1.1\r\nHost: localhost\r\n"), "HTTP/1.1 200");
  EXPECT_EQ(status("GET /who HTTP/1.0\r\n"), "HTTP/1.0 200");
  EXPECT_EQ(status("GET /who HTTP/1.0\r\nHost: evil.example\r\n"), "HTTP/1.0 421");
}

}  // namespace
}  // namespace varve::http
