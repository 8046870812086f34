// SPDX-License-Identifier: Apache-2.0
#include "write/tenant_targets.h"

#include <gtest/gtest.h>

#include "write/testing/fake_stores.h"

namespace varve::write {
namespace {

class TenantTargetsTest : public ::testing::Test {
 protected:
  testing::FakeSeriesStore series;
  testing::FakeSampleStore samples;
  Writer writer{series, samples, {}};

  void add(TenantTargets& targets, std::string_view tenant) {
    const auto target = targets.of(tenant);
    ASSERT_TRUE(target);
    const std::string_view metric = "m";
    auto* group = target->groups->find("m{}", {});
    if (group == nullptr) group = target->groups->define("m{}", {}, {{"a", "b"}}, {&metric, 1}).value();
    target->batch->add(*group, 1, model::Value::of_long(1));
  }
};

TEST_F(TenantTargetsTest, OneBatchForEachTenant) {
  TenantTargets targets(writer, Family::opentsdb, "own");
  add(targets, "");
  add(targets, "other");
  add(targets, "own");
  int calls = 0;
  targets.commit([&](const Status& status) {
    ++calls;
    EXPECT_TRUE(status);
  });
  EXPECT_EQ(series.tenant_calls, 2U);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(samples.appended, 3U);
  EXPECT_EQ(targets.bytes(), 0U);
}

TEST_F(TenantTargetsTest, TellsTheFirstErrorOnce) {
  TenantTargets targets(writer, Family::opentsdb, "own");
  add(targets, "a");
  add(targets, "b");
  samples.refuse = true;
  int calls = 0;
  targets.commit([&](const Status& status) {
    ++calls;
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, Code::unavailable);
  });
  EXPECT_EQ(calls, 1);
}

TEST_F(TenantTargetsTest, RefusesWhatIsNoTenant) {
  TenantTargets targets(writer, Family::opentsdb, "");
  EXPECT_EQ(targets.of("").error().code, Code::invalid);
  EXPECT_EQ(targets.of("a/b").error().code, Code::invalid);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(targets.of("t" + std::to_string(i)));
  EXPECT_EQ(targets.of("one.more").error().code, Code::invalid);
}

TEST_F(TenantTargetsTest, ATenantTooManyIsRefusedPointByPoint) {
  Writer limited(series, samples, {.tenants_max = 1});
  TenantTargets first(limited, Family::opentsdb, "own");
  add(first, "");
  first.commit([](const Status& status) { EXPECT_TRUE(status); });
  TenantTargets targets(limited, Family::opentsdb, "own");
  add(targets, "");
  const auto other = targets.of("other");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, Code::limit);
  targets.commit([](const Status& status) { EXPECT_TRUE(status); });
  EXPECT_EQ(samples.appended, 2U);
}

}  // namespace
}  // namespace varve::write
