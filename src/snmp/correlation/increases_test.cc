// SPDX-License-Identifier: Apache-2.0
#include "snmp/correlation/increases.h"

#include <gtest/gtest.h>

#include <memory>

#include "snmp/correlation/collector.h"
#include "snmp/inventory/device_counters.h"
#include "snmp/inventory/inventory.h"
#include "snmp/walk/testing/fake_agent.h"

namespace varve::snmp::correlation {
namespace {

using inventory::ObjectType;
using session::Kind;
using walk::Arc;
using walk::ArcVector;
using walk::testing::FakeAgent;

const ArcVector kUptimeOid{1, 3, 6, 1, 2, 1, 1, 3, 0};

ArcVector name_oid(Arc index) { return {1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 1, index}; }
ArcVector in_oid(Arc index) { return {1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 6, index}; }
ArcVector old_in_oid(Arc index) { return {1, 3, 6, 1, 2, 1, 2, 2, 1, 10, index}; }
ArcVector discontinuity_oid(Arc index) { return {1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 19, index}; }

// All groups are new; interfaces called "slow" can do 1000 bytes in a second.
class SlowOnes final : public GroupFinder {
 public:
  model::GroupId find(const GroupName& /*name*/) override { return model::kNoGroup; }
  std::optional<counter::Declaration> rules(std::string_view metric, const counter::TagOf& tag) override {
    asked = std::string(metric) + " " + std::string(tag("device")) + " " + std::string(tag("oidset")) + " " +
            std::string(tag("interface"));
    auto out = inventory::declaration_of(ObjectType::counter32, 30'000);
    if (tag("interface") == "slow") out.ceilings = {{0, 1000}};
    return out;
  }
  std::string asked;
};

class IncreasesTest : public ::testing::Test {
 protected:
  IncreasesTest() {
    const auto& all = inventory::built_in();
    plan_ = walk::make_plan(*inventory::find_oidset(all, "FastPollHC"), *inventory::find_correlator(all, "ifName"));
    agent_.set(kUptimeOid, {Kind::ticks, uptime_});
  }

  void set(Arc index, const std::string& name, std::uint64_t in, Kind kind = Kind::counter64) {
    agent_.set(name_oid(index), {Kind::octets, 0, name});
    agent_.set(kind == Kind::counter64 ? in_oid(index) : old_in_oid(index), {kind, in});
  }

  // 30 s later, or so. What is unknown: "speed=1 (ifInOctets of 'slow')".
  std::string poll(std::int64_t later_ms = 30'000) {
    now_ += later_ms;
    uptime_ += static_cast<std::uint64_t>(later_ms / 10);
    agent_.set(kUptimeOid, {Kind::ticks, uptime_});
    collector_.begin(*plan_, "rtr", memory_, slow_, found_);
    walk::Walk walk(*plan_, memory_.fit, session::Version::v2c, collector_);
    walk::Scratch scratch;
    while (walk.next(scratch)) walk.take(agent_.answer(scratch.request, now_));
    collector_.end(!walk.is_broken());
    std::string out;
    for (std::size_t why = 0; why < found_.unknown.counts.size(); ++why) {
      if (found_.unknown.counts[why] == 0) continue;
      out += (out.empty() ? "" : " ") + std::string(counter::kWhyUnknown[why]) + "=" +
             std::to_string(found_.unknown.counts[why]) + " (" + found_.unknown.such_as[why] + ")";
    }
    return out;
  }

  std::shared_ptr<const walk::Plan> plan_;
  FakeAgent agent_;
  Memory memory_;
  SlowOnes slow_;
  Collector collector_;
  Found found_;
  std::uint64_t uptime_ = 100'000;
  model::Timestamp now_ = 1'700'000'000'000;
};

TEST_F(IncreasesTest, WhatGrowsIsKnownHoweverFastItIs) {
  set(1, "slow", 10);
  set(2, "b", 0, Kind::counter32);
  EXPECT_EQ(poll(), "");
  set(1, "slow", std::uint64_t{1} << 63);
  set(2, "b", 4294967295, Kind::counter32);
  EXPECT_EQ(poll(), "");
  set(1, "slow", 0xffffffffffffffff);
  EXPECT_EQ(poll(), "");
  EXPECT_EQ(slow_.asked, "");
}

TEST_F(IncreasesTest, OnlyAWrapThatTheSpeedForbidsIsUnknown) {
  set(1, "slow", 4'000'000'000, Kind::counter32);
  set(2, "fast", 4'000'000'000, Kind::counter32);
  poll();
  set(1, "slow", 5, Kind::counter32);
  set(2, "fast", 5, Kind::counter32);
  EXPECT_EQ(poll(), "speed=1 (ifInOctets of 'slow')");
  EXPECT_EQ(found_.left_out(),
            std::vector<std::string>{"1 increases are unknown (speed), such as that of ifInOctets of 'slow'"});
  EXPECT_EQ(slow_.asked, "snmp.ifInOctets rtr FastPollHC fast");
  set(1, "slow", 6, Kind::counter32);
  EXPECT_EQ(poll(), "");
  EXPECT_TRUE(found_.left_out().empty());
}

TEST_F(IncreasesTest, ACounterOf64BitsThatFellBeganAnew) {
  set(1, "a", 5);
  set(2, "b", 0xffffffffffffffff);
  poll();
  set(1, "a", 4);
  set(2, "b", 7);
  EXPECT_EQ(poll(), "fell=2 (ifHCInOctets of 'a')");
}

TEST_F(IncreasesTest, AGap) {
  set(1, "a", 5);
  poll();
  EXPECT_EQ(poll(90'000), "");
  EXPECT_EQ(poll(90'001), "gap=1 (ifHCInOctets of 'a')");
  EXPECT_EQ(poll(), "");
}

TEST_F(IncreasesTest, ARestartIsTheReasonWhateverTheValues) {
  set(1, "a", 5);
  set(2, "b", 5, Kind::counter32);
  poll();
  uptime_ = 3;
  set(1, "a", 1'000'000);
  set(2, "b", 2, Kind::counter32);
  EXPECT_EQ(poll(), "restart=2 (ifHCInOctets of 'a')");
  EXPECT_EQ(poll(), "");
  uptime_ = 4294967295;  // its 32 bits are used up
  poll();
  uptime_ = 0;
  EXPECT_EQ(poll(), "");
}

// An interface that the poll with the restart did not bring.
TEST_F(IncreasesTest, ARestartIsOfAllThatWasBeforeIt) {
  set(1, "a", 5);
  set(2, "b", 5);
  poll();
  uptime_ = 0;
  agent_.values.erase(in_oid(2));
  EXPECT_EQ(poll(), "restart=1 (ifHCInOctets of 'a')");
  set(2, "b", 6);
  EXPECT_EQ(poll(), "restart=1 (ifHCInOctets of 'b')");
}

TEST_F(IncreasesTest, ADiscontinuityIsOfItsInterface) {
  for (const Arc i : {Arc{1}, Arc{2}}) {
    set(i, i == 1 ? "a" : "b", 5);
    agent_.set(discontinuity_oid(i), {Kind::ticks, 0});
  }
  poll();
  agent_.set(discontinuity_oid(2), {Kind::ticks, 7});
  EXPECT_EQ(poll(), "discontinuity=1 (ifHCInOctets of 'b')");
  EXPECT_EQ(poll(), "");
}

TEST_F(IncreasesTest, RowsAreKnownByTheirNames) {
  set(1, "a", 100);
  set(2, "b", 5);
  poll();
  set(1, "b", 6);
  set(2, "a", 101);
  EXPECT_EQ(poll(), "");
  set(1, "a", 102);
  set(2, "b", 4);
  EXPECT_EQ(poll(), "fell=1 (ifHCInOctets of 'b')");
}

TEST_F(IncreasesTest, WhatIsNotStoredIsNotLookedAt) {
  set(1, "a", 100);
  set(2, "a", 5);
  poll();
  set(1, "a", 50);
  set(2, "a", 4);
  EXPECT_EQ(poll(), "") << "two of one name";
  EXPECT_EQ(found_.doubled, 2U);
  set(1, "", 3);
  EXPECT_EQ(poll(), "");
  EXPECT_EQ(found_.unnamed, 1U);
}

TEST_F(IncreasesTest, AClockThatIsSetBackSaysNothing) {
  set(1, "a", 100);
  poll();
  set(1, "a", 50);
  EXPECT_EQ(poll(-60'000), "");
  set(1, "a", 60);
  EXPECT_EQ(poll(), "");
}

TEST_F(IncreasesTest, Scalars) {
  const inventory::Oidset set{
      .name = "Own",
      .frequency_ms = 30'000,
      .objects = {{.name = "inReceives", .oid = {1, 3, 6, 1, 2, 1, 4, 3, 0}, .type = ObjectType::counter32},
                  {.name = "level", .oid = {1, 3, 7, 0}, .type = ObjectType::gauge32}}};
  plan_ = walk::make_plan(set, {});
  agent_.set({1, 3, 6, 1, 2, 1, 4, 3, 0}, {Kind::counter32, 7});
  agent_.set({1, 3, 7, 0}, {Kind::gauge32, 7});
  poll();
  agent_.set({1, 3, 7, 0}, {Kind::gauge32, 6});
  EXPECT_EQ(poll(91'000), "gap=1 (inReceives)");
  EXPECT_EQ(found_.records.samples(), 3U);
}

}  // namespace
}  // namespace varve::snmp::correlation
