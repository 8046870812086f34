// SPDX-License-Identifier: Apache-2.0
// Sessions against a socket on loopback, which answers a request by its own bytes, changed as a test wants.
#include "snmp/session/session.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <string>
#include <vector>

namespace varve::snmp::session {
namespace {

constexpr std::array<Arc, 9> kUptimeOid = {1, 3, 6, 1, 2, 1, 1, 3, 0};

class Echo {
 public:
  Echo() : socket_(::socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0)) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    EXPECT_EQ(::bind(socket_, reinterpret_cast<sockaddr*>(&at), size), 0);
    EXPECT_EQ(::getsockname(socket_, reinterpret_cast<sockaddr*>(&at), &size), 0);
    port = ntohs(at.sin_port);
  }
  ~Echo() { ::close(socket_); }
  Echo(const Echo&) = delete;
  Echo& operator=(const Echo&) = delete;

  // Answers what has come; `change` makes the answer of the request, "" is none.
  void serve(const std::function<std::string(std::string)>& change) {
    std::array<char, 2048> bytes;
    socklen_t size = sizeof from;
    ssize_t got = 0;
    while ((got = ::recvfrom(socket_, bytes.data(), bytes.size(), 0, reinterpret_cast<sockaddr*>(&from), &size)) > 0) {
      ++requests;
      last.assign(bytes.data(), static_cast<std::size_t>(got));
      const std::string answer = change(last);
      if (!answer.empty()) {
        ::sendto(socket_, answer.data(), answer.size(), 0, reinterpret_cast<sockaddr*>(&from), size);
      }
    }
  }

  void answer(const std::string& datagram, const sockaddr_in& to) const {
    ::sendto(socket_, datagram.data(), datagram.size(), 0, reinterpret_cast<const sockaddr*>(&to), sizeof to);
  }

  std::uint16_t port = 0;
  sockaddr_in from = {};  // of the last request
  int requests = 0;
  std::string last;

 private:
  const int socket_;
};

struct Heard final : Asker {
  void on_answer(const Answer& answer) override {
    ++count;
    outcome = answer.outcome;
    why = answer.why;
    kinds.clear();
    for (const Binding& binding : answer.bindings) kinds.push_back(binding.kind);
    error_status = answer.error_status;
    received_ms = answer.received_ms;
  }
  int count = 0;
  Outcome outcome = Outcome::answered;
  std::string why;
  std::vector<Kind> kinds;
  int error_status = 0;
  model::Timestamp received_ms = 0;
};

std::string silent(const std::string&) { return {}; }
// A get, and so its tag, becomes a response.
std::string response(std::string request) {
  request[request.find('\xa0')] = '\xa2';
  return request;
}

class SessionTest : public ::testing::Test {
 protected:
  SessionTest() : loop_(std::move(*Loop::make({.timeout_ms = 20, .foreign = &foreign_}, clock_))) {}

  std::unique_ptr<Session> open(const Credential& credential) {
    return std::move(*loop_->open({*peer_of_address("127.0.0.1", echo_.port), *make_secret(credential)}));
  }
  static Credential v2c() {
    Credential credential;
    credential.community = "public";
    return credential;
  }
  static Credential v3() {
    Credential credential;
    credential.version = Version::v3;
    credential.user = "varve";
    credential.level = Level::auth_priv;
    credential.auth = "SHA";
    credential.auth_secret = credential.priv_secret = "eight or more";
    credential.priv = "AES";
    return credential;
  }
  Status ask(Session& session, unsigned tries = 2) {
    const Name names[] = {Name(kUptimeOid)};
    return session.send({Command::get, 0, 0, names}, heard_, tries);
  }
  // Until the asker has heard so many answers.
  void run(int count, const std::function<std::string(std::string)>& change) {
    while (heard_.count < count) {
      loop_->turn(1);
      echo_.serve(change);
    }
  }

  SystemClock clock_;
  Counter foreign_;
  Echo echo_;
  std::unique_ptr<Loop> loop_;
  Heard heard_;
};

TEST_F(SessionTest, AnAnswerIsHandedOverWithItsTime) {
  const auto session = open(v2c());
  const model::Timestamp before = clock_.now_ms();
  ASSERT_TRUE(ask(*session));
  EXPECT_EQ(loop_->in_flight(), 1U);
  run(1, response);
  EXPECT_EQ(heard_.outcome, Outcome::answered);
  EXPECT_EQ(heard_.kinds, std::vector<Kind>{Kind::null});
  EXPECT_GE(heard_.received_ms, before);
  EXPECT_EQ(loop_->in_flight(), 0U);
}

TEST_F(SessionTest, ASilentAgentIsAskedAsOftenAsSaid) {
  for (const Credential& credential : {v2c(), v3()}) {
    const auto session = open(credential);
    echo_.requests = heard_.count = 0;
    ASSERT_TRUE(ask(*session, 3));
    run(1, silent);
    EXPECT_EQ(heard_.outcome, Outcome::timed_out);
    EXPECT_EQ(echo_.requests, 3);
    ASSERT_TRUE(ask(*session, 1));
    run(2, silent);
    EXPECT_EQ(echo_.requests, 4);
  }
}

TEST_F(SessionTest, AnAnswerToAnotherRequestIsNone) {
  const auto session = open(v2c());
  ASSERT_TRUE(ask(*session, 1));
  run(1, [](const std::string& request) {
    std::string answer = response(request);
    answer[answer.find('\xa2') + 5] ^= 1;  // in the request id
    return answer;
  });
  EXPECT_EQ(heard_.outcome, Outcome::timed_out);
}

TEST_F(SessionTest, AnswersThatAreWrongAreNamed) {
  const struct {
    std::function<std::string(std::string)> change;
    Outcome outcome;
  } cases[] = {
      {[](const std::string& request) {
         std::string answer = response(request);
         answer[answer.find("public")] = 'x';
         return answer;
       },
       Outcome::bad_community},
      {[](std::string request) {
         request[request.find('\xa0')] = '\xa3';  // a set
         return request;
       },
       Outcome::timed_out},
      {[](const std::string& request) {
         std::string answer = response(request);
         answer[4] = 0;  // version 1
         return answer;
       },
       Outcome::malformed},
      {[](const std::string& request) { return response(request).substr(0, request.size() - 3); }, Outcome::malformed},
      {[](const std::string&) { return std::string("\x30\x84\xff\xff\xff\xff nothing"); }, Outcome::malformed},
  };
  int heard = 0;
  for (const auto& c : cases) {
    const auto session = open(v2c());
    ASSERT_TRUE(ask(*session, 1));
    run(++heard, c.change);
    EXPECT_EQ(heard_.outcome, c.outcome) << heard;
  }
}

TEST_F(SessionTest, OnlyWhoWasAskedAnswers) {
  Echo other;  // of another port
  for (const Credential& credential : {v2c(), v3()}) {
    const auto session = open(credential);
    const auto before = foreign_.value();
    ASSERT_TRUE(ask(*session, 1));
    run(heard_.count + 1, [&](const std::string& request) {
      other.answer(response(request), echo_.from);
      return std::string();
    });
    EXPECT_EQ(heard_.outcome, Outcome::timed_out);
    EXPECT_EQ(heard_.why, "what came was from another address");
    EXPECT_EQ(foreign_.value(), before + 1);
    if (credential.version == Version::v3) break;
    ASSERT_TRUE(ask(*session, 1));
    run(heard_.count + 1, [&](const std::string& request) {
      other.answer(response(request), echo_.from);
      return response(request);
    });
    EXPECT_EQ(heard_.outcome, Outcome::answered);
  }
}

TEST_F(SessionTest, ANumberWithoutAByteIsNoZero) {
  const auto session = open(v2c());
  const std::string names[] = {"\x41", "\x46", "\x02", "\x43", "\x04"};
  for (const std::string& type : names) {
    ASSERT_TRUE(ask(*session, 1));
    run(heard_.count + 1, [&](const std::string& request) {
      std::string answer = response(request);
      answer.replace(answer.size() - 2, 1, type);  // of the null that stands for the value
      return answer;
    });
    if (type == "\x04") {
      EXPECT_EQ(heard_.kinds, std::vector<Kind>{Kind::octets});
    } else {  // libsnmp leaves some of them out itself, with all of the answer
      EXPECT_TRUE(heard_.outcome == Outcome::malformed || heard_.kinds == std::vector<Kind>{Kind::null});
    }
  }
}

TEST_F(SessionTest, ALateAndADoubledAnswerAreHeardOnce) {
  const auto session = open(v2c());
  ASSERT_TRUE(ask(*session, 1));
  std::string late;
  run(1, [&](const std::string& request) {
    late = response(request);
    return std::string();
  });
  EXPECT_EQ(heard_.outcome, Outcome::timed_out);
  ASSERT_TRUE(ask(*session, 1));
  run(2, [&](const std::string&) { return late; });
  EXPECT_EQ(heard_.outcome, Outcome::timed_out);
}

TEST_F(SessionTest, RequestsOfASessionThatIsGoneAreForgotten) {
  auto session = open(v2c());
  ASSERT_TRUE(ask(*session));
  ASSERT_TRUE(ask(*session));
  session.reset();
  EXPECT_EQ(loop_->in_flight(), 0U);
  EXPECT_EQ(loop_->sessions(), 0U);
  const auto other = open(v2c());
  ASSERT_TRUE(ask(*other, 1));
  run(1, response);
  EXPECT_EQ(heard_.count, 1);
}

TEST_F(SessionTest, OnlySoManyAreInFlight) {
  for (const Credential& credential : {v2c(), v3()}) {
    const auto session = open(credential);
    for (unsigned i = 0; i < Session::kInFlightMax; ++i) ASSERT_TRUE(ask(*session));
    const Status more = ask(*session);
    ASSERT_FALSE(more);
    EXPECT_EQ(more.error().code, Code::limit);
  }
}

TEST(CredentialTest, WhatIsMissingIsNamed) {
  const struct {
    Credential credential;
    std::string field;
  } cases[] = {
      {{}, "community"},
      {{.version = Version::v3}, "user"},
      {{.version = Version::v3, .user = "u", .level = Level::auth, .auth = "ROT13"}, "auth"},
      {{.version = Version::v3, .user = "u", .level = Level::auth, .auth = "MD5", .auth_secret = "short"},
       "auth_secret"},
      {{.version = Version::v3,
        .user = "u",
        .level = Level::auth_priv,
        .auth = "SHA-512",
        .auth_secret = "long enough",
        .priv = "AES",
        .priv_secret = ""},
       "priv_secret"},
  };
  for (const auto& c : cases) {
    const auto keys = derive_keys(c.credential);
    ASSERT_FALSE(keys);
    EXPECT_TRUE(keys.error().message.starts_with(c.field + ":")) << keys.error().message;
  }
}

TEST(CredentialTest, EveryProtocolHasKeys) {
  for (const char* const auth : {"MD5", "SHA", "SHA-224", "SHA-256", "SHA-384", "SHA-512"}) {
    for (const char* const priv : {"DES", "AES"}) {
      const auto keys = derive_keys({.version = Version::v3,
                                     .user = "u",
                                     .level = Level::auth_priv,
                                     .auth = auth,
                                     .auth_secret = "maplesyrup",
                                     .priv = priv,
                                     .priv_secret = "maplesyrup"});
      ASSERT_TRUE(keys) << auth << " " << priv;
      EXPECT_GE(keys->auth.size, 16U);
      EXPECT_EQ(keys->auth.size, keys->priv.size);
    }
  }
}

TEST(PeerTest, AddressesAreNumbersAndNamesAreNot) {
  EXPECT_EQ(to_text(*peer_of_address("10.0.0.1", 161)), "udp:10.0.0.1:161");
  EXPECT_EQ(to_text(*peer_of_address("::1", 1161)), "udp6:[::1]:1161");
  EXPECT_FALSE(peer_of_address("router.example", 161));
  EXPECT_EQ(*peer_of_address("10.0.0.1", 161), *peer_of_address("10.0.0.1", 161));
  EXPECT_FALSE(*peer_of_address("10.0.0.1", 161) == *peer_of_address("10.0.0.1", 162));
}

TEST_F(SessionTest, TheLoopHandsOverWhatComesUnasked) {
  std::vector<std::string> heard;
  std::string host;
  const auto port = loop_->hear(*peer_of_address("127.0.0.1", 0), [&](const Peer& from, std::string_view datagram) {
    heard.emplace_back(datagram);
    host = host_of(from);
    return datagram == "99" ? std::string("heard") : std::string();
  });
  ASSERT_TRUE(port.has_value());
  const auto again = Loop::make({}, clock_);
  const auto taken = (*again)->hear(*peer_of_address("127.0.0.1", *port), {});
  ASSERT_FALSE(taken.has_value());
  EXPECT_EQ(taken.error().code, Code::conflict);
  const Peer to = *peer_of_address("127.0.0.1", *port);
  const int sender = ::socket(AF_INET, SOCK_DGRAM, 0);
  for (int i = 0; i < 100; ++i) {  // more than one turn takes
    const std::string text = std::to_string(i);
    ::sendto(sender, text.data(), text.size(), 0, to.get(), to.size);
  }
  while (heard.size() < 100) loop_->turn(1000);
  std::array<char, 16> answer{};
  EXPECT_EQ(::recv(sender, answer.data(), answer.size(), 0), 5);
  EXPECT_STREQ(answer.data(), "heard");
  ::close(sender);
  EXPECT_EQ(heard[99], "99");
  EXPECT_EQ(host, "127.0.0.1");
}

TEST(PeerTest, AnAddressOfBothKindsHasTheSameBytes) {
  const auto of = [](const char* host) { return host_bytes(*peer_of_address(host, 1)); };
  EXPECT_EQ(of("10.1.2.3"), of("::ffff:10.1.2.3"));
  EXPECT_NE(of("10.1.2.3"), of("10.1.2.4"));
  EXPECT_NE(of("10.1.2.3"), of("::10.1.2.3"));
  EXPECT_EQ(host_bytes(*peer_of_address("2001:db8::1", 1)), host_bytes(*peer_of_address("2001:db8::1", 2)));
}

}  // namespace
}  // namespace varve::snmp::session
