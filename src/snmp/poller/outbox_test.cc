// SPDX-License-Identifier: Apache-2.0
#include "snmp/poller/outbox.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "write/testing/fake_stores.h"

namespace varve::snmp::poller {
namespace {

class OutboxTest : public ::testing::Test {
 protected:
  static OutboxOptions options(std::size_t bytes_max = std::size_t{1} << 20) {
    return {.bytes_max = bytes_max, .gather = std::chrono::milliseconds(1), .again = std::chrono::milliseconds(1)};
  }
  static correlation::Records row(std::string_view device, std::int64_t value) {
    correlation::GroupName name;
    name.add_tag("device", device);
    name.add_metric("snmp.x");
    name.add_metric("snmp.y");
    const std::int64_t values[] = {value, value + 1};
    correlation::Records records;
    records.add({.at = 1'700'000'000'000 + value}, values, &name);
    return records;
  }

  Counter dropped_;
  write::testing::FakeSeriesStore series_;
  write::testing::FakeSampleStore samples_;
  write::Writer writer_{series_, samples_, {}};
};

TEST_F(OutboxTest, WhatIsPushedIsStoredAndItsGroupDefinedOnce) {
  {
    Outbox outbox(writer_, options(), dropped_);
    for (int i = 0; i < 100; ++i) outbox.push("default", row("a", i));
    outbox.push("acme", row("a", 1));
  }
  EXPECT_EQ(samples_.appended, 202U);
  EXPECT_EQ(series_.groups, 2U);
  EXPECT_EQ(series_.last_tags, (model::Tags{{"device", "a"}}));
  EXPECT_EQ(dropped_.value(), 0U);
}

TEST_F(OutboxTest, WhatTheStoreRefusesWaitsUntilItIsTaken) {
  Outbox outbox(writer_, options(), dropped_);
  samples_.refuse = true;
  for (int i = 0; i < 10; ++i) outbox.push("default", row("a", i));
  while (samples_.appended < 60) std::this_thread::yield();  // tried three times at least
  EXPECT_GT(outbox.bytes(), 0U);
  samples_.appended = 0;
  samples_.refuse = false;
  while (outbox.bytes() > 0) std::this_thread::yield();
  EXPECT_EQ(dropped_.value(), 0U);
}

TEST_F(OutboxTest, AStoreThatDefinesNoGroupIsTriedAgain) {
  Outbox outbox(writer_, options(), dropped_);
  series_.refuse = true;  // tenants: unavailable
  outbox.push("default", row("a", 1));
  while (series_.tenant_calls < 3) std::this_thread::yield();
  EXPECT_EQ(samples_.appended, 0U);
  series_.refuse = false;
  while (outbox.bytes() > 0) std::this_thread::yield();
  EXPECT_EQ(samples_.appended, 2U);
}

TEST_F(OutboxTest, OverItsSizeTheOldestGo) {
  samples_.refuse = true;
  auto outbox = std::make_unique<Outbox>(writer_, options(std::size_t{1} << 20), dropped_);
  correlation::Records many;
  for (int i = 0; i < 2000; ++i) row("a", i).for_each([&](const auto& record) { many.add(record); });
  for (int i = 0; i < 40; ++i) outbox->push("default", many);
  EXPECT_LE(outbox->bytes(), (std::size_t{1} << 20) + many.bytes());
  const auto gone = dropped_.value();
  EXPECT_GT(gone, 0U);
  samples_.appended = 0;
  samples_.refuse = false;
  outbox.reset();
  EXPECT_EQ(dropped_.value(), gone);
  EXPECT_EQ(samples_.appended % (many.samples()), 0U);
}

// A store whose first answer comes when the test gives it.
class SlowStore final : public write::testing::FakeSampleStore {
 public:
  void append(const model::RowBatch& batch, AppendDone done) override {
    if (std::exchange(is_first_, false)) return first.set_value(std::move(done));
    FakeSampleStore::append(batch, std::move(done));
  }
  std::promise<AppendDone> first;

 private:
  bool is_first_ = true;
};

TEST_F(OutboxTest, ARefusalFromBeforeTheEndIsNotTheLastWord) {
  SlowStore slow;
  write::Writer writer(series_, slow, {});
  auto outbox = std::make_unique<Outbox>(writer, options(), dropped_);
  outbox->push("default", row("a", 1));
  auto answer = slow.first.get_future().get();
  outbox->push("default", row("a", 2));
  std::jthread end([&] { outbox.reset(); });
  for (int i = 0; i < 1000; ++i) std::this_thread::yield();  // as a rule it waits by now; either order must do
  answer(fail(Code::unavailable, "the disk is full"));
  end.join();
  EXPECT_EQ(slow.appended, 4U);
  EXPECT_EQ(dropped_.value(), 0U);
}

TEST_F(OutboxTest, ARefusedTagIsDroppedAndTheOthersAreStored) {
  {
    Outbox outbox(writer_, options(), dropped_);
    outbox.push("default", row("", 1));  // an empty value is no tag
    outbox.push("default", row("a", 1));
  }
  EXPECT_EQ(samples_.appended, 2U);
  EXPECT_EQ(dropped_.value(), 2U);
}

}  // namespace
}  // namespace varve::snmp::poller
