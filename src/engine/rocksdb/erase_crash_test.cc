// SPDX-License-Identifier: Apache-2.0
// Death at each step of a delete: at the next start a stretch of time is erased or it is not, and samples and windows
// of all granularities agree; what was not to be erased is there. Made again, the delete finishes.
#include <gtest/gtest.h>

#include <cstdlib>

#include "engine/rocksdb/testing/child.h"
#include "engine/rocksdb/testing/directory.h"
#include "engine/rocksdb/testing/rollup_store.h"
#include "engine/rocksdb/testing/sums.h"

namespace varve::engine::rocksdb {
namespace {

using model::TimeRange;
using model::Timestamp;
using model::Value;
using storage::testing::Fixture;
using testing::expect_equal;
using testing::kDay;
using testing::kDied;
using testing::kHour;
using testing::kMinute;
using testing::kStart;
using testing::StoreAt;
using testing::Sums;

constexpr TimeRange kAll{kStart, kStart + kDay};
constexpr TimeRange kHole{kStart + 30 * kMinute + 5, kStart + 5 * kHour + 1};

Options erase_options(const std::string& path) {
  Options o;
  o.path = path;
  o.rollups.levels = {{5 * kMinute, rollup::kForEver}, {kHour, rollup::kForEver}, {kDay, rollup::kForEver}};
  o.slot_quiet_ms = 1000 * kDay;
  o.merge_quiet_ms = 1000 * kDay;
  return o;
}

void put_all(Fixture& store) {
  const auto pair = store.group({"goes", "stays"});
  model::RowBatch batch;
  for (Timestamp t = 0; t < kDay; t += 10 * kMinute) {
    batch.add(pair->line, kStart + t, std::vector{Value::of_long(t), Value::of_long(-t)});
  }
  if (!store.append(batch)) ::_exit(1);
}

Status erase(StoreAt& engine, Fixture& store) {
  const auto report = engine.samples().erase(store.tenant(), store.find("goes"), kHole, nullptr);
  if (!report) return fail(report.error());
  return {};
}

TEST(EraseChild, DISABLED_works_and_dies) {
  const char* path = std::getenv("VARVE_CRASH_PATH");
  ASSERT_NE(path, nullptr);
  const std::string step = std::getenv("VARVE_CRASH_STEP");
  auto options = erase_options(path);
  options.at_step = [&](std::string_view name) {
    if (name == step) ::_exit(kDied);
    return Status{};
  };
  const ManualClock clock(kStart + 2 * kDay);
  StoreAt engine(options, clock);
  Fixture store(engine);
  put_all(store);
  if (!engine.samples().settle()) ::_exit(2);
  // Some of it is still in memory, and late.
  put_all(store);
  (void)erase(engine, store);
  ::_exit(3);  // never came there
}

Sums sums_of(StoreAt& engine, Fixture& store, const std::string& metric, std::int64_t width, bool windows) {
  testing::SumSink sink(width, kAll);
  storage::ScanOptions scan;
  scan.range = kAll;
  scan.windows = windows;
  EXPECT_TRUE(engine.samples().scan(store.tenant(), store.find(metric), scan, sink));
  return sink.sums;
}

class EraseCrash : public ::testing::TestWithParam<const char*> {};

TEST_P(EraseCrash, all_or_nothing) {
  const std::string step = GetParam();
  const bool done = step == "erase.committed" || step == "erase.published";
  const testing::TemporaryDirectory directory;
  ASSERT_EQ(testing::run_child("EraseChild.*", {{"VARVE_CRASH_PATH", directory.path()}, {"VARVE_CRASH_STEP", step}}),
            kDied);
  const ManualClock clock(kStart + 2 * kDay);
  StoreAt engine(erase_options(directory.path()), clock);
  Fixture store(engine);
  const auto check = [&](bool erased) {
    for (const std::int64_t width : {5 * kMinute, kHour, kDay}) {
      SCOPED_TRACE(width);
      Sums want;
      Sums want_stays;
      for (Timestamp t = 0; t < kDay; t += 10 * kMinute) {
        const auto v = static_cast<double>(t);
        want_stays[model::window_start(kStart + t, width)].add(kStart + t, 1, -v, -v, -v);
        if (erased && kHole.contains(kStart + t)) continue;
        want[model::window_start(kStart + t, width)].add(kStart + t, 1, v, v, v);
      }
      for (const bool windows : {false, true}) {
        expect_equal(sums_of(engine, store, "goes", width, windows), want);
        expect_equal(sums_of(engine, store, "stays", width, windows), want_stays);
      }
    }
  };
  {
    SCOPED_TRACE("started again");
    check(done);
  }
  ASSERT_TRUE(engine.samples().settle());
  {
    SCOPED_TRACE("settled");
    check(done);
  }
  ASSERT_TRUE(erase(engine, store));
  check(true);
  ASSERT_TRUE(engine.samples().settle());
  check(true);
}

INSTANTIATE_TEST_SUITE_P(Steps, EraseCrash,
                         ::testing::Values("erase.begin", "erase.written", "erase.committed", "erase.published"),
                         testing::name_of_step);

}  // namespace
}  // namespace varve::engine::rocksdb
