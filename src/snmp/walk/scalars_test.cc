// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "snmp/walk/testing/walked.h"
#include "snmp/walk/walk.h"

namespace varve::snmp::walk {
namespace {

inventory::Oidset scalars(std::size_t count) {
  inventory::Oidset set{.name = "scalars", .frequency_ms = 1000};
  for (std::size_t i = 0; i < count; ++i) {
    const auto number = static_cast<std::uint32_t>(i + 1);
    set.objects.push_back({.name = "s" + std::to_string(i + 1),
                           .oid = {1, 3, 6, 1, 4, 1, 9, number, 0},
                           .type = inventory::ObjectType::gauge32});
  }
  return set;
}

TEST(WalkScalarsTest, ScalarsAreGotManyAtATimeWithTheUptime) {
  const auto plan = make_plan(scalars(70), {});
  for (const session::Version version : {session::Version::v1, session::Version::v2c}) {
    Fit fit;
    testing::FakeAgent agent;
    agent.is_v1 = version == session::Version::v1;
    agent.too_big_above = 20;
    agent.set(testing::kUptimeOid, {testing::Kind::ticks, 9});
    for (Arc i = 1; i <= 70; ++i) {
      if (i != 33 && i != 70) agent.set({1, 3, 6, 1, 4, 1, 9, i, 0}, {testing::Kind::gauge32, i});
    }
    const testing::Walked walked = testing::run(*plan, fit, agent, version);
    EXPECT_EQ(walked.text, "no such object: s33");
    EXPECT_FALSE(walked.broken);
    EXPECT_EQ(walked.notes.scalars.size(), 68U);
    EXPECT_EQ(walked.notes.scalars.back(), "s69=69");
    EXPECT_EQ(walked.notes.uptimes.size(), 1U);
    EXPECT_EQ(fit.scalars, 16);
  }
}

TEST(WalkScalarsTest, AnAgentWithoutAnyOfTheScalarsIsDoneWith) {
  const auto plan = make_plan(scalars(3), {});
  for (const session::Version version : {session::Version::v1, session::Version::v2c}) {
    Fit fit;
    testing::FakeAgent agent;
    agent.is_v1 = version == session::Version::v1;
    const testing::Walked walked = testing::run(*plan, fit, agent, version);
    EXPECT_EQ(walked.fault, Fault::no_such_object);
    EXPECT_FALSE(walked.broken);
    EXPECT_LT(walked.requests, 10);
  }
}

TEST(WalkScalarsTest, AScalarUnderAnotherNameIsNoAnswer) {
  const auto plan = make_plan(scalars(1), {});
  Fit fit;
  testing::FakeAgent agent;
  agent.set({1, 3, 6, 1, 4, 1, 9, 1, 0}, {testing::Kind::gauge32, 1});
  const ArcVector other{1, 3, 6, 1, 4, 1, 9, 2, 0};
  std::vector<session::Binding> bindings;
  const testing::Walked walked =
      testing::run(*plan, fit, agent, session::Version::v2c, [&](const session::Request&, session::Answer answer) {
        bindings.assign(answer.bindings.begin(), answer.bindings.end());
        bindings.back().name = other;
        answer.bindings = bindings;
        return answer;
      });
  EXPECT_EQ(walked.fault, Fault::malformed);
  EXPECT_TRUE(walked.notes.scalars.empty());
}

}  // namespace
}  // namespace varve::snmp::walk
