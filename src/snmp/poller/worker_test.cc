// SPDX-License-Identifier: Apache-2.0
#include "snmp/poller/worker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "snmp/poller/testing/fake_loop.h"
#include "write/testing/fake_stores.h"

namespace varve::snmp::poller {
namespace {

using inventory::DeviceState;
using session::Kind;
using testing::FakeLoop;

constexpr std::int64_t kSecond = 1000;

class WorkerTest : public ::testing::Test {
 protected:
  WorkerTest()
      : writer_(series_, samples_, {.clock = &clock_}),
        loop_(clock_, options().timeout_ms),
        pool_(1),
        outbox_(std::make_unique<Outbox>(writer_, OutboxOptions{}, dropped_)),
        worker_(std::make_unique<Worker>(
            options(),
            WorkerParts{writer_, clock_, metrics_, pool_, *outbox_,
                        [this](const std::string&, const std::string& device, inventory::DeviceStatus status) {
                          statuses_[device] = status;
                        },
                        [this](const std::string&, const std::string& device) { statuses_.erase(device); },
                        [](auto&&...) {}},
            loop_)) {
    worker_->set_credentials({{"default", everybodys("public")}});
  }
  ~WorkerTest() override { worker_.reset(); }

  static inventory::Credential everybodys(const std::string& community) {
    return {.community = community, .tenants = {"*"}};
  }

  static PollerOptions options() { return {.timeout_ms = 500, .retries = 2, .backoff_max_ms = 8000}; }

  void add(const std::string& name, std::uint16_t port, std::int64_t frequency_ms, int interfaces = 3) {
    auto& values = loop_.agent(port).agent;
    values.set({1, 3, 6, 1, 2, 1, 1, 3, 0}, {Kind::ticks, 100});
    for (int i = 1; i <= interfaces; ++i) {
      const auto index = static_cast<walk::Arc>(i);
      values.set({1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 1, index}, {Kind::octets, 0, "e" + std::to_string(i)});
      values.set({1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 6, index}, {Kind::counter64, 5});
      values.set({1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 10, index}, {Kind::counter64, 6});
    }
    members_[{"default", name}] = Member{{"127.0.0.1", port}, "default", {plan(frequency_ms)}};
    worker_->set_members(members_);
  }

  static std::shared_ptr<const walk::Plan> plan(std::int64_t frequency_ms) {
    inventory::Oidset set = *inventory::find_oidset(inventory::built_in(), "FastPollHC");
    set.frequency_ms = frequency_ms;
    return walk::make_plan(set, *inventory::find_correlator(inventory::built_in(), "ifName"));
  }

  void run(std::int64_t time_ms) {
    const std::int64_t until = clock_.now_ms() + time_ms;
    while (clock_.now_ms() < until) worker_->turn();
  }

  void store_all() const {
    while (outbox_->bytes() > 0) std::this_thread::yield();
  }
  void forget_names() {
    clock_.advance_ms(60 * kSecond);
    writer_.forget_unused();
  }

  double count(const std::string& result, const std::string& metric = "varve_snmp_polls_total") {
    for (const auto& sample : metrics_.samples()) {
      if (sample.name == metric && sample.labels[0].second == result) return sample.value;
    }
    return -1;
  }
  double traps(const std::string& result) { return count(result, "varve_snmp_traps_total"); }

  ManualClock clock_;
  Metrics metrics_;
  Counter dropped_;
  write::testing::FakeSeriesStore series_;
  write::testing::FakeSampleStore samples_;
  write::Writer writer_;
  FakeLoop loop_;
  TaskPool pool_;
  std::unique_ptr<Outbox> outbox_;
  std::map<std::string, inventory::DeviceStatus> statuses_;
  Members members_;
  std::unique_ptr<Worker> worker_;
};

TEST_F(WorkerTest, ADeviceIsPolledAtItsTimesAndReported) {
  add("a", 1, 5 * kSecond);
  run(30 * kSecond);
  EXPECT_EQ(count("ok"), 6);
  EXPECT_EQ(count("skipped"), 0);
  EXPECT_EQ(statuses_["a"].state, DeviceState::up);
  EXPECT_EQ(statuses_["a"].interfaces, 3U);
  EXPECT_EQ(statuses_["a"].last_error, "");
  EXPECT_EQ(worker_->counts().up, 1U);
  outbox_.reset();
  // Per poll: 3 × 2 objects, sysUpTime, snmp.up, snmp.poll_seconds.
  EXPECT_EQ(samples_.appended, 6U * 9);
}

TEST_F(WorkerTest, APollThatIsLateIsSkippedAndCounted) {
  add("a", 1, kSecond);
  loop_.agent(1).delay_ms = 2600;
  run(31 * kSecond);
  EXPECT_NEAR(count("ok"), 10, 1);
  EXPECT_NEAR(count("skipped"), 20, 2);
}

TEST_F(WorkerTest, ASilentDeviceIsAskedAtDoublingIntervalsByOneSmallGet) {
  add("a", 1, kSecond);
  run(3 * kSecond);
  auto& agent = loop_.agent(1);
  agent.is_silent = true;
  agent.asked_ms.clear();
  agent.commands.clear();
  run(60 * kSecond);
  ASSERT_GE(agent.asked_ms.size(), 6U);
  EXPECT_EQ(agent.commands[0], session::Command::get_bulk);  // the poll that found it: 3 × 500 ms
  std::vector<std::int64_t> pauses;
  for (std::size_t i = 1; i < agent.asked_ms.size(); ++i) {
    EXPECT_EQ(agent.commands[i], session::Command::get);
    pauses.push_back(agent.asked_ms[i] - agent.asked_ms[i - 1]);
  }
  // Each request's own time-out, and then the pause.
  EXPECT_EQ(pauses[0], 1500 + 500);
  EXPECT_EQ(pauses[1], 500 + 1000);
  EXPECT_EQ(pauses[2], 500 + 2000);
  EXPECT_EQ(pauses[3], 500 + 4000);
  EXPECT_EQ(pauses[4], 500 + 8000);
  EXPECT_EQ(pauses[5], 500 + 8000);
  EXPECT_EQ(statuses_["a"].state, DeviceState::down);
  EXPECT_EQ(statuses_["a"].last_error, "timeout");
  EXPECT_EQ(count("timeout"), 1);

  agent.is_silent = false;
  const auto before = count("ok");
  run(9 * kSecond);
  EXPECT_EQ(statuses_["a"].state, DeviceState::up);
  EXPECT_GT(count("ok"), before);
  // The first small request that is answered is followed by a full poll at once.
  const auto last_get = std::ranges::find(agent.commands.rbegin(), agent.commands.rend(), session::Command::get);
  const auto place = static_cast<std::size_t>(agent.commands.rend() - last_get) - 1;
  EXPECT_LE(agent.asked_ms[place + 1] - agent.asked_ms[place], 2);
}

// While all devices of a tenant are silent, or are polled seldom, nothing is written for longer than the names of line
// groups are kept.
TEST_F(WorkerTest, ASilentDeviceOutlivesTheNamesOfItsGroups) {
  add("a", 1, kSecond);
  run(3 * kSecond);
  loop_.agent(1).is_silent = true;
  for (int round = 0; round < 5; ++round) {
    const auto before = samples_.appended.load();
    run(10 * kSecond);
    store_all();
    EXPECT_GT(samples_.appended, before) << "snmp.up";
    forget_names();
  }
  EXPECT_EQ(samples_.widths(), series_.widths());
}

TEST_F(WorkerTest, ASeldomPollOutlivesTheNamesOfItsGroups) {
  add("a", 1, 10 * kSecond);
  for (int round = 0; round < 3; ++round) {
    run(10 * kSecond);
    store_all();
  }
  for (int round = 0; round < 5; ++round) {
    forget_names();
    run(10 * kSecond);
    store_all();
  }
  EXPECT_GE(count("ok"), 8);
  EXPECT_EQ(series_.groups, 6U) << "three interfaces, sysUpTime, snmp.up and snmp.poll_seconds, each defined once";
  EXPECT_EQ(samples_.widths(), series_.widths());
}

TEST_F(WorkerTest, OneSilentDeviceDelaysNoOther) {
  for (std::uint16_t i = 1; i <= 50; ++i) add("d" + std::to_string(i), i, kSecond);
  loop_.agent(7).is_silent = true;
  run(20 * kSecond);
  EXPECT_EQ(count("skipped"), 1);  // its own next one, while it was waited for
  EXPECT_NEAR(count("ok"), 49 * 20, 50);
  const std::string text = metrics_.text();
  EXPECT_NE(text.find("varve_snmp_lateness_seconds_bucket{le=\"0.002\"} " +
                      std::to_string(static_cast<int>(count("ok") + count("timeout")))),
            std::string::npos)
      << text;
}

TEST_F(WorkerTest, AChangedSetIsPolledAtItsNewTimes) {
  add("a", 1, 10 * kSecond);
  run(20 * kSecond);
  EXPECT_EQ(count("ok"), 2);
  members_.begin()->second.plans = {plan(kSecond)};
  worker_->set_members(members_);
  run(10 * kSecond);
  EXPECT_NEAR(count("ok"), 12, 1);
}

TEST_F(WorkerTest, ADeviceMayGoInTheMiddleOfItsPoll) {
  add("a", 1, kSecond, 500);
  add("b", 2, kSecond);
  loop_.agent(1).delay_ms = 300;
  run(2 * kSecond);
  EXPECT_EQ(loop_.sessions(), 2U);
  members_.erase({"default", "a"});
  worker_->set_members(members_);
  EXPECT_EQ(loop_.sessions(), 1U);
  EXPECT_FALSE(statuses_.contains("a"));
  const auto before = count("ok");
  run(5 * kSecond);
  EXPECT_NEAR(count("ok") - before, 5, 1);
}

TEST_F(WorkerTest, ADeviceWithoutACredentialIsDownUntilThereIsOne) {
  add("a", 1, kSecond);
  members_.begin()->second.credential = "core";
  worker_->set_members(members_);
  run(3 * kSecond);
  EXPECT_EQ(statuses_["a"].state, DeviceState::down);
  EXPECT_EQ(statuses_["a"].last_error, "there is no credential \"core\" for this tenant");
  EXPECT_TRUE(loop_.agent(1).asked_ms.empty());
  worker_->set_credentials({{"core", everybodys("secret")}});
  run(2 * kSecond);
  EXPECT_EQ(statuses_["a"].state, DeviceState::up);
}

TEST_F(WorkerTest, ACredentialIsNotSentForAnotherTenant) {
  inventory::Credential credential = everybodys("public");
  credential.tenants = {"default"};
  worker_->set_credentials({{"default", credential}});
  add("a", 1, kSecond);
  members_[{"mallory", "m"}] = members_.begin()->second;
  members_[{"mallory", "m"}].address.port = 2;
  worker_->set_members(members_);
  run(10 * kSecond);
  EXPECT_EQ(statuses_["a"].state, DeviceState::up);
  EXPECT_EQ(statuses_["m"].state, DeviceState::down);
  EXPECT_EQ(statuses_["m"].last_error, "there is no credential \"default\" for this tenant");
  EXPECT_TRUE(loop_.agent(2).asked_ms.empty());
  std::string error;
  worker_->poll_once({"mallory", "m"}, members_[{"mallory", "m"}],
                     [&](auto result) { error = result ? "none" : result.error().message; });
  run(10);
  EXPECT_EQ(error, "there is no credential \"default\" for this tenant");
  // One that is taken from a tenant is not sent again.
  credential.tenants = {"other"};
  worker_->set_credentials({{"default", credential}});
  run(kSecond);
  const auto asked = loop_.agent(1).asked_ms.size();
  run(10 * kSecond);
  EXPECT_EQ(loop_.agent(1).asked_ms.size(), asked);
  EXPECT_EQ(statuses_["a"].state, DeviceState::down);
}

// Of a poll now: when it ended, after its begin, and with which words.
using PollNowEnd = std::pair<std::int64_t, std::string>;

TEST_F(WorkerTest, WhatCannotBeAskedLooksLikeAnAgentThatIsSilent) {
  inventory::Credential credential = everybodys("public");
  credential.networks = {*inventory::parse_network("127.0.0.1")};
  worker_->set_credentials({{"default", credential}});
  add("elsewhere", 1, kSecond);
  add("silent", 2, kSecond);
  loop_.agent(2).is_silent = true;
  members_[{"default", "elsewhere"}].address.host = "127.0.0.2";
  members_[{"default", "elsewhere"}].plans.push_back(plan(2 * kSecond));
  members_[{"default", "silent"}].plans.push_back(plan(2 * kSecond));
  worker_->set_members(members_);
  std::map<std::string, PollNowEnd> ends;
  for (const auto& [key, member] : members_) {
    worker_->poll_once(key, member, [&, of = key.second, began_ms = clock_.now_ms()](auto result) {
      ends[of].first = clock_.now_ms() - began_ms;
      for (const auto& set : *result) ends[of].second += set.oidset + ":" + set.error + ";";
    });
  }
  run(20 * kSecond);
  EXPECT_EQ(ends["silent"].second, "FastPollHC:timeout;FastPollHC:timeout;");
  EXPECT_EQ(ends["elsewhere"], ends["silent"]);
  EXPECT_EQ(statuses_["elsewhere"].state, DeviceState::down);
  EXPECT_EQ(statuses_["elsewhere"].last_error, "timeout");
  EXPECT_EQ(statuses_["silent"].last_error, "timeout");
  EXPECT_TRUE(loop_.agent(1).asked_ms.empty());
  // As soon as it may go there it is asked.
  credential.networks.push_back(*inventory::parse_network("127.0.0.0/8"));
  worker_->set_credentials({{"default", credential}});
  run(9 * kSecond);
  EXPECT_EQ(statuses_["elsewhere"].state, DeviceState::up);
}

TEST_F(WorkerTest, AnAddressThatMovesIsAskedWhereItIs) {
  add("a", 1, kSecond);
  add("b", 2, kSecond);
  run(2 * kSecond);
  members_[{"default", "a"}].address.port = 2;
  worker_->set_members(members_);
  loop_.agent(1).asked_ms.clear();
  run(3 * kSecond);
  EXPECT_TRUE(loop_.agent(1).asked_ms.empty());
}

TEST_F(WorkerTest, APollNowTellsNamesAndStoresNothing) {
  add("a", 1, 3600 * kSecond);
  std::vector<inventory::PolledSet> sets;
  worker_->poll_once({"default", "a"}, members_.begin()->second, [&](auto result) { sets = *result; });
  run(100);
  ASSERT_EQ(sets.size(), 1U);
  EXPECT_EQ(sets[0].oidset, "FastPollHC");
  EXPECT_EQ(sets[0].error, "");
  ASSERT_EQ(sets[0].objects.size(), 7U);
  const auto& object = sets[0].objects[1];
  EXPECT_EQ(object.metric, "snmp.ifHCInOctets");
  EXPECT_EQ(object.oid, "1.3.6.1.2.1.31.1.1.1.6.1");
  EXPECT_EQ(object.tags, (std::vector<std::pair<std::string, std::string>>{
                             {"device", "a"}, {"oidset", "FastPollHC"}, {"interface", "e1"}}));
  EXPECT_EQ(std::get<std::int64_t>(object.value), 5);
  outbox_.reset();
  EXPECT_EQ(samples_.appended, 0U);
}

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

TEST_F(WorkerTest, MemoryOfADevice) {
  for (std::uint16_t i = 1; i <= 100; ++i) add("d" + std::to_string(i), i, kSecond, 10);
  run(3 * kSecond);
  EXPECT_EQ(worker_->counts().up, 100U);
  EXPECT_LT(worker_->memory_bytes() / 100, 3000U);
}

}  // namespace
}  // namespace varve::snmp::poller
