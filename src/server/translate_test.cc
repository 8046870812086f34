// SPDX-License-Identifier: Apache-2.0
#include "server/translate.h"

#include <gtest/gtest.h>

#include "config/load.h"

namespace varve::server {
namespace {

config::Config config_of(std::initializer_list<std::pair<const char*, const char*>> list) {
  config::Sources sources;
  for (const auto& [key, value] : list) sources.flags.push_back({key, value, "test"});
  return config::load(sources).config;
}

constexpr std::uint64_t kLarge = std::uint64_t{4} << 30;

// What is kept in memory beside the index, which takes what is left: that of a million series takes 100 MiB at most.
TEST(Translate, ASmallMachineHasRoomForAll) {
  for (const std::uint64_t mib : {512, 768, 1024, 1536, 2048, 4096, 65'536}) {
    const std::uint64_t usable = mib << 20;
    const auto store = store_options(config_of({}), usable);
    const std::uint64_t heads = 2 * store.head_bytes_max, caches = 3 * store.cache_bytes_max;
    const std::uint64_t requests = memory_max(config_of({}), usable);
    EXPECT_LE(heads + caches + requests, usable - (usable / 8) - (std::uint64_t{100} << 20)) << mib;
    EXPECT_GE(requests, usable / 4) << mib;
    EXPECT_GE(store.head_bytes_max, std::uint64_t{32} << 20) << mib;
  }
  EXPECT_EQ(store_options(config_of({}), kLarge).head_bytes_max, engine::rocksdb::Options{}.head_bytes_max);
  EXPECT_EQ(store_options(config_of({}), kLarge).cache_bytes_max, engine::rocksdb::Options{}.cache_bytes_max);
}

TEST(Translate, EachKeyArrives) {
  const auto config = config_of({{"storage.path", "p"},
                                 {"storage.sync", "7ms"},
                                 {"storage.repair", "true"},
                                 {"slots.width", "2h"},
                                 {"limits.series_per_tenant", "5"},
                                 {"http.listen", "[::1]:81"},
                                 {"http.body_max", "1GiB"},
                                 {"limits.memory", "8GiB"},
                                 {"telnet.listen", "127.0.0.1:82"},
                                 {"tenant.default", "t"},
                                 {"query.memory", "3MiB"},
                                 {"query.timeout", "4s"},
                                 {"tags.limit_action", "truncate"},
                                 {"tags.value_max", "50"},
                                 {"tags.excluded_keys", "pid,id"},
                                 {"raw.retention", "6h"},
                                 {"retention.classes", "c:2y:metric=m"},
                                 {"rollups", "5m:14d,1h:365d"}});
  const auto store = store_options(config, kLarge);
  EXPECT_EQ(store.path, "p");
  EXPECT_FALSE(store.sync_always);
  EXPECT_EQ(store.sync_interval_ms, 7);
  EXPECT_TRUE(store.repair);
  EXPECT_EQ(store.slot_width_ms, 7'200'000);
  EXPECT_EQ(store.series_per_tenant_max, 5U);
  EXPECT_EQ(memory_max(config, 100), 8ULL << 30);
  EXPECT_EQ(memory_max(config_of({}), kLarge), kLarge / 2);
  const auto memory = std::make_shared<MemoryLedger>(memory_max(config, 100));
  EXPECT_EQ(http_options(config, memory).listen, "[::1]:81");
  EXPECT_EQ(http_options(config, memory).body_max, 1U << 30);
  EXPECT_EQ(http_options(config, memory).memory, memory);
  EXPECT_EQ(http_options(config, memory).tenant_default, "t");
  const auto little = std::make_shared<MemoryLedger>(std::size_t{1} << 30);
  EXPECT_EQ(http_options(config, little).body_max, 256U << 20) << "a quarter of the memory";
  EXPECT_EQ(telnet_options(config).listen, "127.0.0.1:82");
  EXPECT_EQ(telnet_options(config).tenant_default, "t");
  EXPECT_EQ(query_limits(config).memory_bytes, 3U << 20);
  EXPECT_EQ(query_limits(config).timeout, std::chrono::seconds(4));
  EXPECT_EQ(tag_limits(config).long_value, model::LongValue::truncate);
  EXPECT_EQ(tag_limits(config).value_bytes_max, 50U);
  EXPECT_EQ(tag_limits(config).excluded_keys, (std::vector<std::string>{"pid", "id"}));
  EXPECT_EQ(tag_limits(config_of({})).long_value, model::LongValue::reject);
  EXPECT_EQ(tag_limits(config_of({})).value_bytes_max, 4096U);
  EXPECT_FALSE(tag_limits(config_of({})).cleans());
  EXPECT_EQ(tag_limits(config_of({{"tags.limit_action", "exclude"}})).long_value, model::LongValue::exclude);
  const SystemClock clock;
  EXPECT_EQ(store.retention_classes, config.retention_classes);
  EXPECT_EQ(write_options(config, clock).kept_ms, 2 * 31'536'000'000) << "the longest";
  EXPECT_EQ(write_options(config, clock).clock, &clock);
  EXPECT_EQ(write_options(config_of({}), clock).kept_ms, write::kForEverMs) << "1d:20y is for ever";
  EXPECT_EQ(write_options(config_of({{"rollups", ""}}), clock).kept_ms, 90 * 86'400'000LL);
  EXPECT_EQ(write_options(config_of({{"raw.retention", "25y"}, {"rollups", "5m:1y"}}), clock).kept_ms,
            write::kForEverMs);
  EXPECT_EQ(ceres_retentions(config).raw_ms, 21'600'000);
  ASSERT_EQ(ceres_retentions(config).rollups.size(), 2U);
  EXPECT_EQ(ceres_retentions(config).rollups[1].width_ms, 3'600'000);
  EXPECT_EQ(ceres_retentions(config).rollups[1].retention_ms, 31'536'000'000);
  EXPECT_TRUE(store_options(config_of({{"storage.sync", "always"}}), kLarge).sync_always);
}

}  // namespace
}  // namespace varve::server
