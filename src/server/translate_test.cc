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
                                 {"rollups", "5m:14d,1h:365d"}});
  const auto store = store_options(config);
  EXPECT_EQ(store.path, "p");
  EXPECT_FALSE(store.sync_always);
  EXPECT_EQ(store.sync_interval_ms, 7);
  EXPECT_TRUE(store.repair);
  EXPECT_EQ(store.slot_width_ms, 7'200'000);
  EXPECT_EQ(store.series_per_tenant_max, 5U);
  EXPECT_EQ(memory_max(config, 100), 8ULL << 30);
  EXPECT_EQ(memory_max(config_of({}), 100), 50U);
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
  EXPECT_EQ(write_options(config, clock).kept_ms, 31'536'000'000);
  EXPECT_EQ(write_options(config, clock).clock, &clock);
  EXPECT_EQ(write_options(config_of({}), clock).kept_ms, write::kForEverMs) << "1d:20y is for ever";
  EXPECT_EQ(write_options(config_of({{"rollups", ""}}), clock).kept_ms, 90 * 86'400'000LL);
  EXPECT_EQ(write_options(config_of({{"raw.retention", "25y"}, {"rollups", "5m:1y"}}), clock).kept_ms,
            write::kForEverMs);
  EXPECT_EQ(ceres_retentions(config).raw_ms, 21'600'000);
  ASSERT_EQ(ceres_retentions(config).rollups.size(), 2U);
  EXPECT_EQ(ceres_retentions(config).rollups[1].width_ms, 3'600'000);
  EXPECT_EQ(ceres_retentions(config).rollups[1].retention_ms, 31'536'000'000);
  EXPECT_TRUE(store_options(config_of({{"storage.sync", "always"}})).sync_always);
}

}  // namespace
}  // namespace varve::server
