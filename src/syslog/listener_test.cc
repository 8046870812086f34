// SPDX-License-Identifier: Apache-2.0
#include "syslog/listener.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "net/test_client.h"
#include "net/test_datagram_client.h"
#include "syslog/testing/listener_fixture.h"

namespace varve::syslog {
namespace {

class SyslogListener : public ListenerFixture {};

TEST_F(SyslogListener, TakesFramesOfBothFormsAndClosesInOrder) {
  start();
  net::TestClient client(tcp());
  client.send("<13>1 - h a - - - one\n23 <13>1 - h a - - - tw").send("o\nx<13>1 - - a - - - thr");
  client.send("ee\r\n<13>1 - h a - - - four");
  client.close_sending();
  EXPECT_FALSE(ends_with_reset(client));
  EXPECT_EQ(store->rows(), (Rows{"h a one", "h a two\nx", "127.0.0.1 a three", "h a four"}));
  EXPECT_EQ(store->tenant(), "logs");
  EXPECT_EQ(accepted(), 4U);
}

TEST_F(SyslogListener, BadFramesAreCountedAndCostNoOther) {
  options.message_max = 100;
  start();
  net::TestClient client(tcp());
  client.send("<13>1 - h a - - - one\n\nno priority\n<192>x\n<13>\n<13>" + std::string(200, 'x') + "\n300 <13>" +
              std::string(296, 'y') + "<13>1 - h a - - - two\n12 <13>");
  client.close_sending();
  EXPECT_FALSE(ends_with_reset(client));
  EXPECT_EQ(store->rows(), (Rows{"h a one", "h a two"}));
  EXPECT_EQ(rejected("empty"), 2U);
  EXPECT_EQ(rejected("no_priority"), 2U);
  EXPECT_EQ(rejected("too_long"), 2U);
  EXPECT_EQ(rejected("incomplete"), 1U);
  EXPECT_EQ(accepted(), 2U);
}

TEST_F(SyslogListener, ClosesOnlyWhenTheMessagesAreDurable) {
  store->hold();
  start();
  net::TestClient client(tcp());
  client.send("<13>1 - h a - - - one\n");
  client.close_sending();
  store->wait_held();
  EXPECT_EQ(accepted(), 0U);
  std::thread releasing([&] { store->release(); });
  EXPECT_FALSE(ends_with_reset(client));
  releasing.join();
  EXPECT_EQ(store->rows(), (Rows{"h a one"}));
}

// The listener reads a piece and waits; the kernel's buffers fill up, and the sender cannot go on.
TEST_F(SyslogListener, ASlowStoreHoldsTheSenderBack) {
  store->hold();
  start();
  net::TestClient client(tcp());
  const std::string line = "<13>1 - h a - - - " + std::string(100, 'x') + "\n";
  std::string many;
  for (int i = 0; i < 100'000; ++i) many += line;
  std::thread sending([&] {
    client.send(many);
    client.close_sending();
  });
  store->wait_held();
  EXPECT_EQ(store->calls(), 1U);
  store->release();
  sending.join();
  EXPECT_FALSE(ends_with_reset(client));
  EXPECT_EQ(store->rows().size(), 100'000U);
  EXPECT_LT(store->calls(), 100'000U * line.size() / 4096);  // a read is a batch
}

TEST_F(SyslogListener, WhatAFullDiskRefusesComesAgain) {
  store->refuse(Code::unavailable);
  options.retry_pause = std::chrono::milliseconds(1);
  start();
  net::TestClient client(tcp());
  client.send("<13>1 - h a - - - one\n");
  net::TestDatagramClient datagrams(udp());
  ASSERT_TRUE(datagrams.send("<13>1 - h u - - - two"));
  while (store->calls() < 5) std::this_thread::yield();
  client.send("<13>1 - h a - - - three\n");
  client.close_sending();
  store->refuse(std::nullopt);
  EXPECT_FALSE(ends_with_reset(client));
  EXPECT_EQ(store->wait_rows(3), 3U);
  EXPECT_EQ(rejected("store"), 0U);
}

// One piece is read in each pause, so nothing is lost and the sender is held back.
TEST_F(SyslogListener, ASlowedSenderWaitsBetweenPieces) {
  const auto asked = std::make_shared<std::atomic<int>>(0);
  options.is_slowed = [asked] { return ++*asked < 4; };
  options.retry_pause = std::chrono::milliseconds(1);
  start();
  net::TestClient client(tcp());
  const std::string line = "<13>1 - h a - - - " + std::string(100, 'x') + "\n";
  std::string many;
  for (int i = 0; i < 5'000; ++i) many += line;
  std::thread sending([&] {
    client.send(many);
    client.close_sending();
  });
  sending.join();
  EXPECT_FALSE(ends_with_reset(client));
  EXPECT_EQ(store->rows().size(), 5'000U);
  EXPECT_GE(asked->load(), 4);
}

TEST_F(SyslogListener, ASlowedSenderWaitsUntilThePauseIsOver) {
  options.is_slowed = [] { return true; };
  options.retry_pause = std::chrono::hours(1);
  start();
  net::TestClient client(tcp());
  client.send("<13>1 - h a - - - one\n");
  EXPECT_EQ(store->wait_rows(1), 1U);
  client.send("<13>1 - h a - - - two\n");
  net::TestDatagramClient datagrams(udp());
  ASSERT_TRUE(datagrams.send("<13>1 - h u - - - three"));  // which are not slowed
  EXPECT_EQ(store->wait_rows(2), 2U);
  EXPECT_EQ(store->rows()[1], "h u three");
  listener->stop();
  EXPECT_EQ(store->rows()[2], "h a two");  // what has arrived is taken
}

TEST_F(SyslogListener, AStoreThatFailsResetsTheConnection) {
  store->refuse(Code::io);
  start();
  net::TestClient client(tcp());
  client.send("<13>1 - h a - - - one\n<13>1 - h a - - - two\n");
  EXPECT_TRUE(ends_with_reset(client));
  EXPECT_EQ(rejected("store"), 2U);
  EXPECT_EQ(accepted(), 0U);
}

TEST_F(SyslogListener, RowsThatAreRefusedDoNotEndTheConnection) {
  store->refuse(Code::too_old);
  start();
  net::TestClient client(tcp());
  client.send("<13>1 - h a - - - one\n");
  while (store->calls() < 1) std::this_thread::yield();
  while (rejected("store") < 1) std::this_thread::yield();
  store->refuse(std::nullopt);
  client.send("<13>1 - h a - - - two\n");
  client.close_sending();
  EXPECT_FALSE(ends_with_reset(client));
  EXPECT_EQ(store->rows(), (Rows{"h a two"}));
}

TEST_F(SyslogListener, StopTakesWhatHasArrived) {
  store->hold();
  start();
  net::TestClient client(tcp());
  client.send("<13>1 - h a - - - one\n");
  store->wait_held();
  client.send("<13>1 - h a - - - two\n<13>1 - h a - - - three");  // in the server's socket now
  net::TestDatagramClient datagrams(udp());
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(datagrams.send("<13>1 - h u - - - x"));
  std::thread releasing([&, port = tcp()] {
    while (net::TestClient(port).connected()) std::this_thread::yield();  // until it stops
    store->release();
  });
  listener->stop(std::chrono::milliseconds(10'000));
  releasing.join();
  EXPECT_EQ(store->rows().size(), 103U);
  EXPECT_FALSE(ends_with_reset(client));
}

TEST_F(SyslogListener, StopThatCannotWaitResetsTheConnection) {
  store->hold();
  start();
  net::TestClient client(tcp());
  client.send("<13>1 - h a - - - one\n");
  net::TestDatagramClient datagrams(udp());
  ASSERT_TRUE(datagrams.send("<13>1 - h u - - - x"));
  while (store->held() < 2) std::this_thread::yield();
  listener->stop(std::chrono::milliseconds(20));
  EXPECT_TRUE(ends_with_reset(client));
  listener.reset();
  store->release();  // too late, and harmless
}

TEST_F(SyslogListener, ADatagramIsAMessage) {
  options.message_max = 100;
  start();
  net::TestDatagramClient client(udp());
  for (const char* datagram :
       {"<13>1 - h a - - - one\n", "18 <13>1 - - a - - - two\nlines\n", "", "x", "<13>1 - h a - - - 3"}) {
    ASSERT_TRUE(client.send(datagram));
  }
  ASSERT_TRUE(client.send("<13>" + std::string(97, 'x')));
  ASSERT_TRUE(client.send("<13>" + std::string(96, 'y') + "\n"));
  store->wait_rows(4);
  listener->stop();
  EXPECT_EQ(store->rows(),
            (Rows{"h a one", "127.0.0.1 a two\nlines", "h a 3", "127.0.0.1 UNKNOWN " + std::string(96, 'y')}));
  EXPECT_EQ(rejected("empty"), 1U);
  EXPECT_EQ(rejected("no_priority"), 1U);
  EXPECT_EQ(rejected("too_long"), 1U);
  EXPECT_EQ(accepted(), 4U);
}

TEST_F(SyslogListener, DatagramsAreGatheredWhileTheStoreIsBusy) {
  store->hold();
  start();
  net::TestDatagramClient client(udp());
  ASSERT_TRUE(client.send("<13>1 - h a - - - first"));
  store->wait_held();
  const std::string datagram = "<13>1 - h a - - - " + std::string(100, 'x');
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(client.send(datagram));
  EXPECT_EQ(store->held(), 1U);
  store->release();
  listener->stop();
  EXPECT_EQ(store->rows().size(), 101U);
}

// More than a batch and the kernel hold: some are dropped and counted, and it goes on with what comes later.
TEST_F(SyslogListener, AFloodOfDatagramsIsBounded) {
  store->hold();
  start();
  net::TestDatagramClient client(udp());
  const std::string datagram = "<13>1 - h a - - - " + std::string(60'000, 'x');
  constexpr std::size_t kSent = 2000;
  for (std::size_t i = 0; i < kSent; ++i) client.send(datagram);
  store->wait_held();
  store->release();
  const auto& dropped = metrics.counter("varve_syslog_datagrams_dropped_total", "");
  const auto all_told = [&](std::size_t sent) { return accepted() + dropped.value() == sent; };
  for (std::size_t more = 1; !all_told(kSent + more - 1) && more < 1000; ++more) {
    // One tells of those that were dropped before it.
    client.send("<13>1 - h a - - - more");
    for (int i = 0; i < 10'000 && !all_told(kSent + more); ++i) std::this_thread::yield();
  }
  EXPECT_GT(dropped.value(), 0U);
  EXPECT_EQ(store->rows().back(), "h a more");
}

TEST_F(SyslogListener, ConnectionsAreBounded) {
  options.connections_max = 1;
  start();
  net::TestClient first(tcp());
  first.send("<13>1 - h a - - - one\n");
  store->wait_rows(1);
  net::TestClient second(tcp());
  second.read_to_end();
  EXPECT_EQ(metrics.counter("varve_syslog_connections_refused_total", "").value(), 1U);
}

TEST_F(SyslogListener, ASilentConnectionEndsIfItIsToldTo) {
  options.idle_timeout = std::chrono::milliseconds(300);
  start();
  net::TestClient client(tcp());
  client.send("<13>1 - h a - - - one\n");
  client.read_to_end();
  EXPECT_EQ(store->rows().size(), 1U);
}

TEST_F(SyslogListener, ManyConnections) {
  start();
  std::vector<std::thread> clients;
  for (int c = 0; c < 20; ++c) {
    clients.emplace_back([&, c] {
      net::TestClient client(tcp());
      for (int i = 0; i < 50; ++i) client.send("<13>1 - h" + std::to_string(c) + " a - - - x\n");
      client.close_sending();
      EXPECT_FALSE(ends_with_reset(client));
    });
  }
  for (auto& client : clients) client.join();
  EXPECT_EQ(store->rows().size(), 1000U);
}

TEST_F(SyslogListener, AnAddressThatIsTakenIsNamed) {
  start();
  ListenerOptions same = options;
  same.udp = "127.0.0.1:" + std::to_string(udp());
  same.tcp.clear();
  Listener second(same, [](const std::string&, message::Batch&, const AppendDone&) {}, clock, metrics);
  const Status started = second.start();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, Code::conflict);
  same.udp = "nowhere";
  Listener third(same, [](const std::string&, message::Batch&, const AppendDone&) {}, clock, metrics);
  EXPECT_EQ(third.start().error().code, Code::invalid);
}

}  // namespace
}  // namespace varve::syslog
