// SPDX-License-Identifier: Apache-2.0
#include "snmp/inventory/history.h"

#include <gtest/gtest.h>

#include <random>

#include "snmp/inventory/history_expiry.h"
#include "snmp/inventory/history_store.h"
#include "snmp/inventory/history_text.h"
#include "snmp/inventory/inventory.h"
#include "storage/testing/memory_texts.h"

namespace varve::snmp::inventory {
namespace {

constexpr auto kKind = HistoryKind::saps;  // three attributes

HistoryRow seen_row(std::string name, std::string description, std::int64_t policy = 1) {
  return {.name = std::move(name), .attributes = {std::move(description), policy, {}}, .begin = 0, .end = {}};
}

class History : public ::testing::Test {
 protected:
  void record(model::Timestamp time, std::vector<HistoryRow> rows, bool is_complete = true) {
    ASSERT_TRUE(store_.record_walk("t", "d/1", kKind, time, is_complete, std::move(rows)));
  }
  // "a=one[10,20) a=two[20,)"
  std::string shown(model::TimeRange range = {}) {
    const auto rows = store_.rows("t", "d/1", kKind, range);
    if (!rows) return rows.error().message;
    std::string out;
    for (const HistoryRow& row : *rows) {
      out += (out.empty() ? "" : " ") + row.name + "=" + std::get<std::string>(row.attributes[0]) + "[" +
             std::to_string(row.begin) + "," + (row.end ? std::to_string(*row.end) : "") + ")";
    }
    return out;
  }

  storage::testing::MemoryTexts texts_;
  HistoryStore store_{texts_};
};

TEST_F(History, closes_and_opens) {
  record(10, {seen_row("a", "one"), seen_row("b", "one")});
  record(20, {seen_row("a", "one"), seen_row("b", "one")});
  EXPECT_EQ(shown(), "a=one[10,) b=one[10,)");
  record(30, {seen_row("a", "two"), seen_row("b", "one")});
  EXPECT_EQ(shown(), "a=one[10,30) b=one[10,) a=two[30,)");
  record(40, {seen_row("b", "one")}, false);  // cut
  record(40, {}, false);                      // failed
  EXPECT_EQ(shown(), "a=one[10,30) b=one[10,) a=two[30,)");
  record(50, {seen_row("b", "one", 2), seen_row("b", "ignored")});
  EXPECT_EQ(shown(), "a=one[10,30) b=one[10,50) a=two[30,50) b=one[50,)");
  record(50, {seen_row("late", "x")});
  record(45, {});
  EXPECT_EQ(shown({35, 50}), "b=one[10,50) a=two[30,50)");
  record(60, {});
  EXPECT_EQ(shown({60, 100}), "");
  EXPECT_EQ(shown({59, 60}), "b=one[50,60)");
  record(70, {seen_row("a", "two")});
  EXPECT_EQ(shown({60, 100}), "a=two[70,)");
}

TEST_F(History, is_gone_on_with_by_others) {
  record(10, {seen_row("a", "one")});
  HistoryStore other(texts_);
  ASSERT_TRUE(other.record_walk("t", "d/1", kKind, 20, true, {seen_row("a", "two")}));
  record(30, {seen_row("a", "three")});  // this one did not see the second walk
  EXPECT_EQ(shown(), "a=one[10,20) a=two[20,30) a=three[30,)");
  store_.release("t", "d/1");
  record(40, {seen_row("a", "three")});
  EXPECT_EQ(shown(), "a=one[10,20) a=two[20,30) a=three[30,)");
  // A device whose name begins like this one's, other tenants.
  ASSERT_TRUE(store_.record_walk("t", "d", kKind, 50, true, {seen_row("a", "other")}));
  ASSERT_TRUE(store_.record_walk("u", "d/1", kKind, 50, true, {seen_row("a", "other")}));
  EXPECT_EQ(shown({40, 100}), "a=three[30,)");
}

TEST_F(History, survives_a_writer_that_died) {
  record(10, {seen_row("a", "one")});
  const storage::TextName part{"", "_snmp_history/t/d/1", "saps", "00000001"};
  const HistoryRow later{.name = "a", .attributes = {"two", 1, {}}, .begin = 20, .end = {}};
  ASSERT_TRUE(texts_.put_text(part, history_text({&later, 1})));
  EXPECT_EQ(shown(), "a=one[10,20) a=two[20,)");
  store_.release("t", "d/1");
  record(30, {});
  EXPECT_EQ(shown(), "a=one[10,20) a=two[20,30)");
}

TEST_F(History, says_what_is_malformed) {
  ASSERT_TRUE(texts_.put_text({"", "_snmp_history/t/d/1", "saps", "00000000"}, "[[1]]"));
  EXPECT_EQ(shown(), "part 0 of _snmp_history/t/d/1 is malformed");
  EXPECT_FALSE(store_.record_walk("t", "d/1", kKind, 5, true, {}));
}

TEST_F(History, a_state_that_flaps_begins_few_rows) {
  const auto interface = [](std::int64_t state, const std::string& alias) {
    HistoryRow row{.name = "e0", .attributes = {}, .begin = 0, .end = {}};
    row.attributes.resize(attributes_of(HistoryKind::interfaces).size());
    row.attributes[2] = alias;
    row.attributes[7] = state;
    return row;
  };
  const auto record_one = [&](model::Timestamp time, const HistoryRow& row) {
    const auto changed = store_.record_walk("t", "d/1", HistoryKind::interfaces, time, true, {row});
    ASSERT_TRUE(changed);
  };
  const auto rows = [&] { return *store_.rows("t", "d/1", HistoryKind::interfaces, {}); };
  record_one(1, interface(1, "a"));
  record_one(2, interface(2, "a"));
  EXPECT_EQ(rows().size(), 2U) << "a change now and then is seen at once";
  model::Timestamp time = 1000;
  for (int i = 0; i < 3600; ++i) record_one(time += 1000, interface(i % 2, "a"));
  EXPECT_LE(rows().size(), 2 + kFlapsAtOnce + 2 * 3600 / 300);
  EXPECT_GE(rows().size(), kFlapsAtOnce);
  // Another attribute is no state.
  const std::size_t before = rows().size();
  record_one(time += 1000, interface(1, "b"));
  record_one(time += 1000, interface(1, "c"));
  EXPECT_EQ(rows().size(), before + 2);
  // What it comes to at last is there after the pause.
  record_one(time += 1000, interface(2, "c"));
  record_one(time += kFlapPauseMs, interface(2, "c"));
  EXPECT_EQ(rows().back().attributes[7], Attribute(2));
}

TEST_F(History, is_kept_so_long) {
  record(10, {seen_row("a", "one"), seen_row("b", "one")});
  record(20, {seen_row("a", "two"), seen_row("b", "one")});
  record(30, {seen_row("a", "three"), seen_row("b", "one")});
  EXPECT_FALSE(*store_.expire("t", "d/1", 20));
  EXPECT_TRUE(*store_.expire("t", "d/1", 21));
  EXPECT_EQ(shown(), "b=one[10,) a=two[20,30) a=three[30,)") << "what still is stays";
  record(40, {seen_row("a", "four"), seen_row("b", "one")});
  EXPECT_EQ(shown(), "b=one[10,) a=two[20,30) a=three[30,40) a=four[40,)");
  EXPECT_TRUE(*store_.expire("t", "d/1", 1000));
  EXPECT_FALSE(*store_.expire("t", "d/1", 1000));
  EXPECT_EQ(shown(), "b=one[10,) a=four[40,)");
}

TEST_F(History, expires_of_each_device_once_a_day) {
  auto inventory = std::make_shared<Inventory>();
  for (int i = 0; i < 3000; ++i) {
    const std::string name = "r" + std::to_string(i);
    inventory->devices.emplace(name, Device{.name = name});
  }
  inventory->devices.emplace("d/1", Device{.name = "d/1"});
  const Inventories inventories{{"t", inventory}, {"u", inventory}};
  HistoryExpiry expiry(store_, 1000);
  record(10, {seen_row("a", "one")});
  record(20, {seen_row("a", "two")});
  model::Timestamp now_ms = 5000;
  for (std::size_t i = 0; i < HistoryExpiry::kTurns + 2; ++i) ASSERT_TRUE(expiry.turn(inventories, now_ms));
  EXPECT_EQ(shown(), "a=two[20,)");
  record(30, {seen_row("a", "three")});
  for (std::size_t i = 0; i < HistoryExpiry::kTurns + 2; ++i)
    ASSERT_TRUE(expiry.turn(inventories, now_ms + model::kDayMs - 1));
  EXPECT_EQ(shown(), "a=two[20,30) a=three[30,)");
  for (std::size_t i = 0; i < HistoryExpiry::kTurns + 2; ++i)
    ASSERT_TRUE(expiry.turn(inventories, now_ms + model::kDayMs));
  EXPECT_EQ(shown(), "a=three[30,)");
}

// Random walks, against a plain map. Enough rows for several parts.
TEST_F(History, is_that_of_a_model) {
  std::mt19937 random(18);
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  std::vector<HistoryRow> model;
  std::map<std::string, std::size_t> open;  // places in model
  for (model::Timestamp time = 1; time < 60; ++time) {
    const bool is_complete = below(5) != 0;
    std::map<std::string, HistoryRow> now;
    for (unsigned i = 0; i < 400; ++i) {
      if (below(40) == 0) continue;
      const std::string name = "if-" + std::to_string(i) + std::string(200, 'x');
      now.emplace(name, seen_row(name, "v" + std::to_string(below(12) == 0 ? time : 0)));
    }
    std::vector<HistoryRow> rows;
    for (const auto& [name, row] : now) rows.push_back(row);
    std::ranges::shuffle(rows, random);
    record(time, rows, is_complete);
    if (below(6) == 0) store_.release("t", "d/1");
    if (!is_complete) continue;
    for (auto at = open.begin(); at != open.end();) {
      const auto found = now.find(at->first);
      HistoryRow& row = model[at->second];
      if (found != now.end() && found->second.attributes == row.attributes) {
        ++at;
        continue;
      }
      row.end = time;
      at = open.erase(at);
    }
    for (auto& [name, row] : now) {
      if (open.contains(name)) continue;
      open[name] = model.size();
      model.push_back(row);
      model.back().begin = time;
    }
  }
  auto stored = store_.rows("t", "d/1", kKind, {});
  ASSERT_TRUE(stored);
  const auto by_name = [](const HistoryRow& row) { return std::pair(row.name, row.begin); };
  std::ranges::sort(*stored, {}, by_name);
  std::ranges::sort(model, {}, by_name);
  for (std::size_t i = 0; i < std::min(model.size(), stored->size()); ++i) {
    ASSERT_EQ((*stored)[i], model[i]) << model[i].name.substr(0, 8) << " " << model[i].begin << " "
                                      << model[i].end.value_or(-1) << ", not " << (*stored)[i].begin << " "
                                      << (*stored)[i].end.value_or(-1);
  }
  EXPECT_EQ(stored->size(), model.size());
  const auto parts = texts_.text_keys("", "_snmp_history/t/d/1", "saps", "");
  ASSERT_TRUE(parts);
  EXPECT_GT(parts->size(), 3U);
}

TEST(HistoryRows, of_interfaces) {
  const Oidset& set = *find_oidset({}, "IfRefPoll");
  const auto walked = [&](Oid index, std::string name, std::map<std::string, Attribute> values) {
    WalkedRow row{.index = std::move(index), .name = std::move(name), .values = {}};
    for (const Object& object : set.objects) row.values.push_back(values[object.name]);
    return row;
  };
  const auto rows = history_rows(
      set, std::vector<WalkedRow>{walked({7}, "xe-0/0/0",
                                         {{"ifDescr", "x\xff"},
                                          {"ifPhysAddress", std::string("\x8c\x90\xd3\x90\x99\x69")},
                                          {"ifSpeed", 4294967295}}),
                                  walked({8}, "lo", {{"ifPhysAddress", std::string()}}), walked({9}, "lo", {}),
                                  walked({10, 0, 0, 9}, "", {{"ipAdEntIfIndex", 7}}),
                                  walked({9, 0, 0, 9}, "", {{"ipAdEntIfIndex", 7}})});
  ASSERT_EQ(rows.size(), 2U);
  std::map<std::string_view, Attribute> first;
  for (std::size_t i = 0; i < rows[0].attributes.size(); ++i) {
    first[attributes_of(HistoryKind::interfaces)[i]] = rows[0].attributes[i];
  }
  EXPECT_EQ(rows[0].name, "xe-0/0/0");
  EXPECT_EQ(first["ifIndex"], Attribute(7));
  EXPECT_EQ(first["ifDescr"], Attribute("x\xef\xbf\xbd"));
  EXPECT_EQ(first["ifPhysAddress"], Attribute("8c:90:d3:90:99:69"));
  EXPECT_EQ(first["ifSpeed"], Attribute(4294967295));
  EXPECT_EQ(first["ipAddr"], Attribute("9.0.0.9"));
  EXPECT_EQ(first["ifAlias"], Attribute());
  EXPECT_EQ(rows[1].attributes[9], Attribute());  // an empty address
}

TEST(HistoryRows, of_others) {
  const Oidset& alu = *find_oidset({}, "ALUIfRefPoll");
  WalkedRow row{.index = {3}, .name = "1/1/1", .values = {std::string("1/1/1, 10-Gig, \"to Oslo\"")}};
  EXPECT_EQ(history_rows(alu, std::vector{row})[0].attributes[2], Attribute("to Oslo"));
  const Oidset& lsps = *find_oidset({}, "LSPOpStatus");  // State, To, From
  row = {.index = {1}, .name = "l", .values = {2, std::string("10.0.0.2"), std::string("10.0.0.1")}};
  EXPECT_EQ(history_rows(lsps, std::vector{row})[0].attributes,
            (std::vector<Attribute>{std::string("10.0.0.1"), std::string("10.0.0.2"), 2}));
  EXPECT_TRUE(history_rows(*find_oidset({}, "FastPoll"), std::vector{row}).empty());
}

}  // namespace
}  // namespace varve::snmp::inventory
