// SPDX-License-Identifier: Apache-2.0
#include "language/usage/read.h"

#include <gtest/gtest.h>

#include "storage/testing/memory_store.h"
#include "storage/testing/memory_texts.h"

namespace varve::language::usage {
namespace {

using snmp::inventory::Attribute;
using snmp::inventory::HistoryKind;
using snmp::inventory::HistoryRow;
using snmp::inventory::Inventory;

constexpr model::Timestamp kUsageBegin = 300'000;

class UsageRead : public ::testing::Test {
 protected:
  UsageRead() { question_.range = {kUsageBegin, kUsageBegin + 600'000}; }

  // From the beginning on, a sample every minute, `per_minute` more each time.
  void count(const std::string& device, const std::string& oidset, const std::string& interface,
             const std::string& object, std::int64_t per_minute, int minutes = 10, const char* tenant = "t") {
    model::TagViews tags = {{"device", device}, {"oidset", oidset}};
    if (!interface.empty()) tags.emplace(tags.begin() + 1, "interface", interface);
    for (int minute = 0; minute <= minutes; ++minute) {
      store_.put(tenant, "snmp." + object, tags, kUsageBegin + minute * 60'000,
                 model::Value::of_long(1000 + minute * per_minute));
    }
  }
  // As walked at that time: aliases and ifHighSpeed by interface.
  void describe(const std::string& device, model::Timestamp time,
                const std::vector<std::tuple<std::string, std::string, std::int64_t>>& interfaces) {
    const auto names = snmp::inventory::attributes_of(HistoryKind::interfaces);
    std::vector<HistoryRow> rows;
    for (const auto& [name, alias, high_speed] : interfaces) {
      HistoryRow& row = rows.emplace_back();
      row.name = name;
      for (const std::string_view attribute : names) {
        row.attributes.emplace_back(attribute == "ifAlias"       ? Attribute(alias)
                                    : attribute == "ifHighSpeed" ? Attribute(high_speed)
                                    : attribute == "ifSpeed"
                                        ? Attribute(high_speed == 0 ? 2048 : high_speed * 1'000'000)
                                        : Attribute());
      }
    }
    ASSERT_TRUE(history_.record_walk("t", device, HistoryKind::interfaces, time, true, std::move(rows)));
  }
  void change(const std::function<void(Inventory&)>& edit) {
    const auto edited = inventory_.change("t", false, [&](Inventory& to, auto&) { edit(to); });
    ASSERT_TRUE(edited && edited->faults.empty());
  }

  Usage usage() {
    query::Request shown;
    shown.tenant = "t";
    const auto query = query::UnderWay::begin(engine_, shown, nullptr);
    auto out = read_usage({engine_, inventory_, history_, pool_}, "t", question_, **query);
    EXPECT_TRUE(out) << out.error().message;
    return out ? std::move(*out) : Usage();
  }
  // "r/xe-0 in=100 out=0", each in order.
  std::string listed() {
    std::string text;
    for (const InterfaceUsage& one : usage().interfaces) {
      const auto bytes = [](const UsageFigures& figures) {
        return figures.is_known() ? std::to_string(figures.growth.whole) : std::string("?");
      };
      text +=
          (text.empty() ? "" : "; ") + one.device + "/" + one.name + " in=" + bytes(one.in) + " out=" + bytes(one.out);
    }
    return text;
  }

  storage::testing::MemoryStore store_;
  ManualClock clock_;
  TaskPool pool_{1};
  query::Engine engine_{store_, store_, clock_, {}};
  storage::testing::MemoryTexts texts_;
  snmp::inventory::InventoryStore inventory_{texts_, pool_, clock_};
  snmp::inventory::HistoryStore history_{texts_};
  UsageQuestion question_;
};

TEST_F(UsageRead, listsWhoeverHasSamplesOfInOrOut) {
  EXPECT_EQ(listed(), "");
  count("r2", "FastPollHC", "b", "ifHCInOctets", 5);
  count("r2", "FastPollHC", "a", "ifHCOutOctets", 7);
  count("r1", "FastPollHC", "z", "ifHCInOctets", 0);
  count("r1", "FastPollHC", "z", "ifHCOutOctets", 1);
  count("one", "FastPollHC", "x", "ifHCInOctets", 9, 0);
  // No object of `in` or `out`, no such set, no interface, another tenant.
  count("r1", "Errors", "z", "ifInErrors", 5);
  count("r1", "FastPoll", "z", "ifInOctets", 5);
  count("r1", "Other", "z", "ifHCInOctets", 5);
  count("r1", "FastPollHC", "", "ifHCInOctets", 5);
  count("r1", "FastPollHC", "z", "ifHCInOctets", 5, 10, "u");
  EXPECT_EQ(listed(), "one/x in=? out=?; r1/z in=0 out=10; r2/a in=? out=70; r2/b in=50 out=?");
  question_.range.last += 600'000;
  EXPECT_EQ(listed(), "one/x in=? out=?; r1/z in=0 out=10; r2/a in=? out=70; r2/b in=50 out=?");
  question_.range = {question_.range.last, question_.range.last + 600'000};
  EXPECT_EQ(listed(), "");
}

TEST_F(UsageRead, aSetOfTheTenantIsAsItSays) {
  count("r", "Mine", "a", "ifHCInOctets", 5);
  EXPECT_EQ(listed(), "");
  change([](Inventory& to) {
    snmp::inventory::Oidset mine = *find_oidset(to, "FastPollHC");
    mine.name = "Mine";
    for (auto& object : mine.objects) {
      if (!object.alias.empty()) object.alias = object.alias == "in" ? "out" : "in";
    }
    to.oidsets["Mine"] = std::move(mine);
  });
  EXPECT_EQ(listed(), "r/a in=? out=50");
}

TEST_F(UsageRead, bytesThatSeveralSetsPollAreCountedOnce) {
  count("r", "FastPollHC", "a", "ifHCInOctets", 5);
  count("r", "ALUFastPollHC", "a", "ifHCInOctets", 6);
  EXPECT_EQ(listed(), "r/a in=60 out=?") << "of equal sets the first by name";
  // A stand-in is of the same set, and what it covers of a bin counts where it is more.
  count("r", "FastPollHC", "b", "ifHCInOctets", 5, 2);
  count("r", "FastPollHC", "b", "ifInOctets", 7, 10);
  EXPECT_EQ(listed(), "r/a in=60 out=?; r/b in=70 out=?");
  change([](Inventory& to) {
    snmp::inventory::Oidset faster = *find_oidset(to, "FastPollHC");
    faster.name = "Zfaster";
    faster.frequency_ms = 10'000;
    to.oidsets["Zfaster"] = std::move(faster);
  });
  count("r", "Zfaster", "a", "ifHCInOctets", 9);
  EXPECT_EQ(listed(), "r/a in=90 out=?; r/b in=70 out=?") << "of equal coverage the one that polls more often";
}

TEST_F(UsageRead, filters) {
  for (const char* const device : {"r/1", "r2", "gone"}) {
    for (const char* const interface : {"a", "b/0"}) count(device, "FastPollHC", interface, "ifHCInOctets", 1);
  }
  change([](Inventory& to) {
    to.devices["r/1"] = {
        .name = "r/1", .address = "h", .oidsets = {"FastPollHC"}, .tags = {{"site", "oslo"}, {"n", "1"}}};
    to.devices["r2"] = {.name = "r2", .address = "h", .oidsets = {"FastPollHC"}, .tags = {{"site", "oslo"}}};
  });
  describe("r2", 1, {{"a", "to the north", 10}, {"b/0", "", 10}});
  question_.devices = {"r2", "none"};
  EXPECT_EQ(listed(), "r2/a in=10 out=?; r2/b/0 in=10 out=?");
  question_.interfaces = {"b/0"};
  EXPECT_EQ(listed(), "r2/b/0 in=10 out=?");
  question_.devices = {};
  EXPECT_EQ(listed(), "gone/b/0 in=10 out=?; r/1/b/0 in=10 out=?; r2/b/0 in=10 out=?");
  question_.interfaces = {};
  question_.tags = {{"site", "oslo"}, {"n", "1"}};
  EXPECT_EQ(listed(), "r/1/a in=10 out=?; r/1/b/0 in=10 out=?");
  question_.devices = {"r2"};
  EXPECT_EQ(listed(), "");
  question_.devices = {};
  question_.tags = {};
  question_.alias_part = "the n";
  EXPECT_EQ(listed(), "r2/a in=10 out=?");
}

TEST_F(UsageRead, knowsTheHistory) {
  count("r", "FastPollHC", "a", "ifHCInOctets", 600'000'000);  // 80 Mb/s
  count("r", "FastPollHC", "slow", "ifHCInOctets", 60);        // 8 b/s
  describe("r", 1, {{"a", "before", 100}, {"slow", "", 0}});
  describe("r", kUsageBegin + 300'000, {{"a", "after", 400}, {"slow", "", 0}});
  describe("r", question_.range.last, {{"a", "too late", 1}});
  const Usage found = usage();
  ASSERT_EQ(found.interfaces.size(), 2U);
  const InterfaceUsage &a = found.interfaces[0], &slow = found.interfaces[1];
  EXPECT_EQ(a.alias, "after");
  EXPECT_EQ(a.bits_per_second, 400'000'000U);
  EXPECT_DOUBLE_EQ(a.in.utilisation().value_or(0), 80.0 / 250);
  EXPECT_EQ(a.in.growth.covered_ms, 600'000);
  EXPECT_EQ(a.out.utilisation(), std::nullopt);
  EXPECT_EQ(slow.bits_per_second, 2048U) << "of ifSpeed";
  EXPECT_DOUBLE_EQ(slow.in.utilisation().value_or(0), 8.0 / 2048);
}

TEST_F(UsageRead, sortsAndSums) {
  count("r", "FastPollHC", "a", "ifHCInOctets", 1);
  count("r", "FastPollHC", "b", "ifHCOutOctets", 60);
  count("r", "FastPollHC", "c", "ifHCInOctets", 3);
  count("r", "FastPollHC", "d", "ifHCInOctets", 3, 5);
  describe("r", 1, {{"a", "", 1}, {"c", "", 1000}});
  question_.sort = UsageSort{false, UsageField::bytes};
  EXPECT_EQ(listed(), "r/c in=30 out=?; r/d in=15 out=?; r/a in=10 out=?; r/b in=? out=600");
  question_.sort = UsageSort{false, UsageField::average};
  EXPECT_EQ(listed(), "r/c in=30 out=?; r/d in=15 out=?; r/a in=10 out=?; r/b in=? out=600") << "equal ones by name";
  question_.sort = UsageSort{false, UsageField::utilisation};
  question_.limit = 3;
  EXPECT_EQ(listed(), "r/a in=10 out=?; r/c in=30 out=?; r/b in=? out=600");
  question_.limit = 1;
  question_.sum = true;
  const Usage found = usage();
  EXPECT_EQ(found.interfaces.size(), 1U);
  EXPECT_EQ(found.in.growth.whole, 55U) << "whatever the limit";
  EXPECT_DOUBLE_EQ(found.in.max, 7.0 / 60);
  EXPECT_EQ(found.out.growth.whole, 600U);
}

}  // namespace
}  // namespace varve::language::usage
