// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "snmp/poller/testing/worker_case.h"

namespace varve::snmp::poller {
namespace {

using inventory::DeviceState;
using testing::kSecond;
using testing::WorkerTest;

// linkDown of v2c, with the community.
std::string link_down(const std::string& community) {
  using namespace std::string_literals;
  const std::string pdu =
      "\xa7\x37\x02\x04\x28\x33\x47\x7b\x02\x01\x00\x02\x01\x00\x30\x29\x30\x0e\x06\x08\x2b\x06\x01\x02\x01\x01\x03\x00"
      "\x43\x02\x12\x67\x30\x17\x06\x0a\x2b\x06\x01\x06\x03\x01\x01\x04\x01\x00\x06\x09\x2b\x06\x01\x06\x03\x01\x01\x05\x03"s;
  const std::string inside = "\x02\x01\x01\x04"s + static_cast<char>(community.size()) + community + pdu;
  return "\x30"s + static_cast<char>(inside.size()) + inside;
}

class TrapTest : public WorkerTest {
 protected:
  TrapTest() { EXPECT_TRUE(worker_->hear_traps(*session::peer_of_address("127.0.0.1", 162))); }
  void hear(const std::string& host, const std::string& community = "public") {
    loop_.hears(*session::peer_of_address(host, 40'000), link_down(community));
  }
};

TEST_F(TrapTest, ATrapMakesThePollsOfItsDeviceDueAtOnce) {
  add("a", 1, 3600 * kSecond);
  run(10);
  EXPECT_EQ(count("ok"), 0);
  const std::int64_t now_ms = clock_.now_ms();
  hear("127.0.0.1");
  run(10);
  EXPECT_EQ(count("ok"), 1);
  EXPECT_EQ(loop_.agent(1).asked_ms[0], now_ms);
  EXPECT_EQ(traps("linkDown"), 1);
  hear("::ffff:127.0.0.1");  // as a socket of IPv6 says it
  EXPECT_EQ(traps("linkDown"), 2);
  run(3600 * kSecond);
  EXPECT_EQ(count("ok"), 3);  // the second trap's, and that of the schedule
  EXPECT_EQ(count("skipped"), 0);
}

TEST_F(TrapTest, ATrapIsHandedOnAndAnInformAcknowledged) {
  add("a", 1, 3600 * kSecond);
  hear("127.0.0.1");
  EXPECT_EQ(taken_, std::vector<std::string>{"default/a/0"});
  std::string inform = link_down("public");
  inform[inform.find('\xa7')] = '\xa6';
  std::string answer = inform;
  answer[answer.find('\xa6')] = '\xa2';
  const auto from = *session::peer_of_address("127.0.0.1", 40'000);
  EXPECT_EQ(loop_.hears(from, inform), answer);
  EXPECT_EQ(taken_.size(), 2U);
  takes_ = false;
  EXPECT_EQ(loop_.hears(from, inform), "") << "so that it comes again";
  EXPECT_EQ(loop_.hears(*session::peer_of_address("127.0.0.2", 1), inform), "");
  EXPECT_EQ(taken_.size(), 3U);
}

TEST_F(TrapTest, WhoIsUnknownOrDoesNotKnowTheCommunityDoesNothing) {
  add("a", 1, 3600 * kSecond);
  hear("127.0.0.2");
  hear("::1");
  hear("127.0.0.1", "private");
  loop_.hears(*session::peer_of_address("127.0.0.1", 1), "no trap");
  loop_.hears(*session::peer_of_address("127.0.0.1", 1), "");
  run(kSecond);
  EXPECT_EQ(count("ok"), 0);
  EXPECT_EQ(traps("unknown"), 2);
  EXPECT_EQ(traps("bad"), 3);
  members_.clear();
  worker_->set_members(members_);
  hear("127.0.0.1");
  EXPECT_EQ(traps("unknown"), 3);
}

TEST_F(TrapTest, ALinkThatFlapsIsPolledOnceAPauseAndAfterItsLastTrap) {
  add("a", 1, 3600 * kSecond);
  const std::int64_t began_ms = clock_.now_ms();
  while (clock_.now_ms() < began_ms + 35 * kSecond) {  // a turn takes a second, so some come when the pause ends
    hear("127.0.0.1");
    worker_->turn();
  }
  run(60 * kSecond);
  std::vector<std::int64_t> times;
  for (const std::int64_t asked_ms : loop_.agent(1).asked_ms) times.push_back((asked_ms - began_ms) / kSecond);
  EXPECT_EQ(times, (std::vector<std::int64_t>{0, 10, 20, 30, 40}));
}

TEST_F(TrapTest, ADeviceThatOnlySendsTrapsIsAskedAllTheSame) {
  add("a", 1, 3600 * kSecond);
  loop_.agent(1).is_silent = true;
  const std::int64_t began_ms = clock_.now_ms();
  while (clock_.now_ms() < began_ms + 100 * kSecond) {
    hear("127.0.0.1");
    worker_->turn();
  }
  const auto& asked = loop_.agent(1).asked_ms;
  ASSERT_GE(asked.size(), 10U);
  for (std::size_t i = 1; i < asked.size(); ++i) EXPECT_LE(asked[i] - asked[i - 1], 10 * kSecond);
}

TEST_F(TrapTest, APollUnderWayIsFollowedByAnother) {
  add("a", 1, 3600 * kSecond);
  loop_.agent(1).delay_ms = 2500;
  hear("127.0.0.1");
  run(100);
  loop_.agent(1).delay_ms = 12'000;
  run(10 * kSecond);
  hear("127.0.0.1");
  run(100);
  hear("127.0.0.1");  // due at 20 s, while the second poll goes on
  run(12 * kSecond);
  EXPECT_EQ(count("skipped"), 0);
  run(60 * kSecond);
  EXPECT_EQ(count("ok"), 3);
}

TEST_F(TrapTest, ASilentDeviceIsAskedSoon) {
  add("a", 1, kSecond);
  run(2 * kSecond);
  loop_.agent(1).is_silent = true;
  run(60 * kSecond);
  loop_.agent(1).is_silent = false;
  while (loop_.in_flight() > 0) run(100);
  loop_.agent(1).asked_ms.clear();
  const std::int64_t now_ms = clock_.now_ms();
  hear("127.0.0.1");
  run(kSecond);
  ASSERT_FALSE(loop_.agent(1).asked_ms.empty());
  EXPECT_EQ(loop_.agent(1).asked_ms[0] - now_ms, 500);
  EXPECT_EQ(statuses_["a"].state, DeviceState::up);
}

TEST_F(TrapTest, DevicesOfOneAddressAreToldApartByTheirCredentials) {
  worker_->set_credentials({{"default", everybodys("public")}, {"other", everybodys("secret")}});
  for (std::uint16_t i = 1; i <= 4; ++i) add("d" + std::to_string(i), i, 3600 * kSecond);
  members_[{"acme", "d1"}] = members_.begin()->second;
  members_[{"acme", "d1"}].credential = members_[{"default", "d4"}].credential = "other";
  members_[{"default", "d3"}].address.host = "127.0.0.3";
  worker_->set_members(members_);
  hear("127.0.0.1", "secret");
  run(10);
  EXPECT_EQ(count("ok"), 2);  // acme's d1 and d4
  EXPECT_EQ(loop_.agent(4).asked_ms.size(), 1U);
  EXPECT_TRUE(loop_.agent(2).asked_ms.empty());
  hear("127.0.0.1");
  run(10);
  EXPECT_EQ(count("ok"), 4);
  EXPECT_TRUE(loop_.agent(3).asked_ms.empty());
  EXPECT_EQ(traps("linkDown"), 2);
}

}  // namespace
}  // namespace varve::snmp::poller
