// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "snmp/poller/testing/worker_case.h"
#include "snmp/session/testing/bytes.h"

namespace varve::snmp::poller {
namespace {

using inventory::DeviceState;
using testing::kSecond;
using testing::WorkerTest;

// Of Net-SNMP's snmpinform: what it asks first, and linkUp of the user `open`, to this engine in its first second.
constexpr const char* kProbe =
    "304f020103301102047185c3a8020300ffe30401040201030410300e04000201000201000400040004003025041180001f888087c15f73e825"
    "0d6b000000000400a00e020416c636190201000201003000";
constexpr const char* kInformV3 =
    "30818d020103301102045047ebc6020300ffe304010402010304253023041180001f88050102030405060708090a0b0c02010002010004046f"
    "70656e04000400304e041180001f8880309f9a19e7250d6b000000000400a63702045b170a1f0201000201003029300e06082b060102010103"
    "00430212673017060a2b06010603010104010006092b0601060301010504";
const inventory::EngineStart kEngine{session::testing::bytes("80001f88050102030405060708090a0b0c"), 0};

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
  EXPECT_EQ(loop_.hears(from, inform), "");
  EXPECT_EQ(taken_.size(), 2U);
  run(10);
  stored_[0](true);  // the trap
  run(10);
  EXPECT_TRUE(loop_.said.empty()) << "it is not stored yet";
  stored_[1](true);
  run(10);
  using Said = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(loop_.said, (Said{{"127.0.0.1", answer}}));
  takes_ = false;
  loop_.hears(from, inform);
  loop_.hears(*session::peer_of_address("127.0.0.2", 1), inform);
  run(10);
  EXPECT_EQ(taken_.size(), 3U);
  EXPECT_EQ(loop_.said.size(), 1U) << "so that it comes again";
}

TEST_F(TrapTest, AnInformOfSeveralDevicesIsAcknowledgedWhenAllAreStored) {
  for (std::uint16_t i = 1; i <= 3; ++i) add("d" + std::to_string(i), i, 3600 * kSecond);
  std::string inform = link_down("public");
  inform[inform.find('\xa7')] = '\xa6';
  const auto from = *session::peer_of_address("127.0.0.1", 40'000);
  for (const bool fails : {true, false}) {
    stored_.clear();
    loop_.hears(from, inform);
    ASSERT_EQ(stored_.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
      run(10);
      EXPECT_TRUE(loop_.said.empty());
      stored_[i](i != 1 || !fails);
    }
    run(10);
    EXPECT_EQ(loop_.said.empty(), fails);
  }
  stored_.clear();
  loop_.hears(from, inform);
  worker_.reset();
  for (const auto& done : stored_) done(true);  // it has ended: nobody is told
  EXPECT_EQ(loop_.said.size(), 1U);
}

TEST_F(TrapTest, InformsOfV3AreTakenOnceItIsKnownWhoWeAre) {
  inventory::Credential open{.version = inventory::SnmpVersion::v3, .user = "open", .tenants = {"*"}};
  worker_->set_credentials({{"default", open}});
  add("a", 1, 3600 * kSecond);
  const auto from = *session::peer_of_address("127.0.0.1", 40'000);
  const std::string inform = session::testing::bytes(kInformV3), probe = session::testing::bytes(kProbe);
  EXPECT_EQ(loop_.hears(from, inform), "");
  EXPECT_EQ(loop_.hears(from, probe), "");
  EXPECT_EQ(traps("bad"), 2);
  worker_->set_engine(kEngine);
  EXPECT_NE(loop_.hears(from, probe), "");
  EXPECT_EQ(traps("discovery"), 1);
  EXPECT_EQ(loop_.hears(from, inform), "") << "not before it is stored";
  EXPECT_EQ(traps("linkUp"), 1);
  EXPECT_EQ(taken_, std::vector<std::string>{"default/a/0"});
  run(10);
  EXPECT_TRUE(loop_.said.empty());
  stored_.at(0)(true);
  run(10);
  ASSERT_EQ(loop_.said.size(), 1U);
  EXPECT_EQ(loop_.said[0].second.size(), inform.size());
  // From where no device is nobody is told anything, and neither is who the credential may not be sent to.
  EXPECT_EQ(loop_.hears(*session::peer_of_address("127.0.0.2", 1), probe), "");
  open.networks = {*inventory::parse_network("10.0.0.0/8")};
  worker_->set_credentials({{"default", open}});
  EXPECT_EQ(loop_.hears(from, probe), "");
  EXPECT_EQ(loop_.hears(from, inform), "");
  EXPECT_EQ(taken_.size(), 1U);
  EXPECT_EQ(traps("bad"), 4);
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
