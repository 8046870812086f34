// SPDX-License-Identifier: Apache-2.0
// Two replicas on one store: what one announces the other finds.
#include "engine/cassandra/series/series_tables.h"

#include <gtest/gtest.h>

#include "engine/cassandra/series/testing/replica.h"
#include "model/testing/lengths.h"
#include "tracker/partition.h"

namespace varve::engine::cassandra::testing {
namespace {

using Names = std::vector<std::string>;

class SeriesTablesTest : public ::testing::Test {
 protected:
  std::size_t reads(const Table& table) { return shared.rows.counts(table).reads; }
  std::size_t written(const Table& table) { return shared.rows.counts(table).rows_written; }

  Shared shared;
  Replica a{shared}, b{shared};
};

TEST_F(SeriesTablesTest, AnEmptyStoreAnswers) {
  EXPECT_EQ(a.find_tenant("t")->has_value(), false);
  EXPECT_TRUE(a.tenants()->empty());
  const auto tenant = *a.tenant("t");
  EXPECT_TRUE(a.select(tenant, "m", {})->empty());
  EXPECT_TRUE(a.metric_names(tenant, {})->empty());
  EXPECT_TRUE(a.tag_keys(tenant, "", {})->empty());
  EXPECT_FALSE(a.select(tenant, "m", {{"host", index::Matcher::Kind::regex, {"("}}}));
  EXPECT_FALSE(*b.find_tenant("t")) << "not before its first sample";
}

TEST_F(SeriesTablesTest, WhatOneAcknowledgesTheOtherFinds) {
  ASSERT_TRUE(a.append(a.group({"cpu", "mem"}, "a")));
  ASSERT_TRUE(a.append(a.group({"cpu"}, "b")));
  ASSERT_TRUE(a.append(a.group({"cpu"}, "c", "other")));
  const auto tenant = b.find_tenant("t");
  ASSERT_TRUE(tenant && *tenant);
  EXPECT_EQ(*b.tenants(), (Names{"other", "t"}));
  EXPECT_EQ(*b.metric_names(**tenant, {}), (Names{"cpu", "mem"}));
  EXPECT_EQ(*b.metric_names(**tenant, {.prefix = "m"}), Names{"mem"});
  EXPECT_EQ(b.metric_names(**tenant, {.limit = 1})->size(), 1U);
  EXPECT_EQ(*b.hosts("cpu"), (Names{"a", "b"}));
  EXPECT_EQ(*b.hosts("mem"), Names{"a"});
  EXPECT_EQ(*b.hosts("cpu", {}, "other"), Names{"c"});
  EXPECT_EQ(*b.tag_values(**tenant, "", "host", {}), (Names{"a", "b"}));
  EXPECT_EQ(b.tag_counts(**tenant, "cpu", {})->size(), 2U);
  EXPECT_EQ(b.series_count(**tenant), 3U);
  const auto found = b.select(**tenant, "cpu", {{"host", index::Matcher::Kind::any_of, {"b"}}});
  ASSERT_EQ(found->size(), 1U);
  EXPECT_EQ(b.tags(**tenant, *found)[0], (model::Tags{{"host", "b"}}));
  ASSERT_TRUE(a.append(a.group({"cpu"}, "z")));
  EXPECT_EQ(*b.hosts("cpu"), (Names{"a", "b", "z"}));
}

TEST_F(SeriesTablesTest, BeyondAllTimesThereIsNothing) {
  ASSERT_TRUE(a.append(a.group({"cpu"}, "a")));
  constexpr model::Timestamp kFirst = std::numeric_limits<model::Timestamp>::min(), kLast = -(kFirst + 1);
  EXPECT_EQ(b.hosts("cpu", {kFirst, kLast})->size(), 1U);
  EXPECT_EQ(a.hosts("cpu", {kFirst, kFirst + 1})->size(), 1U) << "what is known here is listed";
}

TEST_F(SeriesTablesTest, NothingIsReadTwice) {
  ASSERT_TRUE(a.append(a.group({"cpu"}, "a")));
  EXPECT_EQ(*b.hosts("cpu"), Names{"a"});
  const std::size_t before = reads(shared.tables.series_sets);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(*b.hosts("cpu"), Names{"a"});
  EXPECT_EQ(reads(shared.tables.series_sets), before);
  ASSERT_TRUE(a.append(a.group({"cpu"}, "a"))) << "nothing new";
  EXPECT_EQ(*b.hosts("cpu"), Names{"a"});
  EXPECT_EQ(reads(shared.tables.series_sets), before);
  shared.clock.advance_ms(61'000);
  EXPECT_EQ(*b.hosts("cpu"), Names{"a"});
  EXPECT_EQ(reads(shared.tables.series_sets), before + 16) << "once a minute even so";
}

TEST_F(SeriesTablesTest, OnlyWhatIsNewIsRead) {
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(a.append(a.group({"cpu"}, "h" + std::to_string(i))));
  EXPECT_EQ(b.hosts("cpu")->size(), 20U);
  shared.clock.advance_ms(300'000);
  EXPECT_EQ(b.hosts("cpu")->size(), 20U);
  const std::size_t before = shared.rows.counts(shared.tables.series_sets).rows_read;
  ASSERT_TRUE(a.append(a.group({"cpu"}, "new")));
  EXPECT_EQ(b.hosts("cpu")->size(), 21U);
  EXPECT_EQ(shared.rows.counts(shared.tables.series_sets).rows_read, before + 1);
}

TEST_F(SeriesTablesTest, AnAnnouncementThatFailsIsNone) {
  const GroupBucket wanted{a.group({"cpu", "mem"}, "a"), shared.bucket()};
  // Stops after each row in turn, as a process that dies: nothing is announced, and all of it comes when it is
  // repeated.
  for (std::size_t rows = 0; rows < 9; ++rows) {
    shared.rows.fail_writes_after(rows);
    ASSERT_FALSE(a.announce_now(a.missing({&wanted, 1}))) << rows;
    EXPECT_EQ(a.missing({&wanted, 1}).size(), 1U);
  }
  shared.rows.let_write();
  ASSERT_TRUE(b.hosts("cpu"));
  ASSERT_TRUE(a.append(wanted.group));
  EXPECT_EQ(*b.hosts("cpu"), Names{"a"});
  EXPECT_EQ(*b.hosts("mem"), Names{"a"});
  EXPECT_EQ(*b.metric_names(**b.find_tenant("t"), {}), (Names{"cpu", "mem"}));
  EXPECT_TRUE(a.missing({&wanted, 1}).empty());
}

TEST_F(SeriesTablesTest, OfManyWhatStandsIsAnnounced) {
  constexpr std::size_t kGroups = 3000;
  std::vector<GroupBucket> wanted;
  for (std::size_t i = 0; i < kGroups; ++i) wanted.push_back({a.group({"m", "n"}, std::to_string(i)), shared.bucket()});
  shared.rows.fail_writes_after(7000);
  EXPECT_EQ(a.announce_now(a.missing(wanted)).error().code, Code::unavailable);
  const auto left = a.missing(wanted);
  EXPECT_EQ(left.size(), kGroups / 3);
  EXPECT_GE(b.hosts("m")->size(), kGroups - left.size());
  shared.rows.let_write();
  ASSERT_TRUE(a.announce_now(left));
  EXPECT_TRUE(a.missing(wanted).empty());
  EXPECT_EQ(b.hosts("m")->size(), kGroups);
}

TEST_F(SeriesTablesTest, AnAnnouncementThatTookTooLongIsNone) {
  const GroupBucket wanted{a.group({"cpu"}, "a"), shared.bucket()};
  shared.rows.before_write([&](const MemoryRows::Change& change) -> Status {
    if (&change.table == &shared.tables.tenants) shared.clock.advance_ms(31'000);
    return {};
  });
  EXPECT_EQ(a.announce_now(a.missing({&wanted, 1})).error().code, Code::unavailable);
  EXPECT_EQ(a.missing({&wanted, 1}).size(), 1U);
  shared.rows.before_write({});
  EXPECT_TRUE(a.append(wanted.group));
}

TEST_F(SeriesTablesTest, EachIndexBucketIsAnnounced) {
  const auto group = a.group({"cpu"}, "a");
  ASSERT_TRUE(a.append(group));
  const std::size_t before = written(shared.tables.series_sets);
  ASSERT_TRUE(a.append(group));
  EXPECT_EQ(written(shared.tables.series_sets), before);
  const auto old = shared.bucket() - 5 * kIndexBucketMs;
  ASSERT_TRUE(a.append(group, old));
  ASSERT_TRUE(a.append(group));
  ASSERT_TRUE(a.append(group, old));
  EXPECT_EQ(written(shared.tables.series_sets), before + 1);
  shared.clock.advance_ms(kIndexBucketMs);
  ASSERT_TRUE(a.append(group));
  EXPECT_EQ(written(shared.tables.series_sets), before + 2);
  EXPECT_EQ(*b.hosts("cpu", {old, old + 1}), Names{"a"});
  Replica c(shared);
  EXPECT_TRUE(c.hosts("cpu", {old + kIndexBucketMs, old + 2 * kIndexBucketMs})->empty());
  EXPECT_EQ(*c.hosts("cpu"), Names{"a"});
  EXPECT_EQ(reads(shared.tables.metric_time_windows), 1U);
}

TEST_F(SeriesTablesTest, NamesAreWrittenOnceAnIndexBucket) {
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(a.append(a.group({"cpu", "mem"}, std::to_string(i))));
  EXPECT_EQ(written(shared.tables.metric_names), 2U);
  EXPECT_EQ(written(shared.tables.metric_lists), 1U);
  EXPECT_EQ(written(shared.tables.tenants), 1U);
  EXPECT_EQ(written(shared.tables.metric_time_windows), 2U);
  EXPECT_EQ(written(shared.tables.line_groups), 10U);
  shared.clock.advance_ms(kIndexBucketMs);
  ASSERT_TRUE(a.append(a.group({"cpu", "mem"}, "0")));
  EXPECT_EQ(written(shared.tables.metric_names), 4U) << "they live as long as samples do";
}

TEST_F(SeriesTablesTest, RowsLiveAnIndexBucketLongerThanSamples) {
  using model::testing::kDay;
  Replica keeps(shared, {.directory = {}, .retention_ms = 30 * kDay});
  ASSERT_TRUE(keeps.append(keeps.group({"cpu"}, "a")));
  shared.clock.advance_ms(36 * kDay);
  EXPECT_EQ(*b.hosts("cpu"), Names{"a"});
  shared.clock.advance_ms(2 * kDay);
  Replica c(shared);
  EXPECT_TRUE(c.hosts("cpu")->empty());
  for (const Table* table : shared.tables.all()) EXPECT_EQ(shared.rows.size(*table), 0U) << table->name;
}

TEST_F(SeriesTablesTest, WithoutCassandraNobodyIsToldThatThereIsNothing) {
  ASSERT_TRUE(a.append(a.group({"cpu"}, "a")));
  const auto tenant = **b.find_tenant("t");
  EXPECT_EQ(*b.hosts("cpu"), Names{"a"});
  shared.rows.refuse(true);
  EXPECT_EQ(*b.hosts("cpu"), Names{"a"}) << "nothing has changed";
  EXPECT_EQ(b.find_tenant("x").error().code, Code::unavailable);
  EXPECT_EQ(b.select(tenant, "mem", {}).error().code, Code::unavailable);
  EXPECT_EQ(b.metric_names(tenant, {}).error().code, Code::unavailable);
  EXPECT_EQ(b.tag_keys(tenant, "", {}).error().code, Code::unavailable);
  EXPECT_EQ(b.tag_values(tenant, "mem", "host", {}).error().code, Code::unavailable);
  EXPECT_EQ(b.tag_counts(tenant, "", {}).error().code, Code::unavailable);
  EXPECT_EQ(b.tenants().error().code, Code::unavailable);
  EXPECT_FALSE(a.append(a.group({"cpu"}, "new")));
  EXPECT_TRUE(a.append(a.group({"cpu"}, "a"))) << "it is announced";
  shared.rows.refuse(false);
  EXPECT_TRUE(a.append(a.group({"cpu"}, "new")));
  EXPECT_EQ(*b.hosts("cpu"), (Names{"a", "new"}));
}

TEST_F(SeriesTablesTest, WithoutRedisEachQuestionReadsAnew) {
  ASSERT_TRUE(a.append(a.group({"cpu"}, "a")));
  EXPECT_EQ(*b.hosts("cpu"), Names{"a"});
  shared.versions.away(true);
  ASSERT_TRUE(a.append(a.group({"cpu"}, "new"))) << "samples are taken";
  EXPECT_EQ(a.raises_failed(), 1U);
  EXPECT_EQ(*b.hosts("cpu"), (Names{"a", "new"}));
  ASSERT_TRUE(a.append(a.group({"cpu"}, "owed")));
  shared.versions.away(false);
  EXPECT_TRUE(a.listen());
  EXPECT_EQ(*b.hosts("cpu"), (Names{"a", "new", "owed"}));
}

TEST_F(SeriesTablesTest, WhereNumbersAreMissingEachQuestionReadsAnew) {
  ASSERT_TRUE(a.append(a.group({"cpu"}, "a")));
  EXPECT_EQ(*b.hosts("cpu"), Names{"a"});
  shared.versions.away(true);
  ASSERT_TRUE(a.append(a.group({"cpu"}, "new")));
  shared.versions.away(false);
  Result<bool> missing = false;
  b.loader().when_numbers_are_missing([&] { return missing; });
  EXPECT_EQ(*b.hosts("cpu"), Names{"a"}) << "a has not raised them, and no marker said so";
  missing = true;
  EXPECT_EQ(*b.hosts("cpu"), (Names{"a", "new"}));
  missing = fail(Code::unavailable, "nobody knows");
  EXPECT_EQ(b.hosts("cpu").error().code, Code::unavailable);
}

TEST_F(SeriesTablesTest, NumbersThatWereLostAreNotTrusted) {
  ASSERT_TRUE(a.append(a.group({"cpu"}, "a")));
  EXPECT_EQ(*b.hosts("cpu"), Names{"a"});
  ASSERT_TRUE(a.append(a.group({"cpu"}, "new")));
  shared.versions.lose();
  EXPECT_EQ(*b.hosts("cpu"), (Names{"a", "new"}));
}

TEST_F(SeriesTablesTest, MembersAreKnownByTheirNamesEverywhere) {
  const auto group = a.group({"cpu", "mem"}, "a");
  ASSERT_TRUE(a.append(group));
  ASSERT_TRUE(b.append(b.group({"disk"}, "first")));  // so numbers differ
  GroupNames names_a(a), names_b(b);
  const tracker::Member member{a.directory().name(group).tenant, model::to_int(group)};
  const std::string name = names_a.name(member);
  EXPECT_EQ(names_a.tenant(member.tenant), "t");
  const std::string unknown = tracker::redis::member_name("t", list_hash({})), nobody = name + "x";
  const std::vector<std::string_view> asked = {name, unknown, "short", nobody};
  const auto found = names_b.find(asked);
  ASSERT_TRUE(found);
  ASSERT_TRUE((*found)[0]);
  EXPECT_FALSE((*found)[1] || (*found)[2] || (*found)[3]);
  EXPECT_EQ(names_b.name(*(*found)[0]), name);
  const auto there = b.directory().name(model::GroupId{(*found)[0]->id});
  EXPECT_EQ(there.partition, a.directory().name(group).partition);
  EXPECT_EQ(there.partition, tracker::partition_of("t", tags_hash({{"host", "a"}}), 64));
  EXPECT_EQ(*b.hosts("cpu"), Names{"a"});
  shared.rows.refuse(true);
  EXPECT_TRUE(names_b.find({asked.data(), 1})) << "known by now";
  EXPECT_EQ(names_b.find(asked).error().code, Code::unavailable);
}

TEST_F(SeriesTablesTest, ATenantMayBeFull) {
  Replica small(shared, {.directory = {.series_per_tenant_max = 2}});
  ASSERT_TRUE(small.append(small.group({"cpu", "mem"}, "a")));
  const std::vector<std::string_view> more = {"disk"};
  EXPECT_EQ(small.define_group(*small.tenant("t"), {{"host", "a"}}, more).error().code, Code::limit);
  ASSERT_TRUE(a.append(a.group({"cpu"}, "b")));
  EXPECT_EQ(*small.hosts("cpu"), (Names{"a", "b"})) << "what is there is shown";
}

}  // namespace
}  // namespace varve::engine::cassandra::testing
