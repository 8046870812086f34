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
                                 {"telnet.listen", "127.0.0.1:82"},
                                 {"tenant.default", "t"},
                                 {"query.memory", "3MiB"},
                                 {"query.timeout", "4s"}});
  const auto store = store_options(config);
  EXPECT_EQ(store.path, "p");
  EXPECT_FALSE(store.sync_always);
  EXPECT_EQ(store.sync_interval_ms, 7);
  EXPECT_TRUE(store.repair);
  EXPECT_EQ(store.slot_width_ms, 7'200'000);
  EXPECT_EQ(store.series_per_tenant_max, 5U);
  EXPECT_EQ(http_options(config).listen, "[::1]:81");
  EXPECT_EQ(http_options(config).body_max, 1U << 30);
  EXPECT_EQ(http_options(config).bodies_in_flight_max, 4ULL << 30);
  EXPECT_EQ(http_options(config).tenant_default, "t");
  EXPECT_EQ(telnet_options(config).listen, "127.0.0.1:82");
  EXPECT_EQ(telnet_options(config).tenant_default, "t");
  EXPECT_EQ(query_limits(config).memory_bytes, 3U << 20);
  EXPECT_EQ(query_limits(config).timeout, std::chrono::seconds(4));
  EXPECT_TRUE(store_options(config_of({{"storage.sync", "always"}})).sync_always);
}

}  // namespace
}  // namespace varve::server
