// SPDX-License-Identifier: Apache-2.0
#include "snmp/inventory/device_counters.h"

#include <gtest/gtest.h>

#include <map>

#include "snmp/inventory/history_reader.h"
#include "storage/testing/memory_texts.h"

namespace varve::snmp::inventory {
namespace {

using Tags = std::map<std::string, std::string, std::less<>>;

std::optional<counter::Declaration> declared(const DeviceCounters& counters, std::string_view metric, const Tags& tags,
                                             std::string_view tenant = "t") {
  return counters.find(tenant, metric, [&](std::string_view key) -> std::string_view {
    const auto found = tags.find(key);
    return found == tags.end() ? std::string_view() : found->second;
  });
}

const Tags kFast{{"device", "d"}, {"oidset", "FastPoll"}, {"interface", "e0"}};
const Tags kFastHc{{"device", "d"}, {"oidset", "FastPollHC"}, {"interface", "e0"}};

HistoryRow interface_row(const std::string& name, std::int64_t bits, std::int64_t megabits, model::Timestamp begin) {
  HistoryRow row{.name = name, .attributes = {}, .begin = begin, .end = {}};
  row.attributes.resize(attributes_of(HistoryKind::interfaces).size());
  row.attributes[3] = bits;
  row.attributes[4] = megabits;
  return row;
}

TEST(DeviceCounters, AreThoseOfTheOidset) {
  const DeviceCounters counters;
  const auto narrow = declared(counters, "snmp.ifInOctets", kFast);
  ASSERT_TRUE(narrow);
  EXPECT_EQ(narrow->base_ms, 30'000);
  EXPECT_EQ(narrow->rules.gap_ms, 90'000);
  EXPECT_EQ(narrow->rules.fall, counter::Fall::wrap32);
  EXPECT_FALSE(narrow->rules.is_unsigned);
  const auto wide = declared(counters, "snmp.ifHCInOctets", kFastHc);
  ASSERT_TRUE(wide);
  EXPECT_EQ(wide->rules.fall, counter::Fall::unknown);
  EXPECT_TRUE(wide->rules.is_unsigned);
  EXPECT_TRUE(declared(counters, "snmp.ifInOctets", kFastHc)) << "a stand-in";
  EXPECT_FALSE(declared(counters, "snmp.sysUpTime", kFast)) << "no counter";
  EXPECT_FALSE(declared(counters, "snmp.ifHCInOctets", kFast)) << "another set's";
  EXPECT_FALSE(declared(counters, "snmp.ifInOctets", {{"oidset", "None"}}));
  EXPECT_FALSE(declared(counters, "snmp.ifInOctets", {}));
  EXPECT_FALSE(declared(counters, "ifInOctets", kFast));
}

TEST(DeviceCounters, ATenantsOwnSetComesFirst) {
  DeviceCounters counters;
  auto inventory = std::make_shared<Inventory>();
  Oidset set = *find_oidset(built_in(), "FastPoll");
  set.frequency_ms = 5000;
  inventory->oidsets.emplace("FastPoll", set);
  counters.set_inventories(std::make_shared<const Inventories>(Inventories{{"t", inventory}}));
  EXPECT_EQ(declared(counters, "snmp.ifInOctets", kFast)->base_ms, 5000);
  EXPECT_EQ(declared(counters, "snmp.ifHCInOctets", kFastHc)->base_ms, 30'000);
  EXPECT_EQ(declared(counters, "snmp.ifInOctets", kFast, "other")->base_ms, 30'000);
}

TEST(DeviceCounters, OctetsAreNoFasterThanTheInterface) {
  DeviceCounters counters;
  EXPECT_TRUE(declared(counters, "snmp.ifInOctets", kFast)->ceilings.empty());
  const std::vector<HistoryRow> rows{interface_row("e0", 100'000'000, 100, 1000),
                                     interface_row("e1", 8000, 0, 1000),
                                     interface_row("e2", 4'294'967'295, 0, 1000),
                                     interface_row("e0", 100'000'000, 100, 2000),
                                     interface_row("e0", 4'294'967'295, 10'000, 3000),
                                     interface_row("t1", 1'544'000, 2, 1000),
                                     interface_row("t2", 0, 2, 1000)};
  counters.set_history("t", "d", rows);
  const auto ceilings_of = [&](const std::string& interface, std::string_view metric = "snmp.ifInOctets") {
    Tags tags = kFast;
    tags["interface"] = interface;
    return declared(counters, metric, tags)->ceilings;
  };
  EXPECT_EQ(ceilings_of("e0"), (std::vector<counter::Ceiling>{{1000, 1.25 * 12.5e6}, {3000, 1.25 * 1.25e9}}));
  EXPECT_EQ(ceilings_of("e1"), (std::vector<counter::Ceiling>{{1000, 1250}}));
  EXPECT_TRUE(ceilings_of("e2").empty()) << "faster than it can say";
  EXPECT_TRUE(ceilings_of("e3").empty());
  EXPECT_EQ(ceilings_of("t1"), (std::vector<counter::Ceiling>{{1000, 1.25 * 193'000}})) << "ifHighSpeed is rounded";
  EXPECT_EQ(ceilings_of("t2"), (std::vector<counter::Ceiling>{{1000, 1.25 * 250'000}}));
  EXPECT_TRUE(declared(counters, "snmp.ifHCInOctets", kFastHc)->ceilings.empty()) << "64 bits do not wrap";
  EXPECT_TRUE(declared(counters, "snmp.ifInErrors", {{"device", "d"}, {"oidset", "Errors"}, {"interface", "e0"}})
                  ->ceilings.empty());
  EXPECT_TRUE(declared(counters, "snmp.ifInOctets", kFast, "other")->ceilings.empty());
}

class SpeedsOfHistories : public ::testing::Test {
 protected:
  void record(const std::string& device, model::Timestamp time, std::int64_t megabits) {
    auto row = interface_row("e0", 0, megabits, 0);
    const auto changed = store_.record_walk("t", device, HistoryKind::interfaces, time, true, {row});
    ASSERT_TRUE(changed);
    EXPECT_TRUE(*changed);
    const auto again = store_.record_walk("t", device, HistoryKind::interfaces, time + 1, true, {row});
    ASSERT_TRUE(again);
    EXPECT_FALSE(*again);
  }
  std::size_t ceilings(const std::string& device) {
    return declared(counters_, "snmp.ifInOctets", {{"device", device}, {"oidset", "FastPoll"}, {"interface", "e0"}})
        ->ceilings.size();
  }
  Inventories inventories(const std::vector<std::string>& devices) {
    auto one = std::make_shared<Inventory>();
    for (const std::string& name : devices) one->devices.emplace(name, Device{.name = name});
    return {{"t", one}};
  }

  storage::testing::MemoryTexts texts_;
  HistoryStore store_{texts_};
  DeviceCounters counters_;
};

TEST_F(SpeedsOfHistories, AreReadOnceAndToldAfterThat) {
  record("a", 10, 100);
  HistoryReader reader(store_, counters_, false);
  ASSERT_TRUE(reader.turn(inventories({"a", "b"})));
  EXPECT_EQ(ceilings("a"), 1U);
  EXPECT_TRUE(counters_.has_history("t", "b")) << "empty, but read";
  record("a", 20, 1000);
  ASSERT_TRUE(reader.turn(inventories({"a", "b"})));
  EXPECT_EQ(ceilings("a"), 1U);
  ASSERT_TRUE(reader.changed("t", "a"));
  EXPECT_EQ(ceilings("a"), 2U);
}

TEST_F(SpeedsOfHistories, OfOthersAreReadAgain) {
  HistoryReader reader(store_, counters_, true);
  const auto all = inventories({"a", "b", "c"});
  ASSERT_TRUE(reader.turn(all));
  for (const char* device : {"a", "b", "c"}) record(device, 10, 100);
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(reader.turn(all));
  for (const char* device : {"a", "b", "c"}) EXPECT_EQ(ceilings(device), 1U) << device;
}

}  // namespace
}  // namespace varve::snmp::inventory
