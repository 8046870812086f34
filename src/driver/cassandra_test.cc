// SPDX-License-Identifier: Apache-2.0
// What of Cassandra can be tested without one. The rest is in cassandra_live.cc.
#include "driver/cassandra.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>

#include "driver/wait.h"

namespace varve::driver {
namespace {

// Takes connections and never says a word.
class Silent {
 public:
  Silent() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(fd_, reinterpret_cast<sockaddr*>(&address), size), 0);
    ::listen(fd_, 16);
    ::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size);
    contact_ = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  }
  ~Silent() { ::close(fd_); }
  Silent(const Silent&) = delete;
  Silent& operator=(const Silent&) = delete;
  [[nodiscard]] SessionOptions options() const {
    SessionOptions options;
    options.contact_points = contact_;
    return options;
  }

 private:
  int fd_ = ::socket(AF_INET, SOCK_STREAM, 0);
  std::string contact_;
};

Result<Session> connect(const Runtime& runtime, const SessionOptions& options) {
  return wait<Session>([&](Done<Session> done) { Session::connect(runtime, options, std::move(done)); });
}

TEST(Cell, NullIsNotEmpty) {
  EXPECT_TRUE(Cell().null());
  EXPECT_FALSE(Cell("").null());
  EXPECT_FALSE(Cell(std::string_view()).null());
  EXPECT_EQ(Cell("ab").bytes(), "ab");
}

TEST(Cassandra, WrongOptions) {
  auto runtime = Runtime::start(1);
  auto refused = [&](auto change) {
    SessionOptions options;
    options.contact_points = "127.0.0.1:1";
    change(options);
    auto session = connect(*runtime, options);
    return session ? Error{} : session.error();
  };
  EXPECT_EQ(refused([](auto&) {}).code, Code::io) << "nobody listens";
  EXPECT_EQ(refused([](auto& o) { o.contact_points = ""; }).code, Code::invalid);
  EXPECT_EQ(refused([](auto& o) { o.contact_points = " , "; }).code, Code::invalid);
  EXPECT_EQ(refused([](auto& o) { o.consistency = Consistency{77}; }).code, Code::invalid);
  EXPECT_EQ(refused([](auto& o) { o.contact_points = "no-such-host.invalid:9042"; }).code, Code::io);
  const auto error = refused([](auto& o) { o.tls.ca_file = "/nowhere/ca.pem"; });
  EXPECT_EQ(error.code, Code::invalid);
  EXPECT_NE(error.message.find("/nowhere/ca.pem"), std::string::npos) << error.message;
}

TEST(Cassandra, ConnectingMayBeCancelled) {
  Silent silent;
  auto runtime = Runtime::start(1);
  auto session = wait<Session>(
      [&](Done<Session> done) { Session::connect(*runtime, silent.options(), std::move(done)).cancel(); });
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().code, Code::cancelled);
}

TEST(Cassandra, ConnectingTakesNoLongerThanItMay) {
  Silent silent;
  auto runtime = Runtime::start(1);
  auto options = silent.options();
  options.request_timeout_ms = 50;
  auto session = connect(*runtime, options);
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().code, Code::timeout) << session.error().message;
}

TEST(Cassandra, StopCallsBackWhoIsConnecting) {
  Silent silent;
  auto runtime = Runtime::start(1);
  std::atomic<int> calls = 0;
  for (int i = 0; i < 20; ++i) {
    Session::connect(*runtime, silent.options(), [&](const Result<Session>& session) {
      EXPECT_EQ(session.error().code, Code::cancelled);
      ++calls;
    });
  }
  runtime->stop();
  EXPECT_EQ(calls, 20);
  const auto late = connect(*runtime, silent.options());
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Code::cancelled);
}

}  // namespace
}  // namespace varve::driver
