// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/tables/testing/memory_rows.h"

#include <gtest/gtest.h>

#include "engine/cassandra/tables/split_rows.h"
#include "engine/cassandra/tables/testing/row_store_contract.h"

namespace varve::engine::cassandra::testing {
namespace {

class InMemory final : public RowsUnderTest {
 public:
  // With pieces of so many bytes.
  explicit InMemory(std::size_t piece_bytes = 0) : piece_bytes_(piece_bytes) {}
  RowStore& rows() override { return piece_bytes_ == 0 ? static_cast<RowStore&>(rows_) : split_; }
  const Tables& tables() override { return tables_; }
  std::int64_t steady_ns() override { return clock_.steady_ns(); }
  void let_pass(unsigned seconds) override { clock_.advance_ms(seconds * 1000); }

 private:
  ManualClock clock_;
  Tables tables_{SchemaOptions{.rollups = {{300'000, rollup::kForEver}}, .message_rules = {}}};
  MemoryRows rows_{clock_};
  const std::size_t piece_bytes_;
  SplitRows split_{rows_, piece_bytes_};
};

INSTANTIATE_TEST_SUITE_P(Memory, RowStoreContract,
                         ::testing::Values(MakeRows([] { return std::make_unique<InMemory>(); })));
INSTANTIATE_TEST_SUITE_P(Split, RowStoreContract,
                         ::testing::Values(MakeRows([] { return std::make_unique<InMemory>(10); })));

class MemoryRowsTest : public ::testing::Test {
 protected:
  RowWrite row(const char* metric) { return {&tables.metric_names, {"t", smallint_cell(0)}, {metric}, {}, 1}; }
  RowRead all() { return {&tables.metric_names, {"t", smallint_cell(0)}, {}, {}, {}}; }
  std::size_t size() { return rows.size(tables.metric_names); }

  ManualClock clock;
  Tables tables{SchemaOptions{}};
  MemoryRows rows{clock};
};

TEST_F(MemoryRowsTest, TheTablesOwnTimeToLive) {
  ASSERT_TRUE(rows.write_now({{&tables.alarms, {"id"}, {bigint_cell(1)}, {timestamp_cell(0), "r"}, 1}}));
  clock.advance_ms(kHotKeptMs - 1000);
  EXPECT_EQ(rows.size(tables.alarms), 1U);
  clock.advance_ms(1000);
  EXPECT_EQ(rows.size(tables.alarms), 0U);
}

TEST_F(MemoryRowsTest, Refuses) {
  rows.refuse(true);
  const auto nothing = [](std::size_t, const RowView&) { return Status(); };
  const auto nothing_of_all = [](const RowView&) { return Status(); };
  const RowRead read = all();
  for (const Status& status : {rows.write_now({row("m")}), rows.erase_now({}), rows.read({&read, 1}, {}, nothing),
                               rows.read_all(tables.metric_names, {}, nothing_of_all)}) {
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, Code::unavailable);
  }
  rows.refuse(false);
  EXPECT_EQ(size(), 0U);
  EXPECT_TRUE(rows.write_now({row("m")}));
}

TEST_F(MemoryRowsTest, FailsInTheMiddle) {
  rows.fail_writes_after(2);
  EXPECT_EQ(rows.write_now({row("a"), row("b"), row("c")}).error().code, Code::unavailable);
  EXPECT_EQ(size(), 2U);
  EXPECT_FALSE(rows.write_now({row("d")}));
  rows.let_write();
  EXPECT_TRUE(rows.write_now({row("c")}));
  EXPECT_EQ(size(), 3U);
}

TEST_F(MemoryRowsTest, SomethingInBetween) {
  rows.before_write([&](const MemoryRows::Change& change) -> Status {
    if (change.clustering[0] == "b" && size() == 1) return rows.write_now({row("other")});
    if (change.clustering[0] == "c") return fail(Code::timeout, "slow");
    return {};
  });
  EXPECT_TRUE(rows.write_now({row("a"), row("b")}));
  EXPECT_EQ(size(), 3U);
  EXPECT_EQ(rows.write_now({row("c")}).error().code, Code::timeout);
  rows.before_write({});
  rows.before_read([&](const RowRead&) { return rows.write_now({row("c")}); });
  const RowRead read = all();
  int seen = 0;
  EXPECT_TRUE(rows.read({&read, 1}, {}, [&](std::size_t, const RowView&) {
    ++seen;
    return Status();
  }));
  EXPECT_EQ(seen, 4);
}

TEST_F(MemoryRowsTest, Counts) {
  ASSERT_TRUE(rows.write_now({row("a"), row("b")}));
  ASSERT_TRUE(rows.write_now({row("a")}));
  ASSERT_TRUE(rows.erase_now({{&tables.metric_names, {"t", smallint_cell(0)}, {"a"}, 5}}));
  const std::vector<RowRead> reads{all(), all()};
  ASSERT_TRUE(rows.read(reads, {}, [](std::size_t, const RowView&) { return Status(); }));
  const auto counts = rows.counts(tables.metric_names);
  EXPECT_EQ(counts.rows_written, 3U);
  EXPECT_EQ(counts.batches, 2U);
  EXPECT_EQ(counts.rows_erased, 1U);
  EXPECT_EQ(counts.reads, 2U);
  EXPECT_EQ(counts.rows_read, 2U);
  EXPECT_EQ(rows.counts(tables.tenants).rows_written, 0U);
  rows.reset_counts();
  EXPECT_EQ(rows.counts(tables.metric_names).rows_written, 0U);
}

}  // namespace
}  // namespace varve::engine::cassandra::testing
