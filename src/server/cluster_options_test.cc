// SPDX-License-Identifier: Apache-2.0
#ifdef VARVE_CLUSTER
#include "server/cluster_options.h"

#include <gtest/gtest.h>

#include <unistd.h>
#include <filesystem>
#include <fstream>

#include "config/load.h"

namespace varve::server {
namespace {

config::Config config_of(std::initializer_list<std::pair<const char*, std::string>> list) {
  config::Sources sources;
  for (const auto& [key, value] : list) sources.flags.push_back({key, value, "test"});
  const auto loaded = config::load(sources);
  EXPECT_TRUE(loaded.faults.empty()) << loaded.faults[0];
  return loaded.config;
}

TEST(ClusterOptions, EachKeyArrives) {
  const auto config = config_of({{"engine", "cluster"},
                                 {"slots.width", "2h"},
                                 {"slots.quiet", "7s"},
                                 {"slots.partitions", "9"},
                                 {"limits.series_per_tenant", "5"},
                                 {"raw.retention", "6h"},
                                 {"retention.classes", "c:2d:metric=m"},
                                 {"rollups", "5m:14d,1h:365d"},
                                 {"rollup.counter_suffixes", "hits"},
                                 {"cassandra.keyspace", "mine"},
                                 {"cassandra.replication", "dc1:3"}});
  EXPECT_EQ(config.engine, config::Config::Engine::cluster);
  const auto options = cluster_options(config, "me");
  EXPECT_EQ(options.schema.keyspace, "mine");
  EXPECT_EQ(options.schema.replication, "dc1:3");
  EXPECT_EQ(options.schema.slot_width_ms, 7'200'000);
  EXPECT_EQ(options.schema.raw_retention_ms, 6 * 3'600'000);
  EXPECT_EQ(options.schema.retention_rules, config.retention_classes);
  EXPECT_EQ(options.schema.retention_rules.size(), 1U);
  EXPECT_EQ(options.schema.rollups.size(), 2U);
  EXPECT_EQ(options.rollups.levels[1].width_ms, 3'600'000);
  EXPECT_EQ(options.rollups.counter_suffixes, std::vector<std::string>{"hits"});
  EXPECT_TRUE(options.rolls_up);
  EXPECT_EQ(options.slot_quiet_ms, 7000);
  EXPECT_EQ(options.schema.partitions, 9U);
  EXPECT_EQ(options.series_per_tenant_max, 5U);
  EXPECT_EQ(options.replica, "me");
  EXPECT_FALSE(cluster_options(config_of({{"slots.own", "none"}}), "me").rolls_up);
}

TEST(ClusterOptions, EachServerIsReachedAsIsSaid) {
  const auto plain = cluster_servers(config_of({{"cassandra.hosts", "a:1,b:2"}}));
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->cassandra.contact_points, "a:1,b:2");
  EXPECT_EQ(plain->cassandra.consistency, driver::Consistency::local_quorum);
  EXPECT_FALSE(plain->cassandra.tls.enabled);
  EXPECT_FALSE(plain->redis.tls.enabled);
  EXPECT_EQ(plain->redis.url, "redis://127.0.0.1:6379");

  const std::string file = std::filesystem::temp_directory_path() / ("varve-password-" + std::to_string(::getpid()));
  std::ofstream(file) << "secret\n";
  const auto config = config_of({{"cassandra.consistency", "QUORUM"},
                                 {"cassandra.datacenter", "dc2"},
                                 {"cassandra.username", "u"},
                                 {"cassandra.password_file", file},
                                 {"cassandra.tls", "true"},
                                 {"redis.url", "rediss://r:1"},
                                 {"redis.password_file", file},
                                 {"tls.ca", "ca"},
                                 {"tls.certificate", "cert"},
                                 {"tls.key", "key"}});
  const auto all = cluster_servers(config);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->cassandra.consistency, driver::Consistency::quorum);
  EXPECT_EQ(all->cassandra.local_dc, "dc2");
  EXPECT_EQ(all->cassandra.user, "u");
  EXPECT_EQ(all->cassandra.password, "secret");
  EXPECT_EQ(all->redis.password, "secret");
  for (const driver::Tls& tls : {all->cassandra.tls, all->redis.tls}) {
    EXPECT_TRUE(tls.enabled);
    EXPECT_EQ(tls.ca_file + tls.certificate_file + tls.key_file, "cacertkey");
  }
  std::filesystem::remove(file);
  EXPECT_EQ(cluster_servers(config).error().code, Code::io);
}

}  // namespace
}  // namespace varve::server
#endif
