// SPDX-License-Identifier: Apache-2.0
// The TLS address: what is durable when, who may come in, and handshakes that come to nothing.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "net/test_client.h"
#include "net/test_tls_certificates.h"
#include "net/test_tls_client.h"
#include "syslog/listener.h"
#include "syslog/testing/listener_fixture.h"

namespace varve::syslog {
namespace {

using net::TestClient;
using net::TestTlsClient;

class SyslogTls : public ListenerFixture {
 protected:
  net::TestCertificates files;

  void SetUp() override {
    files.make("ca");
    files.make("server", "ca");
    options.udp.clear();
    options.tls = "127.0.0.1:0";
    options.tls_files = {files.path("server.crt"), files.path("server.key"), ""};
  }
  void start_with_clients() {
    options.tls_files.client_ca = files.path("ca.crt");
    start();
  }
  // One that is over TCP, whatever happens to those over TLS.
  void expect_others_go_on() {
    const std::size_t before = store->rows().size();
    TestClient tcp_client(tcp());
    tcp_client.send("<13>1 - h tcp - - - fine\n");
    TestTlsClient tls_client(tls(), good_client_);
    ASSERT_TRUE(tls_client.connected());
    tls_client.send("<13>1 - h tls - - - fine\n");
    store->wait_rows(before + 2);
  }
  void wait_failed(std::string_view reason) {
    while (handshakes_failed(reason) == 0) std::this_thread::yield();
    EXPECT_EQ(handshakes_failed(reason), 1U);
    for (const auto other : net::kTlsFailureNames) EXPECT_EQ(handshakes_failed(other), other == reason ? 1U : 0U);
  }

  std::string good_client_;
};

TEST_F(SyslogTls, TakesFramesAndClosesInOrder) {
  start();
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    TestTlsClient client(tls(), "", version);
    ASSERT_TRUE(client.connected());
    client.send("<13>1 - h a - - - one\n23 <13>1 - h a - - - tw").send("o\nx<13>1 - - a - - - thr");
    client.send("ee\r\n<13>1 - h a - - - four");
    client.close_sending();
    EXPECT_TRUE(client.ends_in_order());
  }
  const Rows once{"h a one", "h a two\nx", "127.0.0.1 a three", "h a four"};
  Rows twice = once;
  twice.insert(twice.end(), once.begin(), once.end());
  EXPECT_EQ(store->rows(), twice);
  EXPECT_EQ(accepted(), 8U);
}

TEST_F(SyslogTls, OldVersionsAreRefused) {
  start();
  EXPECT_FALSE(TestTlsClient(tls(), "", TLS1_1_VERSION).connected());
  wait_failed("other");
  expect_others_go_on();
}

// What TLS has read ahead is not waited for in the socket.
TEST_F(SyslogTls, ManyRecordsAtOnce) {
  store->hold();
  start();
  TestTlsClient client(tls());
  std::thread sending([&] {
    for (int i = 0; i < 20'000; ++i) client.send("<13>1 - h a - - - " + std::to_string(i) + "\n");
    client.send("<13>1 - h a - - - " + std::string(60'000, 'x') + "\n");
    client.close_sending();
  });
  store->wait_held();
  store->release();
  sending.join();
  EXPECT_TRUE(client.ends_in_order());
  const Rows rows = store->rows();
  ASSERT_EQ(rows.size(), 20'001U);
  for (int i = 0; i < 20'000; ++i) ASSERT_EQ(rows[static_cast<std::size_t>(i)], "h a " + std::to_string(i));
}

TEST_F(SyslogTls, NewKeysInBetween) {
  start();
  TestTlsClient client(tls());
  for (int i = 0; i < 100; ++i) {
    client.update_keys();
    client.send("<13>1 - h a - - - x\n");
  }
  client.close_sending();
  EXPECT_TRUE(client.ends_in_order());
  EXPECT_EQ(store->rows().size(), 100U);
}

TEST_F(SyslogTls, AConnectionThatEndsWithoutSayingSoIsTaken) {
  start();
  TestTlsClient client(tls());
  client.send("<13>1 - h a - - - one\n<13>1 - h a - - - two\n");
  client.tcp().close_sending();
  EXPECT_EQ(store->wait_rows(2), 2U);
  EXPECT_TRUE(client.ends_in_order());
}

TEST_F(SyslogTls, ClosesOnlyWhenTheMessagesAreDurable) {
  store->hold();
  start();
  TestTlsClient client(tls());
  client.send("<13>1 - h a - - - one\n");
  client.close_sending();
  store->wait_held();
  EXPECT_EQ(accepted(), 0U);
  std::thread releasing([&] { store->release(); });
  EXPECT_TRUE(client.ends_in_order());
  releasing.join();
  EXPECT_EQ(store->rows(), (Rows{"h a one"}));
}

TEST_F(SyslogTls, AStoreThatFailsDoesNotEndInOrder) {
  store->refuse(Code::io);
  start();
  TestTlsClient client(tls());
  client.send("<13>1 - h a - - - one\n");
  EXPECT_FALSE(client.ends_in_order());
  EXPECT_EQ(rejected("store"), 1U);
}

TEST_F(SyslogTls, StopTakesWhatHasArrived) {
  store->hold();
  start();
  TestTlsClient client(tls());
  client.send("<13>1 - h a - - - one\n");
  store->wait_held();
  client.send("<13>1 - h a - - - two\n").send("<13>1 - h a - - - three");
  TestClient greeting(tls());  // has no business to keep it
  std::thread releasing([&, port = tls()] {
    while (TestClient(port).connected()) std::this_thread::yield();  // until it stops
    store->release();
  });
  listener->stop(std::chrono::milliseconds(10'000));
  releasing.join();
  EXPECT_EQ(store->rows(), (Rows{"h a one", "h a two", "h a three"}));
  EXPECT_TRUE(client.ends_in_order());
}

TEST_F(SyslogTls, PlainTextIsRefusedAndCounted) {
  start();
  for (const std::string_view text : {"<13>1 - h a - - - one\n", "GET / HTTP/1.1\r\n\r\n", "5 <13>x<13>1 - - - -"}) {
    TestClient client(tls());
    client.send(text).read_to_end();
  }
  while (handshakes_failed("not_tls") < 3) std::this_thread::yield();
  EXPECT_EQ(handshakes_failed("not_tls"), 3U);
  EXPECT_EQ(rejected("no_priority"), 0U);
  expect_others_go_on();
}

TEST_F(SyslogTls, BytesThatLookLikeTls) {
  start();
  TestClient client(tls());
  client.send(std::string("\x16\x03\x01\x00\x10", 5) + std::string(16, 'x')).read_to_end();
  wait_failed("other");
  expect_others_go_on();
}

TEST_F(SyslogTls, AHandshakeThatNeverEndsIsEnded) {
  options.handshake_timeout = std::chrono::milliseconds(300);
  start();
  TestClient silent(tls());
  TestClient slow(tls());
  slow.send(std::string("\x16\x03\x01\x02", 4));
  expect_others_go_on();
  silent.read_to_end();
  slow.read_to_end();
  EXPECT_EQ(handshakes_failed("timeout"), 2U);
  TestTlsClient(tls()).send("<13>1 - h a - - - one\n");  // whoever is in may be silent
  EXPECT_EQ(handshakes_failed("timeout"), 2U);
}

TEST_F(SyslogTls, AConnectionThatSaysNothingAndGoes) {
  start();
  TestClient(tls()).close();
  wait_failed("closed");
}

TEST_F(SyslogTls, ClientsShowACertificate) {
  files.make("client", "ca");
  files.make("expired", "ca", -60);
  files.make("stranger");
  good_client_ = files.path("client");
  start_with_clients();
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    for (const std::string& bad : {std::string(), files.path("expired"), files.path("stranger")}) {
      TestTlsClient client(tls(), bad, version);  // of 1.3 believes to be connected for a while
      client.send("<13>1 - h bad - - - one\n");
      EXPECT_FALSE(client.ends_in_order()) << bad;
    }
    TestTlsClient client(tls(), good_client_, version);
    client.send("<13>1 - h good - - - one\n");
    client.close_sending();
    EXPECT_TRUE(client.ends_in_order());
  }
  EXPECT_EQ(handshakes_failed("certificate"), 6U);
  EXPECT_EQ(store->rows(), (Rows{"h good one", "h good one"}));
  expect_others_go_on();
}

TEST_F(SyslogTls, ConnectionsAreBoundedAlsoThoseThatGreet) {
  options.connections_max = 1;
  start();
  TestClient first(tls());
  EXPECT_FALSE(TestTlsClient(tls()).connected());
  EXPECT_EQ(metrics.counter("varve_syslog_connections_refused_total", "").value(), 1U);
}

TEST_F(SyslogTls, FilesThatAreWrongAreNamed) {
  files.make("other", "ca");
  files.make("locked", "ca");
  files.lock("locked");
  std::fclose(std::fopen(files.path("empty").c_str(), "w"));
  const auto at = [&](const char* name) { return files.path(name); };
  struct Case {
    net::TlsFiles given;
    std::string says;
  };
  const std::vector<Case> cases{
      {{at("none"), at("server.key"), ""}, "syslog.certificate=" + at("none") + ": cannot be read: No such file"},
      {{files.path(""), at("server.key"), ""}, "syslog.certificate=" + at("") + ": cannot be read: Is a directory"},
      {{at("empty"), at("server.key"), ""}, "syslog.certificate=" + at("empty") + ": is empty"},
      {{at("server.key"), at("server.key"), ""}, "syslog.certificate=" + at("server.key") + ": is not a certificate"},
      {{at("server.crt"), at("none"), ""}, "syslog.key=" + at("none") + ": cannot be read: No such file"},
      {{at("server.crt"), at("server.crt"), ""}, "syslog.key=" + at("server.crt") + ": is not a private key"},
      {{at("server.crt"), at("locked.key"), ""}, "syslog.key=" + at("locked.key") + ": is not a private key"},
      {{at("server.crt"), at("other.key"), ""},
       "syslog.key=" + at("other.key") + ": does not belong to certificate=" + at("server.crt")},
      {{at("server.crt"), at("server.key"), at("none")}, "syslog.client_ca=" + at("none") + ": cannot be read"},
      {{at("server.crt"), at("server.key"), at("server.key")},
       "syslog.client_ca=" + at("server.key") + ": has no certificates"},
  };
  for (const Case& c : cases) {
    options.tls_files = c.given;
    Listener refused(options, [](const std::string&, message::Batch&, const AppendDone&) {}, clock, metrics);
    const Status started = refused.start();
    ASSERT_FALSE(started) << c.says;
    EXPECT_TRUE(started.error().message.starts_with(c.says)) << started.error().message << " for " << c.says;
  }
}

}  // namespace
}  // namespace varve::syslog
