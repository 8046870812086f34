// SPDX-License-Identifier: Apache-2.0
#include "tracker/redis/versions.h"

#include <gtest/gtest.h>

#include <future>

#include "tracker/redis/testing/shared.h"

namespace varve::tracker::redis::testing {
namespace {

constexpr model::Timestamp kWeek = 7 * 86'400'000LL;

class VersionsTest : public ::testing::Test {
 protected:
  TenantVersions ask(std::string_view tenant, std::uint64_t since = 0) {
    const VersionsAsked asked{tenant, since};
    auto answer = a.ask({&asked, 1});
    EXPECT_TRUE(answer) << answer.error().message;
    return answer ? answer->at(0) : TenantVersions{};
  }
  void raise(RedisVersions& by, std::vector<model::Timestamp> periods, std::vector<std::string> metrics = {}) {
    const VersionsRaised raised{"t", std::move(periods), std::move(metrics), false};
    ASSERT_TRUE(by.raise({&raised, 1}));
  }
  static std::vector<std::string> names(const TenantVersions& versions) {
    std::vector<std::string> out;
    for (const auto& entry : versions.forgotten) out.push_back(entry.first);
    return out;
  }

  const std::unique_ptr<Link> link_a = fresh_link();
  const std::unique_ptr<Link> link_b = fresh_link(link_a->key(""));
  RedisVersions a{*link_a}, b{*link_b};
};

TEST_F(VersionsTest, NothingWasEverRaised) {
  const auto versions = ask("t");
  EXPECT_TRUE(versions.index.empty());
  EXPECT_TRUE(versions.forgotten.empty());
  EXPECT_EQ(versions.of(0), 0U);
  EXPECT_EQ(versions.latest(), 0U);
  EXPECT_TRUE(a.ask({})->empty());
  EXPECT_TRUE(a.raise(std::span<const VersionsRaised>()));
}

TEST_F(VersionsTest, WhatOneRaisesTheOtherSees) {
  raise(b, {-kWeek, 0});
  const auto first = ask("t");
  ASSERT_EQ(first.index.size(), 2U);
  EXPECT_EQ(first.index[0].first, -kWeek);
  EXPECT_GT(first.of(-kWeek), 1'600'000'000'000'000U) << "the server's time";
  EXPECT_EQ(first.of(-kWeek), first.of(0));
  raise(b, {0});
  const auto second = ask("t");
  EXPECT_EQ(second.of(-kWeek), first.of(-kWeek));
  EXPECT_GT(second.of(0), first.of(0));
  EXPECT_EQ(second.latest(), second.of(0));
  EXPECT_TRUE(ask("other").index.empty());
}

TEST_F(VersionsTest, NumbersAscendWhateverTheClockSays) {
  std::vector<std::uint64_t> numbers;
  for (int i = 0; i < 50; ++i) {
    raise(i % 2 == 0 ? a : b, {0});
    numbers.push_back(ask("t").of(0));
  }
  EXPECT_TRUE(std::ranges::is_sorted(numbers));
  EXPECT_EQ(std::ranges::adjacent_find(numbers), numbers.end());
  Question future = link_a->question();
  future.commands.command({"HSET", link_a->key("versions|t"), "last", "8000000000000000"});
  ASSERT_TRUE(link_a->run(future));
  raise(a, {0});
  EXPECT_EQ(ask("t").of(0), 8'000'000'000'000'001U);
}

TEST_F(VersionsTest, MetricsThatForgotSinceThen) {
  raise(b, {}, {"cpu", "a|b 1"});
  const auto first = ask("t");
  EXPECT_EQ(names(first), (std::vector<std::string>{"a|b 1", "cpu"}));
  EXPECT_TRUE(first.index.empty());
  const std::uint64_t number = first.forgotten[0].second;
  EXPECT_TRUE(ask("t", number).forgotten.empty());
  raise(a, {0}, {"mem"});
  EXPECT_EQ(names(ask("t", number)), std::vector<std::string>{"mem"});
  EXPECT_EQ(names(ask("t")).size(), 3U);
}

TEST_F(VersionsTest, NamesHaveANumberOfTheirOwn) {
  raise(b, {0});
  EXPECT_EQ(ask("t").names, 0U);
  const VersionsRaised raised{"t", {kWeek}, {"m"}, true};
  ASSERT_TRUE(b.raise({&raised, 1}));
  const auto first = ask("t");
  EXPECT_EQ(first.names, first.of(kWeek));
  EXPECT_EQ(first.index.size(), 2U) << "no period";
  EXPECT_EQ(names(first), std::vector<std::string>{"m"});
}

TEST_F(VersionsTest, ManyTenantsAtOnce) {
  const std::vector<VersionsRaised> raised = {{"a", {0}, {}, false}, {"b", {kWeek}, {"m"}, false}};
  std::promise<Status> told;
  b.raise(raised, [&](Status status) { told.set_value(std::move(status)); });
  ASSERT_TRUE(told.get_future().get());
  const std::vector<VersionsAsked> asked = {{"b", 0}, {"none", 0}, {"a", 0}};
  const auto answer = a.ask(asked);
  ASSERT_TRUE(answer);
  EXPECT_NE((*answer)[0].of(kWeek), 0U);
  EXPECT_EQ(names((*answer)[0]), std::vector<std::string>{"m"});
  EXPECT_TRUE((*answer)[1].index.empty());
  EXPECT_NE((*answer)[2].of(0), 0U);
}

TEST_F(VersionsTest, ALossIsAnotherEpoch) {
  raise(a, {0});
  const auto before = ask("t");
  Question empty = link_b->question();
  empty.commands.command({"DEL", link_a->key("versions|t"), link_a->key("forgotten|t"), link_a->key("epoch")});
  ASSERT_TRUE(link_b->run(empty));
  const VersionsAsked asked{"t", 0};
  EXPECT_EQ(a.ask({&asked, 1}).error().code, Code::unavailable) << "numbers may be missing";
  const VersionsRaised raised{"t", {0}, {}, false};
  EXPECT_TRUE(a.raise({&raised, 1})) << "raising is always good";
  ASSERT_TRUE(link_b->recover([] { return Status(); }));
  auto after = ask("t");
  EXPECT_NE(after.epoch, before.epoch);
  EXPECT_GT(after.of(0), before.of(0));
}

}  // namespace
}  // namespace varve::tracker::redis::testing
