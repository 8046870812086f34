// SPDX-License-Identifier: Apache-2.0
// A step fails, and does not end the process: nothing that was acknowledged is missing afterwards, whatever follows.
#include <gtest/gtest.h>

#include <set>

#include "engine/rocksdb/testing/child.h"
#include "engine/rocksdb/testing/directory.h"
#include "engine/rocksdb/testing/records.h"
#include "engine/rocksdb/testing/steps.h"

namespace varve::engine::rocksdb {
namespace {

using model::Timestamp;
using model::Value;
using storage::testing::Fixture;
using storage::testing::OwnedValue;
using storage::testing::Samples;
using testing::StoreAt;

class Failure : public ::testing::Test {
 protected:
  Failure() {
    options.path = directory.path();
    options.at_step = [this](std::string_view step) { return at(step); };
  }

  void open() {
    engine.emplace(options, clock);
    store.emplace(*engine);
    group = store->group({"m"});
  }
  void close() {
    store.reset();
    engine.reset();
  }
  // What is in RocksDB's memory alone is lost, as with the process.
  void restart() {
    close();
    open();
  }
  // From the step `after` on, `step` fails.
  void arm(std::string after, std::string step) {
    armed_after = std::move(after);
    armed = std::move(step);
  }
  void mend() { failing.clear(); }
  void put(Timestamp time) {
    ASSERT_TRUE(store->put(*group, time, {Value::of_long(time)}));
    want[time] = OwnedValue(Value::of_long(time));
  }
  Status settle() {
    const auto report = engine->samples().settle();
    return report ? Status{} : fail(report.error());
  }
  // Everything goes into the database, nothing else is done.
  void spill() {
    failing.insert("merge.begin");
    (void)settle();
    failing.erase("merge.begin");
  }
  Samples read() { return store->read("m"); }

  const testing::TemporaryDirectory directory;
  const SystemClock clock;
  Options options = testing::options_at_rest({});
  std::optional<StoreAt> engine;
  std::optional<Fixture> store;
  storage::testing::Group* group = nullptr;
  Samples want;
  std::set<std::string> failing;

 private:
  Status at(std::string_view step) {
    if (!own.has(step)) return {};
    if (step == armed_after) {
      failing.insert(armed);
      armed_after.clear();
    }
    return failing.contains(std::string(step)) ? fail(Code::unavailable, "no space") : Status{};
  }
  const testing::OwnSteps own;
  std::string armed_after, armed;
};

// A merged run that was not flushed is in RocksDB's memory all the same, and becomes durable with whatever is flushed
// next. So it must be published first, and its number must never be drawn again.
TEST_F(Failure, of_a_merge_loses_nothing) {
  for (const char* step : {"merge.written", "commit.write", "commit.flush", "commit.flushed", "merge.committed",
                           "merge.published", "blocks.write"}) {
    SCOPED_TRACE(step);
    restart();
    const auto next = static_cast<Timestamp>(1000 * want.size());
    put(next);
    spill();
    put(next + 1);
    arm("merge.begin", step);
    EXPECT_EQ(bool(settle()), std::string_view(step) == "blocks.write") << "one small batch: the commit writes it";
    EXPECT_EQ(read(), want);
    mend();
    put(next + 2);
    spill();
    EXPECT_EQ(read(), want);
    restart();
    EXPECT_EQ(read(), want);
  }
  ASSERT_TRUE(settle());
  EXPECT_EQ(read(), want);
  close();
  auto records = testing::count_records(directory.path());
  EXPECT_EQ(records['r'], 1);
  EXPECT_EQ(records['B'], 1) << "blocks without a run";
  EXPECT_EQ(records['g'], 0);
}

// A process that dies before the blocks of merged runs are erased, or before a run is committed, leaves blocks without
// a run; so does a failure. The next start finds them.
TEST_F(Failure, leaves_no_blocks_behind) {
  open();
  for (int i = 0; i < 2; ++i) {
    put(i);
    spill();
  }
  arm("merge.begin", "commit.write");
  EXPECT_FALSE(settle());
  mend();
  close();
  auto records = testing::count_records(directory.path());
  EXPECT_EQ(records['B'], 2);
  open();
  arm("merge.begin", "merge.published");
  EXPECT_FALSE(settle());
  mend();
  close();
  records = testing::count_records(directory.path());
  EXPECT_EQ(records['r'], 1);
  EXPECT_EQ(records['g'] + 1, records['B']) << "each block without a run is known as such";
  open();
  put(5);
  spill();
  ASSERT_TRUE(settle());
  EXPECT_EQ(read(), want);
  close();
  records = testing::count_records(directory.path());
  EXPECT_EQ(records['r'], 1);
  EXPECT_EQ(records['B'], 1);
  EXPECT_EQ(records['g'], 0);
}

}  // namespace
}  // namespace varve::engine::rocksdb
