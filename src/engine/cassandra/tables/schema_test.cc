// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/tables/schema.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "model/testing/lengths.h"

namespace varve::engine::cassandra {
namespace {

using model::testing::kDay;
using model::testing::kHour;

SchemaOptions usual() {
  SchemaOptions options;
  options.slot_width_ms = kHour;
  options.raw_retention_ms = 90 * kDay;
  options.rollups = {{kHour / 12, 365 * kDay}, {kHour, rollup::kForEver}};
  return options;
}

std::string cql_of(const SchemaOptions& options, std::string_view name) {
  const Tables tables(options);
  const auto all = tables.all();
  const auto found = std::ranges::find(all, name, &Table::name);
  return found == all.end() ? "" : (*found)->cql(options.keyspace);
}

TEST(Schema, WidthsInNames) {
  EXPECT_EQ(width_name(kHour), "pt1h");
  EXPECT_EQ(width_name(5 * 60'000), "pt5m");
  EXPECT_EQ(width_name(90 * 60'000), "pt90m");
  EXPECT_EQ(width_name(kDay), "p1d");
  EXPECT_EQ(width_name(36 * kHour), "pt36h");
  EXPECT_EQ(width_name(90'000), "pt90s");
  EXPECT_EQ(width_name(1500), "pt1500ms");
}

TEST(Schema, Replication) {
  SchemaOptions options = usual();
  EXPECT_EQ(
      create_keyspace(options),
      "CREATE KEYSPACE IF NOT EXISTS varve WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
  options.replication = "dc1:3,dc2:2";
  options.keyspace = "other";
  EXPECT_EQ(create_keyspace(options),
            "CREATE KEYSPACE IF NOT EXISTS other WITH replication = {'class': 'NetworkTopologyStrategy', 'dc1': 3, "
            "'dc2': 2}");
}

TEST(Schema, EachGranularityHasItsTableAndItsTime) {
  const std::string fine = cql_of(usual(), "data_pt5m_p_pt1h");
  EXPECT_NE(fine.find("'compaction_window_unit': 'DAYS', 'compaction_window_size': 13"), std::string::npos) << fine;
  EXPECT_NE(fine.find("default_time_to_live = 31536000"), std::string::npos) << fine;
  const std::string for_ever = cql_of(usual(), "data_pt1h_p_pt1h");
  EXPECT_NE(for_ever.find("default_time_to_live = 0"), std::string::npos) << for_ever;
  EXPECT_NE(cql_of(usual(), "data_sealed_p_pt1h").find("default_time_to_live = 7776000"), std::string::npos);
  SchemaOptions halves = usual();
  halves.slot_width_ms = kHour / 2;
  EXPECT_EQ(cql_of(halves, "data_sealed_p_pt1h"), "");
  EXPECT_NE(cql_of(halves, "data_sealed_p_pt30m"), "");
}

// A class that goes earlier than others is in files with them.
TEST(Schema, ShortClassesOfMessagesLeaveTheirFiles) {
  SchemaOptions options = usual();
  options.message_retention_ms = 30 * kDay;
  const std::string one = cql_of(options, "message_blocks_p_pt1h");
  EXPECT_EQ(one.find("tombstone"), std::string::npos) << one;
  options.message_rules = {{.name = "brief", .retention_ms = 30 * kDay}};
  EXPECT_EQ(cql_of(options, "message_blocks_p_pt1h"), one) << "files go as a whole";
  options.message_rules.push_back({.name = "briefer", .retention_ms = kDay});
  const std::string several = cql_of(options, "message_blocks_p_pt1h");
  EXPECT_NE(several.find("'unchecked_tombstone_compaction': 'true'"), std::string::npos) << several;
  EXPECT_NE(several.find("'tombstone_compaction_interval': '3600'"), std::string::npos) << several;
}

// Files are of the longest class, and what goes earlier leaves them.
TEST(Schema, ShortClassesOfSeriesLeaveTheirFiles) {
  SchemaOptions options = usual();
  const std::string one = cql_of(options, "data_sealed_p_pt1h");
  EXPECT_EQ(one.find("tombstone"), std::string::npos) << one;
  EXPECT_EQ(Tables(options).changed_since(kSchemaVersion).size(), 4U);
  options.retention_rules = {{.name = "brief", .retention_ms = kDay}};
  for (const char* table : {"data_sealed_p_pt1h", "data_pt5m_p_pt1h"}) {
    const std::string several = cql_of(options, table);
    EXPECT_NE(several.find("'unchecked_tombstone_compaction': 'true'"), std::string::npos) << several;
  }
  EXPECT_NE(cql_of(options, "data_sealed_p_pt1h").find("default_time_to_live = 7776000"), std::string::npos);
  options.retention_rules = {{.name = "long", .retention_ms = 200 * kDay}};
  EXPECT_NE(cql_of(options, "data_sealed_p_pt1h").find("default_time_to_live = 17280000"), std::string::npos);
  EXPECT_EQ(Tables(options).changed_since(kSchemaVersion).size(), 5 + options.rollups.size());
}

TEST(Schema, AStatementHasEveryColumnOnce) {
  EXPECT_EQ(cql_of(usual(), "schema_version"),
            "CREATE TABLE IF NOT EXISTS varve.schema_version (id text, version int, applied timestamp, "
            "PRIMARY KEY ((id)))");
  const std::string sets = cql_of(usual(), "series_sets");
  EXPECT_TRUE(
      sets.starts_with("CREATE TABLE IF NOT EXISTS varve.series_sets (tenant text, metric_name text, "
                       "period timestamp, shard smallint, seen bigint, group_hash blob, list_hash blob, "
                       "tags frozen<map<text, text>>, PRIMARY KEY ((tenant, metric_name, period, shard), "
                       "seen, group_hash)) WITH "))
      << sets;
}

TEST(Schema, ATableSaysItsTimeToLiveTwice) {
  for (const Tables tables(usual()); const Table* table : tables.all()) {
    const std::size_t at = table->options.find("default_time_to_live = ");
    const int said = at == std::string::npos ? 0 : std::stoi(table->options.substr(at + 23));
    EXPECT_EQ(said, table->ttl_s) << table->name;
  }
  EXPECT_EQ(Tables(usual()).raw.ttl_s, 21 * 86'400);
  EXPECT_EQ(Tables(usual()).levels.at(1).ttl_s, 0);
}

TEST(Schema, NamesAreUniqueAndNothingIsACounterOrAnIndex) {
  std::set<std::string> names;
  for (const Tables tables(usual()); const Table* table : tables.all()) {
    EXPECT_TRUE(names.insert(table->name).second) << table->name;
    EXPECT_FALSE(table->purpose.empty()) << table->name;
    EXPECT_FALSE(table->partition.empty()) << table->name;
    const std::string cql = table->cql("varve");
    EXPECT_EQ(cql.find("counter"), std::string::npos) << cql;
    EXPECT_NE(cql.find("PRIMARY KEY"), std::string::npos) << cql;
  }
  const std::string text = script(usual());
  EXPECT_EQ(text.find("INDEX"), std::string::npos);
  std::size_t statements = 0;
  for (auto at = text.find(";\n"); at != std::string::npos; at = text.find(";\n", at + 1)) ++statements;
  EXPECT_EQ(statements, names.size() + 1);
}

}  // namespace
}  // namespace varve::engine::cassandra
