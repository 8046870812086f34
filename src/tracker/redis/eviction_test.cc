// SPDX-License-Identifier: Apache-2.0
// With a real redis-server.
#include "tracker/redis/eviction.h"

#include <gtest/gtest.h>

#include "tracker/redis/testing/shared.h"

namespace varve::tracker::redis::testing {
namespace {

TEST(MemoryInfo, IsFoundInWhatAServerSays) {
  const auto info = memory_info(
      "# Server\r\nrun_id:abc\r\n\r\nmaxmemory:100\r\nmaxmemory_human:100B\r\n"
      "maxmemory_policy:allkeys-lru\r\nevicted_keys:7");
  EXPECT_EQ(info.run_id, "abc");
  EXPECT_EQ(info.evicted_keys, 7U);
  EXPECT_TRUE(info.may_evict());
  EXPECT_FALSE(memory_info("maxmemory:0\nmaxmemory_policy:allkeys-lru\n").may_evict());
  for (const char* policy : {"noeviction", "volatile-lru", "volatile-ttl"}) {
    EXPECT_FALSE(memory_info("maxmemory:5\nmaxmemory_policy:" + std::string(policy)).may_evict()) << policy;
  }
  EXPECT_FALSE(memory_info("").may_evict());
  EXPECT_EQ(memory_info(":\nevicted_keys:x\nrun_id").evicted_keys, 0U);
}

class EvictionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    await(*link);
    ASSERT_TRUE(link->recover([] { return Status(); }));
  }
  void command(std::vector<std::string_view> words) {
    Question question = link->question();
    question.commands.command(words);
    ASSERT_TRUE(link->run(question)) << words[0];
  }
  void recover() {
    ASSERT_TRUE(link->recover([] { return Status(); }));
  }
  // So much that keys have to go, if they may. Recovery's own stay: they are used all the time.
  void fill() {
    const std::string large(20'000, 'x');
    for (int i = 0; i < 400; ++i) {
      Question question = link->question();
      const std::string key = "other" + std::to_string(i);
      question.commands.command({"SET", key, large});
      std::ignore = link->run(question);
    }
  }

  driver::testing::RedisServer server;
  const std::unique_ptr<Link> link = link_to(server, {.timeout_ms = 10'000, .pause_ms = 1});
  Eviction eviction{*link};
};

TEST_F(EvictionTest, AServerThatMayEvictIsNamed) {
  command({"CONFIG", "SET", "maxmemory-policy", "allkeys-lru"});
  EXPECT_EQ(eviction.look().value(), "") << "without a bound nothing is evicted";
  command({"CONFIG", "SET", "maxmemory", "100mb"});
  EXPECT_NE(eviction.look().value().find("maxmemory-policy allkeys-lru, maxmemory 104857600"), std::string::npos);
  EXPECT_TRUE(eviction.may_evict());
  command({"CONFIG", "SET", "maxmemory-policy", "volatile-lru"});
  EXPECT_EQ(eviction.look().value(), "");
  EXPECT_FALSE(eviction.may_evict());
  EXPECT_FALSE(link->lost());
  server.kill();
  EXPECT_EQ(eviction.look().error().code, Code::unavailable);
}

TEST_F(EvictionTest, WhatWasEvictedIsRecoveredOnce) {
  command({"CONFIG", "SET", "maxmemory-policy", "allkeys-lru"});
  command({"CONFIG", "SET", "maxmemory", "4mb"});
  fill();
  EXPECT_NE(eviction.look().value(), "");
  EXPECT_GT(eviction.evicted_keys(), 0U);
  EXPECT_TRUE(link->lost());
  // Also where somebody sets it right in between: what is missing stays missing.
  command({"CONFIG", "SET", "maxmemory", "0"});
  EXPECT_EQ(eviction.look().value(), "") << "also what went since";
  recover();
  EXPECT_EQ(eviction.look().value(), "");
  EXPECT_FALSE(link->lost()) << "it is known";
  command({"CONFIG", "SET", "maxmemory", "4mb"});
  fill();
  command({"CONFIG", "SET", "maxmemory", "0"});
  command({"CONFIG", "SET", "maxmemory-policy", "noeviction"});
  EXPECT_EQ(eviction.look().value(), "");
  EXPECT_TRUE(link->lost());
  recover();
  EXPECT_EQ(Eviction(*link).look().value(), "");
  EXPECT_FALSE(link->lost()) << "another replica need not do it again";
}

TEST_F(EvictionTest, WhoMayNotAskIsToldNothing) {
  command({"ACL", "SETUSER", "default", "-info"});
  EXPECT_EQ(eviction.look().value(), "");
}

}  // namespace
}  // namespace varve::tracker::redis::testing
