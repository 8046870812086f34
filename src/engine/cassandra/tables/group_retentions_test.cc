// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/tables/group_retentions.h"

#include <gtest/gtest.h>

#include "engine/cassandra/tables/data_rows.h"

namespace varve::engine::cassandra {
namespace {

constexpr std::int64_t kRetentionDay = 86'400'000;
using Numbers = std::vector<rollup::RetentionClasses::Number>;

SchemaOptions schema_with_classes() {
  SchemaOptions schema;
  schema.raw_retention_ms = 30 * kRetentionDay;
  schema.rollups = {{300'000, 20 * kRetentionDay}, {3'600'000, 300 * kRetentionDay}};
  for (const auto& [metric, days] : {std::pair("brief", 1), std::pair("long", 100), std::pair("also long", 100)}) {
    rollup::RetentionRule& rule = schema.retention_rules.emplace_back("c", days * kRetentionDay);
    EXPECT_TRUE(rollup::read_retention_conditions("metric=" + std::string(metric), rule));
  }
  return schema;
}

TEST(GroupRetentions, AreThoseOfTheLongestSeries) {
  const GroupRetentions groups(classes_of(schema_with_classes()));
  const auto kept = [&](const Numbers& classes) {
    const rollup::Retention& of = groups.all().at(groups.of(classes));
    std::string text = std::to_string(of.raw_ms / kRetentionDay);
    for (const rollup::Level& level : of.levels) text += " " + std::to_string(level.retention_ms / kRetentionDay);
    return text;
  };
  EXPECT_EQ(groups.of({}), GroupRetentions::kGeneral);
  EXPECT_EQ(groups.of(Numbers{0, 0}), GroupRetentions::kGeneral);
  EXPECT_EQ(kept({0}), "30 20 300");
  EXPECT_EQ(kept({1, 1}), "1 1 1");
  EXPECT_EQ(kept({1, 2}), "100 100 100");
  EXPECT_EQ(kept({3, 1, 2}), "100 100 100");
  EXPECT_EQ(kept({0, 1}), "30 20 300");
  EXPECT_EQ(kept({1, 2, 0}), "100 100 300");
  EXPECT_EQ(groups.mixed().size(), 3U);
  EXPECT_EQ(GroupRetentions(rollup::RetentionClasses()).of(Numbers{0}), GroupRetentions::kGeneral);
}

TEST(GroupRetentions, SayHowLongRowsAreStored) {
  const SchemaOptions schema = schema_with_classes();
  const Tables tables(schema);
  const ChunkTable sealed = sealed_table(tables, schema, 3'600'000);
  const std::vector<ChunkTable> levels = level_tables(tables, schema, 3'600'000);
  const GroupRetentions groups(classes_of(schema));
  const auto stored = [&](const ChunkTable& table, const Numbers& classes) {
    return (table.retention_of(groups.of(classes)) - kGoneMarginMs) / kRetentionDay;
  };
  EXPECT_EQ(stored(sealed, {0}), 30);
  EXPECT_EQ(stored(sealed, {1}), 1);
  EXPECT_EQ(stored(sealed, {0, 1}), 30);
  EXPECT_EQ(stored(sealed, {0, 2}), 100);
  EXPECT_EQ(stored(levels[0], {1}), 2) << "until the rollup block of hours over them is made";
  EXPECT_EQ(stored(levels[1], {1}), 1);
  EXPECT_EQ(stored(levels[1], {2}), 100);
  EXPECT_EQ(stored(levels[1], {0, 2}), 300);
  std::vector<RowWrite> writes;
  GroupCells group{"t", std::string(16, 'g'), 0, groups.of(Numbers{2})};
  add_write(writes, sealed, group, {0, 0, "x", {1, {}}, {}}, 60 * kRetentionDay);
  group.kept = GroupRetentions::kGeneral;
  add_write(writes, sealed, group, {0, 0, "x", {1, {}}, {}}, 60 * kRetentionDay);
  ASSERT_EQ(writes.size(), 1U) << "the other one is over";
  EXPECT_EQ(writes[0].ttl_s, 42 * 86'400U) << "a day for each edge";
  group.kept = groups.of(Numbers{1});
  EXPECT_FALSE(sealed.makes_strata(group));
}

}  // namespace
}  // namespace varve::engine::cassandra
