// SPDX-License-Identifier: Apache-2.0
#include "snmp/poller/fleet.h"

#include <gtest/gtest.h>

#include <set>

namespace varve::snmp::poller {
namespace {

using inventory::Inventories;
using inventory::Inventory;

constexpr model::Timestamp kNow = 1'700'000'000'000;

bool all(std::uint32_t) { return true; }

Inventory of(std::vector<inventory::Device> devices) {
  Inventory out;
  for (auto& device : devices) out.devices.emplace(device.name, device);
  return out;
}

Inventories as(const Inventory& inventory) { return {{"acme", std::make_shared<const Inventory>(inventory)}}; }

TEST(FleetTest, DevicesOfTheirTimeArePolledWithTheirSets) {
  const Inventory inventory =
      of({{.name = "a", .address = "10.0.0.1", .oidsets = {"FastPollHC", "Errors"}},
          {.name = "off", .address = "10.0.0.1", .active = false},
          {.name = "later", .address = "10.0.0.1", .begin = kNow + 1},
          {.name = "over", .address = "10.0.0.1", .end = kNow},
          {.name = "now", .address = "[::1]:1161", .credential = "core", .begin = kNow, .end = kNow + 1}});
  Fleet fleet;
  const Members members = fleet.members(as(inventory), all, kNow);
  ASSERT_EQ(members.size(), 2U);
  const Member& a = members.at({"acme", "a"});
  EXPECT_EQ(a.address.port, 161);
  ASSERT_EQ(a.plans.size(), 2U);
  EXPECT_EQ(a.plans[1]->oidset.name, "Errors");
  const Member& now = members.at({"acme", "now"});
  EXPECT_EQ(now.address.host, "::1");
  EXPECT_EQ(now.address.port, 1161);
  EXPECT_EQ(now.credential, "core");
}

TEST(FleetTest, TellsWhenADevicesTimeBeginsOrEnds) {
  const auto changes_at = [](std::vector<inventory::Device> devices) {
    Fleet fleet;
    fleet.members(as(of(std::move(devices))), all, kNow);
    return fleet.changes_at();
  };
  EXPECT_EQ(changes_at({{.name = "a", .address = "h"}}), model::kTimestampMax);
  EXPECT_EQ(changes_at({{.name = "a", .address = "h", .begin = kNow, .end = kNow}}), model::kTimestampMax);
  EXPECT_EQ(changes_at({{.name = "a", .address = "h", .end = kNow + 9},
                        {.name = "b", .address = "h", .begin = kNow + 5, .end = kNow + 7},
                        {.name = "off", .address = "h", .active = false, .begin = kNow + 1}}),
            kNow + 5);
  EXPECT_EQ(changes_at({{.name = "a", .address = "h", .begin = kNow - 1, .end = kNow + 1}}), kNow + 1);
}

TEST(FleetTest, APlanIsAnotherOneOnlyIfItsSetHasChanged) {
  Inventory inventory = of({{.name = "a", .address = "h", .oidsets = {"FastPollHC"}}});
  Fleet fleet;
  const Members first = fleet.members(as(inventory), all, kNow);
  EXPECT_EQ(fleet.members(as(inventory), all, kNow), first);
  inventory::Oidset changed = *inventory::find_oidset(inventory, "FastPollHC");
  changed.frequency_ms = 10'000;
  inventory.oidsets["FastPollHC"] = changed;
  const Members second = fleet.members(as(inventory), all, kNow);
  EXPECT_NE(second, first);
  EXPECT_EQ(second.begin()->second.plans[0]->oidset.frequency_ms, 10'000);
  EXPECT_EQ(fleet.members(as(inventory), all, kNow), second);
}

TEST(FleetTest, EachDeviceIsInOnePartitionAndTheyAreSpread) {
  std::vector<inventory::Device> devices;
  for (int i = 0; i < 2000; ++i) devices.push_back({.name = "d" + std::to_string(i), .address = "h"});
  const Inventory inventory = of(devices);
  Fleet fleet;
  std::set<DeviceKey> seen;
  for (std::uint32_t part = 0; part < 4; ++part) {
    const auto owns = [&](std::uint32_t partition) { return partition % 4 == part; };
    const Members members = fleet.members(as(inventory), owns, kNow);
    EXPECT_GT(members.size(), 400U);
    for (const auto& [key, member] : members) EXPECT_TRUE(seen.insert(key).second);
  }
  EXPECT_EQ(seen.size(), 2000U);
}

TEST(FleetTest, APollNowIsOfSetsThatTheDeviceHas) {
  const Inventory inventory = of({{.name = "a", .address = "h", .oidsets = {"FastPollHC", "Errors"}}});
  const auto& device = inventory.devices.at("a");
  EXPECT_EQ(member_of(inventory, device, "")->plans.size(), 2U);
  EXPECT_EQ(member_of(inventory, device, "Errors")->plans.size(), 1U);
  const auto none = member_of(inventory, device, "JnxCOS");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Code::not_found);
}

}  // namespace
}  // namespace varve::snmp::poller
