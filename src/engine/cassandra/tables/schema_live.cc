// SPDX-License-Identifier: Apache-2.0
// The schema in a real Cassandra, which tests/schema_test.py starts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "driver/wait.h"
#include "engine/cassandra/tables/apply.h"
#include "engine/cassandra/tables/cell.h"

namespace varve::engine::cassandra {
namespace {

class SchemaLive : public ::testing::Test {
 protected:
  SchemaLive() : runtime_(std::move(driver::Runtime::start(1).value())) {
    driver::SessionOptions wanted;
    wanted.contact_points = std::getenv("VARVE_CASSANDRA");  // NOLINT(concurrency-mt-unsafe): nothing changes it
    auto connected = driver::wait<driver::Session>(
        [&](driver::Done<driver::Session> done) { driver::Session::connect(runtime_, wanted, std::move(done)); });
    session_.emplace(std::move(connected.value()));
  }
  ~SchemaLive() override {
    session_.reset();
    runtime_.stop();
  }

  Result<driver::Rows> query(std::string_view cql) {
    return driver::wait<driver::Rows>(
        [&](driver::Done<driver::Rows> done) { session_->query(cql, {}, std::move(done)); });
  }
  Status apply(const SchemaOptions& options) {
    steps_ = 0;
    return apply_schema(*session_, options, [this](std::string_view) { ++steps_; });
  }

  driver::Runtime runtime_;
  std::optional<driver::Session> session_;
  int steps_ = 0;
};

SchemaOptions named(std::string keyspace) {
  return {std::move(keyspace), "SimpleStrategy:1", 3'600'000, rollup::kForEver, {{300'000, 86'400'000}}};
}

TEST_F(SchemaLive, IsCreatedOnceAndTakesMoreTablesLater) {
  SchemaOptions options = named("made");
  const Status none = check_schema(*session_, options);
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("varve schema --apply"), std::string::npos) << none.error().message;
  ASSERT_TRUE(apply(options));
  EXPECT_EQ(schema_version(*session_, "made").value(), kSchemaVersion);
  EXPECT_TRUE(check_schema(*session_, options));
  options.rollups.push_back({3'600'000, 86'400'000});  // a granularity more
  ASSERT_TRUE(apply(options));
  const auto rows = query("SELECT table_name FROM system_schema.tables WHERE keyspace_name = 'made'");
  EXPECT_EQ(rows.value().count(), Tables(options).all().size());
}

TEST_F(SchemaLive, ReplicasThatWouldLeaveSlotsToNobodyAreRefused) {
  SchemaOptions options = named("alike");
  ASSERT_TRUE(apply(options));
  EXPECT_TRUE(check_schema(*session_, options));
  options.partitions = 32;
  const Status other = check_schema(*session_, options);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, Code::unsupported);
  EXPECT_NE(other.error().message.find("has slots.partitions 64, this replica 32"), std::string::npos)
      << other.error().message;
  ASSERT_TRUE(apply(options));
  EXPECT_TRUE(check_schema(*session_, options));
  options.slot_width_ms = 1'800'000;
  ASSERT_FALSE(check_schema(*session_, options));
  EXPECT_NE(check_schema(*session_, options).error().message.find("slots.width 3600 s"), std::string::npos);
  // An earlier build notes nothing.
  ASSERT_TRUE(query("DELETE FROM alike.schema_version WHERE id = 'slots.width'"));
  EXPECT_TRUE(check_schema(*session_, options));
}

// Rows of a keyspace of version 2 lived for three days, compacted by time.
TEST_F(SchemaLive, AnOlderOneGetsTheOptionsOfToday) {
  const SchemaOptions options = named("older");
  ASSERT_TRUE(apply(options));
  ASSERT_TRUE(
      query("ALTER TABLE older.data_raw_p_pt1h WITH default_time_to_live = 259200 AND compaction = {'class': "
            "'TimeWindowCompactionStrategy'}"));
  ASSERT_TRUE(query("UPDATE older.schema_version SET version = 2 WHERE id = 'varve'"));
  const Status old = check_schema(*session_, options);
  ASSERT_FALSE(old);
  EXPECT_NE(old.error().message.find("varve schema --apply"), std::string::npos) << old.error().message;
  ASSERT_TRUE(apply(options));
  EXPECT_TRUE(check_schema(*session_, options));
  const auto found = query(
      "SELECT CAST(default_time_to_live AS text), CAST(memtable_flush_period_in_ms AS text) FROM system_schema.tables "
      "WHERE keyspace_name = 'older' AND table_name = 'data_raw_p_pt1h'");
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->count(), 1U);
  EXPECT_EQ(found->row(0)[0].bytes(), "1814400");
  EXPECT_EQ(found->row(0)[1].bytes(), "600000");
}

// As soon as there were two files, hot rows were all written again.
TEST_F(SchemaLive, HotRowsOfAnOlderBuildAreCompactedLessOften) {
  const SchemaOptions options = named("often");
  ASSERT_TRUE(apply(options));
  const auto files_together = [&]() -> Result<std::string> {
    VARVE_ASSIGN_OR_RETURN(const auto found,
                           query("SELECT compaction FROM system_schema.tables WHERE keyspace_name = 'often' AND "
                                 "table_name = 'data_raw_p_pt1h'"));
    VARVE_ASSIGN_OR_RETURN(const auto compaction, text_map_of(found.row(0)[0].bytes()));
    const auto at = std::ranges::find(compaction, "min_threshold", &model::TagView::key);
    return at == compaction.end() ? "" : std::string(at->value);
  };
  ASSERT_TRUE(
      query("ALTER TABLE often.data_raw_p_pt1h WITH compaction = {'class': 'SizeTieredCompactionStrategy', "
            "'min_threshold': '2'}"));
  ASSERT_EQ(files_together().value(), "2");
  ASSERT_TRUE(apply(options));
  EXPECT_EQ(files_together().value(), "8");
}

// In a keyspace of version 5 what was over stayed with the other messages of its time.
TEST_F(SchemaLive, BlocksOfMessagesHaveTheOptionsOfTheirClasses) {
  SchemaOptions options = named("classes");
  options.message_retention_ms = 30 * 86'400'000LL;
  const auto shrink = [&]() -> Result<bool> {
    VARVE_ASSIGN_OR_RETURN(
        const auto found,
        query("SELECT CAST(gc_grace_seconds AS text), compaction FROM system_schema.tables WHERE keyspace_name = "
              "'classes' AND table_name = 'message_blocks_p_pt1h'"));
    if (found.row(0)[0].bytes() != "21600") return false;
    VARVE_ASSIGN_OR_RETURN(const auto compaction, text_map_of(found.row(0)[1].bytes()));
    const model::TagView wanted{"unchecked_tombstone_compaction", "true"};
    return std::ranges::find(compaction, wanted) != compaction.end();
  };
  ASSERT_TRUE(apply(options));
  EXPECT_EQ(shrink().value(), false) << "all messages of a file go together";
  options.message_rules = {{.name = "brief", .retention_ms = 86'400'000}};
  ASSERT_TRUE(apply(options));
  EXPECT_EQ(shrink().value(), true) << "classes came later";
  ASSERT_TRUE(
      query("ALTER TABLE classes.message_blocks_p_pt1h WITH gc_grace_seconds = 86400 AND compaction = {'class': "
            "'TimeWindowCompactionStrategy'}"));
  ASSERT_TRUE(query("UPDATE classes.schema_version SET version = 5 WHERE id = 'varve'"));
  ASSERT_FALSE(check_schema(*session_, options));
  ASSERT_TRUE(apply(options));
  EXPECT_EQ(shrink().value(), true);
}

// A keyspace of version 3 has no tables of messages.
TEST_F(SchemaLive, AnOlderOneGetsTheTablesOfMessages) {
  const SchemaOptions options = named("silent");
  ASSERT_TRUE(apply(options));
  const auto of_messages = [] {
    return "SELECT table_name FROM system_schema.tables WHERE keyspace_name = 'silent' AND table_name > 'message' AND "
           "table_name < 'messagf'";
  };
  const auto before = query(of_messages());
  ASSERT_EQ(before.value().count(), 7U);
  for (std::size_t i = 0; i < before->count(); ++i) {
    ASSERT_TRUE(query("DROP TABLE silent." + std::string(before->row(i)[0].bytes())));
  }
  ASSERT_TRUE(query("UPDATE silent.schema_version SET version = 3 WHERE id = 'varve'"));
  ASSERT_FALSE(check_schema(*session_, options));
  ASSERT_TRUE(apply(options));
  EXPECT_TRUE(check_schema(*session_, options));
  EXPECT_EQ(query(of_messages()).value().count(), 7U);
}

// In a keyspace of version 7 nothing says what lengths the hash prefixes of hot rows have.
TEST_F(SchemaLive, HotRowsOfAnOlderOneAreFoundByAnyLength) {
  const SchemaOptions options = named("hot");
  ASSERT_TRUE(apply(options));
  const auto listed = [&] {
    const auto rows = query("SELECT tenant, bits FROM hot.prefix_lengths_p_pt1h");
    return rows.value().count();
  };
  for (const char* row : {"'t', 3600000, 0", "'t', 3600000, 31", "'t', 7200000, 5", "'it''s', 3600000, 5"}) {
    ASSERT_TRUE(
        query("INSERT INTO hot.data_raw_p_pt1h (tenant, time_slot, shard, bundle, arrived, source, value) VALUES (" +
              std::string(row) + ", 0x03, 1, 1, 0x00)"));
  }
  ASSERT_TRUE(apply(options));
  EXPECT_EQ(listed(), 0U) << "who writes says it";
  ASSERT_TRUE(query("DROP TABLE hot.prefix_lengths_p_pt1h"));
  ASSERT_TRUE(query("UPDATE hot.schema_version SET version = 7 WHERE id = 'varve'"));
  ASSERT_FALSE(check_schema(*session_, options));
  ASSERT_TRUE(apply(options));
  EXPECT_TRUE(check_schema(*session_, options));
  EXPECT_EQ(listed(), 3 * 7U);
}

TEST_F(SchemaLive, TellsWhetherReadsSeeWrites) {
  ASSERT_TRUE(apply(named("seen")));
  EXPECT_EQ(reads_see_writes(*session_, "seen", driver::Consistency::local_quorum).value(), true);
  EXPECT_EQ(reads_see_writes(*session_, "seen", driver::Consistency::one).value(), true) << "there is one copy";
  EXPECT_EQ(reads_see_writes(*session_, "not there", driver::Consistency::quorum).value(), false);
}

TEST_F(SchemaLive, ANewerOneIsRefusedAndLeftAlone) {
  const SchemaOptions options = named("newer");
  ASSERT_TRUE(apply(options));
  ASSERT_TRUE(
      query("UPDATE newer.schema_version SET version = " + std::to_string(kSchemaVersion + 1) + " WHERE id = 'varve'"));
  ASSERT_TRUE(query("DROP TABLE newer.alarms"));
  for (const Status& status : {check_schema(*session_, options), apply(options)}) {
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, Code::unsupported);
    EXPECT_NE(status.error().message.find("newer varve"), std::string::npos) << status.error().message;
  }
  EXPECT_EQ(steps_, 0);
  EXPECT_FALSE(query("SELECT * FROM newer.alarms"));
}

}  // namespace
}  // namespace varve::engine::cassandra
