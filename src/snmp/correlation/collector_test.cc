// SPDX-License-Identifier: Apache-2.0
#include "snmp/correlation/collector.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>

#include "snmp/inventory/inventory.h"
#include "snmp/walk/testing/fake_agent.h"

namespace varve::snmp::correlation {
namespace {

using session::Kind;
using walk::ArcVector;
using walk::testing::FakeAgent;
using walk::testing::FakeValue;

const ArcVector kNameColumn{1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 1};
const ArcVector kInColumn{1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 6};
const ArcVector kOutColumn{1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 10};
const ArcVector kUptimeName{1, 3, 6, 1, 2, 1, 1, 3, 0};

ArcVector behind(ArcVector oid, const ArcVector& index) {
  oid.insert(oid.end(), index.begin(), index.end());
  return oid;
}

// Knows the groups that were asked for from the second time on, as a store that defines them in between.
class Groups final : public GroupFinder {
 public:
  model::GroupId find(const GroupName& name) override {
    ++asked;
    const auto [group, is_new] = known_.try_emplace(name.tags + '\0' + name.metrics, model::GroupId(names_.size()));
    if (is_new) names_.push_back(name);
    return is_new ? model::kNoGroup : group->second;
  }
  [[nodiscard]] std::uint64_t generation() const override { return number; }
  const GroupName& name_of(model::GroupId group) { return names_.at(model::to_int(group)); }
  int asked = 0;
  std::uint64_t number = 0;

 private:
  std::map<std::string, model::GroupId> known_;
  std::vector<GroupName> names_;
};

class CollectorTest : public ::testing::Test {
 protected:
  void use(std::string_view oidset) {
    const auto& all = inventory::built_in();
    const auto* const set = inventory::find_oidset(all, oidset);
    plan_ = walk::make_plan(*set, *inventory::find_correlator(all, set->correlator));
    memory_ = {};
  }

  // "metric{tag=value,…}=number", sorted.
  std::vector<std::string> poll(FakeAgent& agent) {
    collector_.begin(*plan_, "rtr", memory_, groups_, found_);
    walk::Walk walk(*plan_, memory_.fit, session::Version::v2c, collector_);
    walk::Scratch scratch;
    model::Timestamp at = now_;
    while (walk.next(scratch)) walk.take(agent.answer(scratch.request, at += 10));
    fault_ = walk.fault_text();
    collector_.end(!walk.is_broken());
    now_ += 1000;
    std::vector<std::string> out;
    found_.records.for_each([&](const RecordView& record) {
      const GroupName name = record.head.group == model::kNoGroup
                                 ? GroupName{std::string(record.tags), std::string(record.metrics)}
                                 : groups_.name_of(record.head.group);
      const auto metrics = texts_of(name.metrics);
      for (std::size_t i = 0; i < metrics.size(); ++i) {
        std::string text(metrics[i]);
        for (const auto& tag : tags_of(name.tags)) {
          text += (tag.key == "device" ? "{" : ",") + std::string(tag.key) + "=" + std::string(tag.value);
        }
        out.push_back(text + "}=" + std::to_string(record.values[i]));
      }
    });
    std::ranges::sort(out);
    return out;
  }

  std::shared_ptr<const walk::Plan> plan_;
  Memory memory_;
  Groups groups_;
  Collector collector_;
  Found found_;
  std::string fault_;
  model::Timestamp now_ = 1'700'000'000'000;
};

void set_interface(FakeAgent& agent, walk::Arc index, const std::string& name, std::uint64_t in) {
  agent.set(behind(kNameColumn, {index}), {Kind::octets, 0, name});
  agent.set(behind(kInColumn, {index}), {Kind::counter64, in});
  agent.set(behind(kOutColumn, {index}), {Kind::counter64, in + 1});
}

FakeAgent router() {
  FakeAgent agent;
  agent.set(kUptimeName, {Kind::ticks, 1000});
  set_interface(agent, 1, "lo", 10);
  set_interface(agent, 7, "xe-0/0/0", 70);
  return agent;
}

TEST_F(CollectorTest, ObjectsBearDeviceOidsetAndInterface) {
  use("FastPollHC");
  FakeAgent agent = router();
  const std::vector<std::string> expected = {"snmp.ifHCInOctets{device=rtr,oidset=FastPollHC,interface=lo}=10",
                                             "snmp.ifHCInOctets{device=rtr,oidset=FastPollHC,interface=xe-0/0/0}=70",
                                             "snmp.ifHCOutOctets{device=rtr,oidset=FastPollHC,interface=lo}=11",
                                             "snmp.ifHCOutOctets{device=rtr,oidset=FastPollHC,interface=xe-0/0/0}=71",
                                             "snmp.sysUpTime{device=rtr,oidset=FastPollHC}=1000"};
  EXPECT_EQ(poll(agent), expected);
  EXPECT_EQ(poll(agent), expected);
  const int asked = groups_.asked;
  EXPECT_EQ(poll(agent), expected);
  EXPECT_EQ(groups_.asked, asked);        // nothing new: bytes were compared
  EXPECT_EQ(found_.records.count(), 3U);  // an interface's objects are one row
}

TEST_F(CollectorTest, GroupsOfAnotherGenerationAreFoundAnew) {
  use("FastPollHC");
  FakeAgent agent = router();
  poll(agent);
  const auto expected = poll(agent);
  const int asked = groups_.asked;
  groups_.number = 1;
  EXPECT_EQ(poll(agent), expected);
  EXPECT_EQ(groups_.asked, asked + 3);
  EXPECT_EQ(poll(agent), expected);
  EXPECT_EQ(groups_.asked, asked + 3);
}

TEST_F(CollectorTest, ARowsTimeIsThatOfItsAnswer) {
  use("FastPollHC");
  FakeAgent agent = router();
  agent.bindings_max = 8;
  poll(agent);
  std::vector<model::Timestamp> times;
  found_.records.for_each([&](const RecordView& record) { times.push_back(record.head.at); });
  const model::Timestamp began = now_ - 1000;
  EXPECT_EQ(times, (std::vector<model::Timestamp>{began + 10, began + 10, began + 20}));
  EXPECT_EQ(found_.first_ms, began + 10);
}

TEST_F(CollectorTest, ARenumberedAgentKeepsItsNames) {
  use("FastPollHC");
  FakeAgent agent = router();
  poll(agent);
  poll(agent);
  agent.values.clear();
  agent.set(kUptimeName, {Kind::ticks, 1100});
  set_interface(agent, 1, "xe-0/0/0", 71);
  set_interface(agent, 2, "xe-0/0/1", 5);
  set_interface(agent, 7, "lo", 12);
  for (int i = 0; i < 2; ++i) {
    const auto found = poll(agent);
    EXPECT_EQ(found[0], "snmp.ifHCInOctets{device=rtr,oidset=FastPollHC,interface=lo}=12");
    EXPECT_EQ(found[1], "snmp.ifHCInOctets{device=rtr,oidset=FastPollHC,interface=xe-0/0/0}=71");
    EXPECT_EQ(found[2], "snmp.ifHCInOctets{device=rtr,oidset=FastPollHC,interface=xe-0/0/1}=5");
  }
}

TEST_F(CollectorTest, RowsWithoutANameOrWithAnothersAreLeftOut) {
  use("FastPollHC");
  FakeAgent agent = router();
  set_interface(agent, 3, "", 30);
  set_interface(agent, 9, "xe-0/0/0", 90);
  agent.set(behind(kInColumn, {11}), {Kind::counter64, 1});  // not even a row of ifName
  for (int i = 0; i < 3; ++i) {
    const auto found = poll(agent);
    ASSERT_EQ(found.size(), 3U) << i;
    EXPECT_EQ(found[0], "snmp.ifHCInOctets{device=rtr,oidset=FastPollHC,interface=lo}=10");
    EXPECT_EQ(found_.unnamed, 2U);
    EXPECT_EQ(found_.doubled, 2U);
    EXPECT_EQ(found_.doubled_name, "xe-0/0/0");
  }
  // The other one goes: the name is its own again.
  for (const ArcVector& column : {kNameColumn, kInColumn, kOutColumn}) agent.values.erase(behind(column, {9}));
  poll(agent);
  EXPECT_EQ(poll(agent).size(), 5U);
  EXPECT_EQ(found_.doubled, 0U);
}

TEST_F(CollectorTest, AMissingValueIsMissingAndTheOthersStay) {
  use("FastPollHC");
  FakeAgent agent = router();
  poll(agent);
  poll(agent);
  agent.values.erase(behind(kInColumn, {7}));
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(poll(agent),
              (std::vector<std::string>{"snmp.ifHCInOctets{device=rtr,oidset=FastPollHC,interface=lo}=10",
                                        "snmp.ifHCOutOctets{device=rtr,oidset=FastPollHC,interface=lo}=11",
                                        "snmp.ifHCOutOctets{device=rtr,oidset=FastPollHC,interface=xe-0/0/0}=71",
                                        "snmp.sysUpTime{device=rtr,oidset=FastPollHC}=1000"}));
  }
  agent.set(behind(kInColumn, {7}), {Kind::counter64, 72});
  EXPECT_EQ(poll(agent)[1], "snmp.ifHCInOctets{device=rtr,oidset=FastPollHC,interface=xe-0/0/0}=72");
}

TEST_F(CollectorTest, NamesFromTheNetworkAreBoundedUtf8) {
  use("FastPollHC");
  FakeAgent agent = router();
  agent.set(behind(kNameColumn, {1}), {Kind::octets, 0, std::string("\xff\0a", 3)});
  agent.set(behind(kNameColumn, {7}), {Kind::octets, 0, std::string(5000, 'x')});
  const auto found = poll(agent);
  EXPECT_EQ(found[0],
            "snmp.ifHCInOctets{device=rtr,oidset=FastPollHC,interface=" + std::string(kTagBytesMax, 'x') + "}=70");
  EXPECT_EQ(found[1],
            "snmp.ifHCInOctets{device=rtr,oidset=FastPollHC,interface=\xef\xbf\xbd"
            "a}=10");
}

TEST_F(CollectorTest, ARestartForgetsWhatTheAgentCould) {
  use("FastPollHC");
  FakeAgent agent = router();
  poll(agent);
  EXPECT_FALSE(found_.restarted);
  agent.set(kUptimeName, {Kind::ticks, 3});
  poll(agent);
  EXPECT_TRUE(found_.restarted);
  EXPECT_TRUE(memory_.fit.passes.empty());
}

// jnxCos: queues of an interface, whose name stands in ifXTable.
FakeAgent queues() {
  FakeAgent agent;
  agent.set(kUptimeName, {Kind::ticks, 1});
  agent.set(behind(kNameColumn, {116}), {Kind::octets, 0, "ge-1/0/0"});
  agent.set(behind(kNameColumn, {117}), {Kind::octets, 0, "ge-1/0/1"});
  const ArcVector bytes{1, 3, 6, 1, 4, 1, 2636, 3, 15, 1, 1, 5};
  agent.set(behind(bytes, {116, 2, 'b', 'e'}), {Kind::counter64, 5});
  agent.set(behind(bytes, {117, 2, 'b', 'e'}), {Kind::counter64, 6});
  agent.set(behind(bytes, {118, 2, 'b', 'e'}), {Kind::counter64, 7});
  return agent;
}

TEST_F(CollectorTest, ANameIsLookedUpUnderAPartOfTheIndex) {
  use("JnxCOS");
  FakeAgent agent = queues();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(poll(agent), (std::vector<std::string>{
                               "snmp.jnxCosIfqQedBytes{device=rtr,oidset=JnxCOS,interface=ge-1/0/0,queue=be}=5",
                               "snmp.jnxCosIfqQedBytes{device=rtr,oidset=JnxCOS,interface=ge-1/0/1,queue=be}=6",
                               "snmp.sysUpTime{device=rtr,oidset=JnxCOS}=1"}));
    EXPECT_EQ(found_.unnamed, 1U);
  }
  agent.set(behind(kNameColumn, {116}), {Kind::octets, 0, "ge-9/0/0"});
  EXPECT_EQ(poll(agent)[1], "snmp.jnxCosIfqQedBytes{device=rtr,oidset=JnxCOS,interface=ge-9/0/0,queue=be}=5");
}

TEST_F(CollectorTest, RowsWhoseNamesChangeDuringThePollAreLeftOut) {
  use("JnxCOS");
  FakeAgent agent = queues();
  poll(agent);
  agent.requests = 0;
  agent.before = [](FakeAgent& of) {
    if (of.requests == 3) of.set(behind(kNameColumn, {116}), {Kind::octets, 0, "ge-9/0/0"});
  };
  EXPECT_EQ(poll(agent), std::vector<std::string>{"snmp.sysUpTime{device=rtr,oidset=JnxCOS}=1"});
  EXPECT_TRUE(found_.renumbered);
  agent.before = {};
  EXPECT_EQ(poll(agent).size(), 3U);
}

TEST_F(CollectorTest, ASetWithAHistoryGivesRowsAndNoSamples) {
  use("IfRefPoll");
  FakeAgent agent;
  agent.set(kUptimeName, {Kind::ticks, 1});
  for (const walk::Arc i : {walk::Arc{1}, walk::Arc{2}}) {
    agent.set(behind(kNameColumn, {i}), {Kind::octets, 0, "eth" + std::to_string(i)});
    agent.set(behind({1, 3, 6, 1, 2, 1, 2, 2, 1, 4}, {i}), {Kind::integer, 1500});
    agent.set(behind({1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 18}, {i}), {Kind::octets, 0, "to somewhere"});
  }
  agent.set({1, 3, 6, 1, 2, 1, 4, 20, 1, 2, 10, 0, 0, 1}, {Kind::integer, 2});
  EXPECT_TRUE(poll(agent).empty());
  EXPECT_EQ(fault_, "");
  ASSERT_EQ(found_.history.size(), 3U);
  const auto rows = inventory::history_rows(plan_->oidset, found_.history);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1].name, "eth2");
}

TEST(RecordsTest, TextsAndValuesComeBack) {
  GroupName name;
  name.add_tag("device", "a");
  name.add_tag("b", "");
  name.add_metric("snmp.x");
  constexpr model::GroupId kGroup{7};
  Records records;
  const std::int64_t values[] = {1, -2, 3};
  records.add({.group = kGroup, .at = 5, .row = 9}, values, nullptr);
  records.add({.at = 6, .is_real = true}, {values, 1}, &name);
  Records copy;
  records.for_each([&](const RecordView& record) { copy.add(record); });
  EXPECT_EQ(copy.bytes(), records.bytes());
  EXPECT_EQ(copy.samples(), 4U);
  int number = 0;
  copy.for_each([&](const RecordView& record) {
    if (number++ == 0) {
      EXPECT_EQ(record.head.group, kGroup);
      EXPECT_EQ(record.head.row, 9U);
      EXPECT_EQ(record.values[1], -2);
      EXPECT_TRUE(record.tags.empty());
    } else {
      EXPECT_TRUE(record.head.is_real);
      EXPECT_EQ(tags_of(record.tags), (model::TagViews{{"device", "a"}, {"b", ""}}));
      EXPECT_EQ(texts_of(record.metrics), std::vector<std::string_view>{"snmp.x"});
    }
  });
  EXPECT_EQ(number, 2);
}

}  // namespace
}  // namespace varve::snmp::correlation
