// SPDX-License-Identifier: Apache-2.0
#include "snmp/poller/worker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "snmp/poller/testing/worker_case.h"

namespace varve::snmp::poller {
namespace {

using inventory::DeviceState;
using testing::kSecond;
using testing::WorkerTest;

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

TEST_F(WorkerTest, WhatNobodyCanKnowOfACounterIsCounted) {
  add("a", 1, 5 * kSecond);
  run(20 * kSecond);
  EXPECT_EQ(statuses_["a"].unknown_increases, (std::array<std::uint64_t, 5>{}));
  auto& values = loop_.agent(1).agent;
  values.set({1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 6, 2}, {session::Kind::counter64, 4});
  run(10 * kSecond);
  EXPECT_EQ(count("fell", "varve_snmp_unknown_increases_total"), 1);
  loop_.agent(1).is_silent = true;
  run(30 * kSecond);
  loop_.agent(1).is_silent = false;
  run(20 * kSecond);
  EXPECT_EQ(count("gap", "varve_snmp_unknown_increases_total"), 6);
  EXPECT_EQ(statuses_["a"].unknown_increases, (std::array<std::uint64_t, 5>{6, 0, 0, 1, 0}));
  EXPECT_TRUE(judged_.empty()) << "of 64 bits nothing needs to be asked";
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

TEST_F(WorkerTest, MemoryOfADevice) {
  for (std::uint16_t i = 1; i <= 100; ++i) add("d" + std::to_string(i), i, kSecond, 10);
  run(3 * kSecond);
  EXPECT_EQ(worker_->counts().up, 100U);
  EXPECT_LT(worker_->memory_bytes() / 100, 3000U);
}

}  // namespace
}  // namespace varve::snmp::poller
