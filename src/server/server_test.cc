// SPDX-License-Identifier: Apache-2.0
// The whole composition in one process; what users see of it is tested from outside, in tests/.
#include "server/server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "config/load.h"

namespace varve::server {
namespace {

// Sends one request with `Connection: close`; the whole answer, or "" where nobody listens.
std::string http(std::uint16_t port, const std::string& head, const std::string& body = "") {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string answer;
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0) {
    const std::string request =
        head + " HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: " + std::to_string(body.size()) +
        "\r\n\r\n" + body;
    EXPECT_EQ(::send(fd, request.data(), request.size(), MSG_NOSIGNAL), static_cast<ssize_t>(request.size()));
    char piece[4096];
    for (ssize_t n = 0; (n = ::recv(fd, piece, sizeof piece, 0)) > 0;)
      answer.append(piece, static_cast<std::size_t>(n));
  }
  ::close(fd);
  return answer;
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

class ServerTest : public ::testing::Test {
 protected:
  ~ServerTest() override { std::filesystem::remove_all(path); }

  config::Config config(std::initializer_list<std::pair<const char*, const char*>> more = {}) const {
    config::Sources sources;
    sources.flags = {
        {"storage.path", path, ""}, {"http.listen", "127.0.0.1:0", ""}, {"telnet.listen", "127.0.0.1:0", ""}};
    for (const auto& [key, value] : more) sources.flags.push_back({key, value, ""});
    auto loaded = config::load(sources);
    EXPECT_TRUE(loaded.faults.empty());
    return loaded.config;
  }

  const std::string path = testing::TempDir() + "varve_server_" + std::to_string(::getpid());
  const SystemClock clock;
  const std::chrono::milliseconds soon{5000};
};

TEST_F(ServerTest, TakesInGivesBackAndStops) {
  const std::string query = R"({"start_absolute":0,"metrics":[{"name":"m"}]})";
  {
    Server server(config(), clock);
    ASSERT_TRUE(server.start());
    EXPECT_TRUE(has(http(server.http_port(), "GET /-/ready"), " 200 "));
    EXPECT_NE(server.telnet_port(), 0);
    EXPECT_TRUE(has(http(server.http_port(), "POST /write?precision=ms", "m,h=a value=7i 1000"), " 204 "));
    const std::uint16_t port = server.http_port();
    server.stop(soon);
    EXPECT_EQ(http(port, "GET /-/ready"), "");
  }
  Server again(config(), clock);
  ASSERT_TRUE(again.start());
  const std::string answer = http(again.http_port(), "POST /api/v1/datapoints/query", query);
  EXPECT_TRUE(has(answer, "[1000,7]")) << answer;
}

TEST_F(ServerTest, RecordsItself) {
  Server server(config(), clock);
  ASSERT_TRUE(server.start());
  server.tick();
  const std::string names = http(server.http_port(), "GET /t/varve/api/v1/metricnames");
  EXPECT_TRUE(has(names, "\"varve_series\"")) << names;
  EXPECT_FALSE(has(http(server.http_port(), "GET /api/v1/metricnames"), "varve_series"));
}

TEST_F(ServerTest, ASecondOneOnTheDirectoryIsRefused) {
  Server first(config(), clock);
  ASSERT_TRUE(first.start());
  Server second(config(), clock);
  const auto started = second.start();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, Code::conflict);
  EXPECT_TRUE(has(started.error().message, path)) << started.error().message;
  EXPECT_TRUE(has(http(first.http_port(), "GET /-/ready"), " 200 "));
}

TEST_F(ServerTest, AnAddressInUseIsNamed) {
  Server first(config(), clock);
  ASSERT_TRUE(first.start());
  const std::string address = "127.0.0.1:" + std::to_string(first.http_port());
  Server second(config({{"http.listen", address.c_str()}, {"storage.path", (path + "2").c_str()}}), clock);
  const auto started = second.start();
  ASSERT_FALSE(started);
  EXPECT_TRUE(has(started.error().message, address)) << started.error().message;
  EXPECT_FALSE(std::filesystem::exists(path + "2"));
}

// What each role answers with 403, 404 or 405, and what all have.
TEST_F(ServerTest, RolesSayWhatIsAnswered) {
  struct Route {
    const char* head;
    const char* body;
    const char* role;  // nullptr: all
  };
  static constexpr Route kRoutes[] = {
      {"POST /write", "m value=1", "ingest"},
      {"POST /api/v1/datapoints", "[]", "ingest"},
      {"POST /api/put", "[]", "ingest"},
      {"DELETE /api/metric", "", "ingest"},
      {"DELETE /api/metric/metricName/m", "", "ingest"},
      {"DELETE /api/v1/metric/m", "", "ingest"},
      {"POST /api/v1/datapoints/delete", R"({"start_absolute":0,"metrics":[{"name":"m"}]})", "ingest"},
      {"POST /api/v1/metadata/s/k/i", "text", "ingest"},
      {"DELETE /api/v1/metadata/s/k/i", "", "ingest"},
      {"POST /api/v1/rollups", "{}", "ingest"},
      {"PUT /api/v1/rollups/i", "{}", "ingest"},
      {"DELETE /api/v1/rollups/i", "", "ingest"},
      {"GET /api/v1/metricnames", "", "query"},
      {"POST /api/v1/datapoints/query", R"({"start_absolute":0,"metrics":[{"name":"m"}]})", "query"},
      {"GET /api/v1/rollups", "", "query"},
      {"GET /api/v1/catalog/metrics", "", "query"},
      {"GET /ping", "", nullptr},
      {"GET /health", "", nullptr},
      {"GET /api/v1/version", "", nullptr},
      {"GET /api/v1/admin/runningqueries", "", nullptr},
      {"GET /-/healthy", "", nullptr},
  };
  for (const char* const role : {"ingest", "query", "rollup"}) {
    Server server(config({{"roles", role}}), clock);
    ASSERT_TRUE(server.start());
    EXPECT_EQ(server.telnet_port() != 0, role == std::string("ingest"));
    for (const Route& route : kRoutes) {
      const std::string answer = http(server.http_port(), route.head, route.body);
      const bool absent = has(answer, "there is no path") || has(answer, "this path takes");
      EXPECT_EQ(absent, route.role != nullptr && route.role != std::string(role)) << role << " " << answer;
    }
  }
}

TEST_F(ServerTest, AQuerySavesWhereSamplesComeInOnly) {
  Server server(config({{"roles", "query"}}), clock);
  ASSERT_TRUE(server.start());
  const std::string query =
      R"({"start_absolute":0,"metrics":[{"name":"m","aggregators":[{"name":"save_as","metric_name":"n"}]}]})";
  EXPECT_TRUE(has(http(server.http_port(), "POST /api/v1/datapoints/query", query), " 403 "));
}

}  // namespace
}  // namespace varve::server
