// SPDX-License-Identifier: Apache-2.0
#include "snmp/inventory/inventory_store.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <thread>

#include "snmp/inventory/status_board.h"
#include "storage/testing/memory_texts.h"

namespace varve::snmp::inventory {
namespace {

class InventoryTexts : public ::testing::Test {
 protected:
  static Result<InventoryStore::Edited> put(InventoryStore& store, const std::string& name,
                                            const std::string& address) {
    return store.change("t", false, [&](Inventory& inventory, Faults&) {
      inventory.devices.insert_or_assign(name, Device{.name = name, .address = address});
    });
  }
  static std::string address_in(InventoryStore& store, const std::string& name) {
    const auto inventory = store.of("t");
    const auto found = inventory->devices.find(name);
    return found == inventory->devices.end() ? "none" : found->second.address;
  }

  storage::testing::MemoryTexts texts_;
  TaskPool pool_{2};
  ManualClock clock_;
  InventoryStore one_{texts_, pool_, clock_}, other_{texts_, pool_, clock_};
};

TEST_F(InventoryTexts, a_device_names_a_credential_of_its_tenant) {
  KnownCredentials known;
  InventoryStore store(texts_, pool_, clock_, &known);
  const auto put_with = [&](const std::string& name, const std::string& address, const std::string& credential,
                            bool active = true) {
    const auto edited = store.change("t", true, [&](Inventory& to, Faults&) {
      to.devices[name] = Device{.name = name, .address = address, .credential = credential, .active = active};
    });
    return joined(edited->faults);
  };
  EXPECT_EQ(put_with("a", "h", "any"), "") << "this process has no file of them";
  Credentials credentials;
  credentials["mine"].tenants = {"t"};
  credentials["everybodys"].tenants = {"*"};
  credentials["anothers"].tenants = {"u"};
  known.set(credentials);
  EXPECT_EQ(put_with("a", "h", "mine"), "");
  EXPECT_EQ(put_with("a", "h", "everybodys"), "");
  EXPECT_EQ(put_with("a", "h", "anothers"),
            "devices.a.credential: there is no credential \"anothers\" for this tenant");
  EXPECT_EQ(put_with("a", "h", "nobodys"), "devices.a.credential: there is no credential \"nobodys\" for this tenant");
  EXPECT_EQ(put_with("a", "h", "default"), "devices.a.credential: there is no credential \"default\" for this tenant");
  // What was there when its credential went may be switched off, but not sent elsewhere.
  ASSERT_TRUE(put(one_, "old", "h"));
  EXPECT_EQ(put_with("old", "h", "default", false), "");
  EXPECT_NE(put_with("old", "g", "default"), "");
}

TEST_F(InventoryTexts, changes_reach_other_replicas) {
  ASSERT_TRUE(other_.refresh());
  ASSERT_TRUE(put(one_, "a", "1"));
  EXPECT_EQ(address_in(other_, "a"), "none");
  ASSERT_TRUE(other_.refresh());
  EXPECT_EQ(address_in(other_, "a"), "1");
  ASSERT_TRUE(put(other_, "a", "2"));
  ASSERT_TRUE(put(other_, "a", "3"));
  ASSERT_TRUE(one_.refresh());
  EXPECT_EQ(address_in(one_, "a"), "3");
  EXPECT_EQ(texts_.text_names("", "_snmp_inventory")->size(), 1U);
  ASSERT_TRUE(one_.change("t", false, [](Inventory& inventory, Faults&) { inventory.devices.clear(); }));
  ASSERT_TRUE(other_.refresh());
  EXPECT_EQ(address_in(other_, "a"), "none");
  EXPECT_TRUE(texts_.text_names("", "_snmp_inventory")->empty());
}

TEST_F(InventoryTexts, a_change_is_told_before_it_is_over) {
  std::shared_ptr<const Inventories> told, told_other;
  one_.listen([&](auto inventories) { told = std::move(inventories); });
  other_.listen([&](auto inventories) { told_other = std::move(inventories); });
  ASSERT_TRUE(put(one_, "a", "1"));
  EXPECT_EQ(told, one_.all());
  EXPECT_EQ(told->at("t")->devices.at("a").address, "1");
  ASSERT_TRUE(other_.refresh());
  EXPECT_EQ(told_other, other_.all());
}

// The text is there, and the revision is as it was.
TEST_F(InventoryTexts, a_writer_that_died_is_seen_after_a_minute) {
  ASSERT_TRUE(put(one_, "a/b", "1"));
  const auto names = texts_.text_names("", "_snmp_inventory");
  ASSERT_EQ(names->size(), 1U);
  storage::TextName next = names->front();
  next.key.replace(next.key.size() - 24, 24,
                   "0000000000000009"
                   "00000000");
  ASSERT_TRUE(texts_.put_text(next, R"({"address":"2"})"));
  ASSERT_TRUE(one_.refresh());
  EXPECT_EQ(address_in(one_, "a/b"), "1");
  clock_.advance_ms(61'000);
  ASSERT_TRUE(one_.refresh());
  EXPECT_EQ(address_in(one_, "a/b"), "2");
  // The next change erases both versions.
  ASSERT_TRUE(put(one_, "a/b", "3"));
  EXPECT_EQ(texts_.text_names("", "_snmp_inventory")->size(), 1U);
  ASSERT_TRUE(other_.refresh());
  EXPECT_EQ(address_in(other_, "a/b"), "3");
}

TEST_F(InventoryTexts, what_is_malformed_is_passed_over) {
  ASSERT_TRUE(texts_.put_text({"", "_snmp_inventory", "t", "d/x/" + std::string(24, '0')}, "{"));
  ASSERT_TRUE(texts_.put_text({"", "_snmp_inventory", "t", "d/y/" + std::string(24, '0')}, R"({"address":"1"})"));
  ASSERT_TRUE(texts_.put_text({"", "_snmp_inventory", "t", "z"}, "{}"));
  ASSERT_TRUE(one_.refresh());
  EXPECT_EQ(one_.of("t")->devices.size(), 1U);
}

// Old faults stand in nobody's way; new ones change nothing.
TEST_F(InventoryTexts, faults) {
  ASSERT_TRUE(texts_.put_text({"", "_snmp_inventory", "t", "d/x/" + std::string(24, '0')},
                              R"({"address":"1","oidsets":["gone"]})"));
  EXPECT_TRUE(put(one_, "a", "1")->faults.empty());
  EXPECT_EQ(put(one_, "b", "")->faults, Faults{"devices.b.address: it is missing"});
  EXPECT_EQ(address_in(one_, "b"), "none");
}

TEST_F(InventoryTexts, threads_change_it_together) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) {
        InventoryStore& store = t % 2 == 0 ? one_ : other_;
        EXPECT_TRUE(put(store, std::to_string(t) + "/" + std::to_string(i), "h"));
        EXPECT_TRUE(put(store, "all", std::to_string(t)));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_TRUE(one_.refresh());
  ASSERT_TRUE(other_.refresh());
  EXPECT_EQ(one_.of("t")->devices.size(), 81U);
  EXPECT_EQ(*one_.of("t"), *other_.of("t"));
}

class PassingInMemory final : public storage::PassingTexts {
 public:
  Status put_passing_text(const storage::TextName& name, std::string_view text, std::chrono::seconds) override {
    texts_[name.key] = text;
    return {};
  }
  Result<std::optional<std::string>> passing_text(const storage::TextName& name) const override {
    const auto found = texts_.find(name.key);
    return found == texts_.end() ? std::nullopt : std::optional(found->second);
  }
  std::map<std::string, std::string> texts_;
};

TEST(StatusBoard, replicas_tell_each_other) {
  PassingInMemory passing;
  StatusBoard one(&passing), other(&passing), third(&passing);
  for (int i = 0; i < 300; ++i) {
    (i % 2 == 0 ? one : other).report("t", std::to_string(i), {DeviceState::up, 1000 + i, "", 3});
  }
  one.report("t", "x", {DeviceState::down, 5, "timed \"out\"", 0, {"F: a", "G: b"}, {1, 2, 3, 4, 5}});
  for (StatusBoard* const board : {&one, &other, &one, &third}) ASSERT_TRUE(board->exchange(10'000));
  EXPECT_EQ(third.find("t", "x"),
            (DeviceStatus{DeviceState::down, 5, "timed \"out\"", 0, {"F: a", "G: b"}, {1, 2, 3, 4, 5}}));
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(third.find("t", std::to_string(i)).last_poll, 1000 + i);
    EXPECT_EQ(one.find("t", std::to_string(i)).last_poll, 1000 + i);
  }
  EXPECT_EQ(third.find("u", "x"), DeviceStatus());
  // The device moves: the newest poll counts.
  one.forget("t", "x");
  other.report("t", "x", {DeviceState::up, 9, "", 4});
  for (StatusBoard* const board : {&other, &one, &third}) ASSERT_TRUE(board->exchange(10'000));
  EXPECT_EQ(third.find("t", "x").state, DeviceState::up);
  EXPECT_EQ(one.find("t", "x").state, DeviceState::up);
  // What nobody has polled for two days is forgotten.
  for (StatusBoard* const board : {&one, &third}) ASSERT_TRUE(board->exchange(2 * model::kDayMs + 1010));
  EXPECT_EQ(third.find("t", "x"), DeviceStatus());
  EXPECT_EQ(third.find("t", "2").state, DeviceState::unknown);
  EXPECT_EQ(third.find("t", "290").state, DeviceState::up);
  passing.texts_["7"] = "{";
  EXPECT_FALSE(one.exchange(10'000));
}

}  // namespace
}  // namespace varve::snmp::inventory
