// SPDX-License-Identifier: Apache-2.0
// The contract of RowStore. A program that includes this runs it on what it names:
//   INSTANTIATE_TEST_SUITE_P(Memory, RowStoreContract, ::testing::Values(MakeRows([] { … })));
// Stores may keep what earlier tests wrote: each test has a tenant of its own.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "engine/cassandra/tables/cell.h"
#include "engine/cassandra/tables/row_store.h"

namespace varve::engine::cassandra::testing {

class RowsUnderTest {
 public:
  virtual ~RowsUnderTest() = default;
  virtual RowStore& rows() = 0;
  virtual const Tables& tables() = 0;    // of slots of one hour with one level of five minutes
  virtual std::int64_t steady_ns() = 0;  // of the clock that deadlines are measured with
  virtual void let_pass(unsigned seconds) = 0;
};
using MakeRows = std::function<std::unique_ptr<RowsUnderTest>()>;

class RowStoreContract : public ::testing::TestWithParam<MakeRows> {
 protected:
  RowStoreContract() : under_test(GetParam()()), store(under_test->rows()), tables(under_test->tables()) {
    static std::atomic<int> number = 0;
    tenant = "tenant " + std::to_string(++number);
  }

  static std::string shard(int number) { return smallint_cell(static_cast<std::int16_t>(number)); }

  // A number as a hash that is ordered as it is.
  static std::string hash(std::int64_t number) {
    return bigint_cell(static_cast<std::int64_t>(static_cast<std::uint64_t>(number) ^ (std::uint64_t{1} << 63U)));
  }
  static std::int64_t number_of(std::string_view cell) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(bigint_of(cell).value()) ^ (std::uint64_t{1} << 63U));
  }

  // data_raw: a partition by its slot's number, a row by its group's.
  [[nodiscard]] RowWrite raw(std::int64_t slot, std::int64_t arrived, std::string value, std::int64_t timestamp_us = 1,
                             std::uint32_t ttl_s = 0) const {
    return {&tables.raw,
            {tenant, timestamp_cell(slot), shard(1)},
            {hash(arrived), bigint_cell(7), bigint_cell(-1)},
            {std::move(value)},
            timestamp_us,
            ttl_s};
  }
  [[nodiscard]] RowDelete no_raw(std::int64_t slot, std::int64_t arrived, std::int64_t timestamp_us) const {
    return {&tables.raw,
            {tenant, timestamp_cell(slot), shard(1)},
            {hash(arrived), bigint_cell(7), bigint_cell(-1)},
            timestamp_us};
  }
  [[nodiscard]] RowRead raw_of(std::int64_t slot) const {
    return {&tables.raw, {tenant, timestamp_cell(slot), shard(1)}, {}, {}, {"value"}};
  }
  void put(std::vector<RowWrite> rows) {
    const Status status = store.write_now(std::move(rows));
    ASSERT_TRUE(status) << status.error().message;
  }
  void remove(std::vector<RowDelete> rows) {
    const Status status = store.erase_now(std::move(rows));
    ASSERT_TRUE(status) << status.error().message;
  }

  // All cells of the rows of one read.
  std::vector<Cells> read(const RowRead& wanted) {
    std::vector<Cells> out;
    const Status status = store.read({&wanted, 1}, {}, [&](std::size_t number, const RowView& row) {
      EXPECT_EQ(number, 0U);
      out.emplace_back(row.cells.begin(), row.cells.end());
      return Status();
    });
    EXPECT_TRUE(status) << status.error().message;
    return out;
  }
  // Of a raw partition: group → value.
  std::map<std::int64_t, std::string> values(std::int64_t slot) {
    std::map<std::int64_t, std::string> out;
    for (const Cells& row : read(raw_of(slot))) out[number_of(row[0])] = row[3];
    return out;
  }
  using Values = std::map<std::int64_t, std::string>;

  std::unique_ptr<RowsUnderTest> under_test;
  RowStore& store;
  const Tables& tables;
  std::string tenant;
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(RowStoreContract);

TEST_P(RowStoreContract, every_kind_of_cell_comes_back) {
  const std::string hash("\0\xff\n\x80", 4), tags = text_map_cell({{"dc", ""}, {"host", "ä"}});
  const std::string names = list_cell(std::vector<std::string_view>{"cpu", "mem"});
  put({{&tables.line_groups, {tenant, hash}, {}, {tags, ""}, 1},
       {&tables.metric_lists, {tenant, hash}, {}, {names}, 1},
       {&tables.tenants, {shard(-3)}, {tenant}, {}, 1},
       {&tables.sealed, {tenant, hash, shard(31), timestamp_cell(-5)}, {timestamp_cell(7)}, {"chunk", ""}, 1},
       {&tables.alarms, {tenant}, {bigint_cell(-9)}, {timestamp_cell(1'790'000'000'123), "replica"}, 1}});
  using Rows = std::vector<Cells>;
  EXPECT_EQ(read({&tables.line_groups, {tenant, hash}, {}, {}, {"tags", "list_hash"}}), (Rows{{tags, ""}}));
  EXPECT_EQ(read({&tables.line_groups, {tenant, hash}, {}, {}, {"list_hash", "tags"}}), (Rows{{"", tags}}));
  EXPECT_EQ(read({&tables.line_groups, {tenant, hash}, {}, {}, {}}), (Rows{{}})) << "it is there";
  EXPECT_EQ(read({&tables.line_groups, {tenant, "other"}, {}, {}, {"tags"}}), Rows{});
  EXPECT_EQ(read({&tables.metric_lists, {tenant, hash}, {}, {}, {"names"}}), (Rows{{names}}));
  EXPECT_EQ(read({&tables.sealed, {tenant, hash, shard(31), timestamp_cell(-5)}, {}, {}, {"lives"}}),
            (Rows{{timestamp_cell(7), ""}}));
  EXPECT_EQ(read({&tables.alarms, {tenant}, {}, {}, {"at", "replica"}}),
            (Rows{{bigint_cell(-9), timestamp_cell(1'790'000'000'123), "replica"}}));
  const auto known = read({&tables.tenants, {shard(-3)}, {}, {}, {}});
  EXPECT_EQ(std::ranges::count(known, Cells{tenant}), 1);
}

TEST_P(RowStoreContract, rows_are_ordered_as_their_types_are) {
  std::vector<RowWrite> rows;
  for (const std::int64_t slot : {-1, 256, 255, 0, -256}) {
    for (const char* const name : {"z", "\xc3\xa4", "Z", "a", "ab"}) {
      rows.push_back({&tables.pending_journal,
                      {shard(1), timestamp_cell(std::hash<std::string>()(tenant) >> 8U)},
                      {timestamp_cell(slot), name, "\xff"},
                      {},
                      1});
    }
  }
  const Cells partition = rows[0].partition;
  put(std::move(rows));
  std::vector<Cells> wanted;
  for (const std::int64_t slot : {-256, -1, 0, 255, 256}) {
    for (const char* const name : {"Z", "a", "ab", "z", "\xc3\xa4"})
      wanted.push_back({timestamp_cell(slot), name, "\xff"});
  }
  EXPECT_EQ(read({&tables.pending_journal, partition, {}, {}, {}}), wanted);
}

TEST_P(RowStoreContract, a_part_of_a_partition) {
  put({raw(1, -1, "a"), raw(1, 0, "b"), raw(1, 1, "c"), raw(1, 300, "d"), raw(2, 0, "other")});
  const auto between = [&](std::optional<std::int64_t> from, std::optional<std::int64_t> until) {
    RowRead wanted = raw_of(1);
    if (from) wanted.from = hash(*from);
    if (until) wanted.until = hash(*until);
    std::string out;
    for (const Cells& row : read(wanted)) out += row[3];
    return out;
  };
  EXPECT_EQ(between({}, {}), "abcd");
  EXPECT_EQ(between(0, {}), "bcd");
  EXPECT_EQ(between({}, 1), "ab");
  EXPECT_EQ(between(0, 300), "bc");
  EXPECT_EQ(between(2, 300), "");
  EXPECT_EQ(between(300, 0), "");
}

TEST_P(RowStoreContract, the_later_timestamp_counts) {
  put({raw(1, 1, "new", 20), raw(1, 2, "old", 10)});
  put({raw(1, 1, "old", 10), raw(1, 2, "new", 20)});
  put({raw(1, 3, "same", 20)});
  put({raw(1, 3, "same", 20)});
  put({raw(1, 4, "a", 20)});
  put({raw(1, 4, "c", 20)});
  put({raw(1, 4, "b", 20)});
  EXPECT_EQ(values(1), (Values{{1, "new"}, {2, "new"}, {3, "same"}, {4, "c"}}));
}

TEST_P(RowStoreContract, within_one_call_too) {
  put({raw(1, 1, "new", 20), raw(1, 1, "old", 10), raw(1, 2, "old", 10), raw(1, 2, "new", 20)});
  EXPECT_EQ(values(1), (Values{{1, "new"}, {2, "new"}}));
}

TEST_P(RowStoreContract, a_delete_covers_what_is_older) {
  put({raw(1, 1, "older", 9), raw(1, 2, "same", 10), raw(1, 3, "newer", 11), raw(1, 4, "untouched", 1)});
  remove({no_raw(1, 1, 10), no_raw(1, 2, 10), no_raw(1, 3, 10)});
  EXPECT_EQ(values(1), (Values{{3, "newer"}, {4, "untouched"}}));
  put({raw(1, 1, "late", 10), raw(1, 2, "again", 11)});
  EXPECT_EQ(values(1), (Values{{2, "again"}, {3, "newer"}, {4, "untouched"}}));
  remove({{&tables.raw, raw_of(1).partition, {}, 11}});
  EXPECT_EQ(values(1), Values{});
  put({raw(1, 1, "late", 11), raw(1, 2, "again", 12), raw(2, 1, "other", 1)});
  EXPECT_EQ(values(1), (Values{{2, "again"}}));
  EXPECT_EQ(values(2), (Values{{1, "other"}}));
  remove({{&tables.raw, {tenant, timestamp_cell(1), shard(2)}, {}, 11}});
}

TEST_P(RowStoreContract, a_delete_of_a_range) {
  put({raw(1, -1, "before", 9), raw(1, 1, "first", 9), raw(1, 2, "older", 9), raw(1, 3, "newer", 11)});
  put({raw(1, 4, "behind", 9), raw(2, 2, "other", 9)});
  const auto range = [&](std::int64_t from, std::int64_t until, std::int64_t timestamp_us) {
    remove({{&tables.raw, raw_of(1).partition, {}, timestamp_us, {{hash(from), hash(until)}}}});
  };
  range(1, 4, 10);
  EXPECT_EQ(values(1), (Values{{-1, "before"}, {3, "newer"}, {4, "behind"}}));
  put({raw(1, 1, "late", 10), raw(1, 2, "again", 11)});
  EXPECT_EQ(values(1), (Values{{-1, "before"}, {2, "again"}, {3, "newer"}, {4, "behind"}}));
  range(2, 2, 20);
  range(3, 2, 20);
  EXPECT_EQ(values(1).size(), 4U) << "of nothing";
  put({raw(1, 5, "older", 20)});
  remove({{&tables.raw, raw_of(1).partition, {}, 21, {{hash(5), hash(6)}}}, no_raw(1, 4, 9)});
  EXPECT_EQ(values(1), (Values{{-1, "before"}, {2, "again"}, {3, "newer"}})) << "with others";
  EXPECT_EQ(values(2), (Values{{2, "other"}}));
}

TEST_P(RowStoreContract, a_row_goes_when_its_time_is_over) {
  put({raw(1, 1, "short", 10, 1), raw(1, 2, "long", 10, 3'000), raw(1, 3, "usual", 10), raw(1, 4, "long", 10, 3'000)});
  put({raw(1, 4, "short", 11, 1), raw(1, 2, "short", 9, 1)});
  under_test->let_pass(3);
  EXPECT_EQ(values(1), (Values{{2, "long"}, {3, "usual"}})) << "and what was below does not come back";
}

TEST_P(RowStoreContract, values_of_all_sizes) {
  const std::string large(1 << 20, 'x');
  put({raw(1, 1, ""), raw(1, 2, large), raw(1, 3, "small")});
  EXPECT_EQ(values(1), (Values{{1, ""}, {2, large}, {3, "small"}}));
}

TEST_P(RowStoreContract, more_rows_than_fit_a_page_or_a_batch) {
  std::vector<RowWrite> rows;
  for (std::int64_t i = 0; i < 3'000; ++i) rows.push_back(raw(1, i, "v" + std::to_string(i)));
  put(std::move(rows));
  std::int64_t next = 0;
  for (const Cells& row : read(raw_of(1))) {
    ASSERT_EQ(number_of(row[0]), next);
    ASSERT_EQ(row[3], "v" + std::to_string(next++));
  }
  EXPECT_EQ(next, 3'000);
}

TEST_P(RowStoreContract, many_reads_at_once) {
  std::vector<RowWrite> rows;
  std::vector<RowRead> reads;
  for (std::int64_t slot = 0; slot < 400; ++slot) {
    for (std::int64_t i = 0; i < slot % 7; ++i) rows.push_back(raw(slot, i, std::to_string(slot)));
    reads.push_back(raw_of(slot));
  }
  put(std::move(rows));
  std::vector<std::int64_t> seen(reads.size());
  const auto thread = std::this_thread::get_id();
  const Status status = store.read(reads, {}, [&](std::size_t number, const RowView& row) {
    EXPECT_EQ(std::this_thread::get_id(), thread);
    EXPECT_EQ(number_of(row.cells[0]), seen[number]++) << "in order";
    EXPECT_EQ(row.cells[3], std::to_string(number));
    return Status();
  });
  ASSERT_TRUE(status) << status.error().message;
  for (std::size_t slot = 0; slot < seen.size(); ++slot) EXPECT_EQ(seen[slot], slot % 7);
}

TEST_P(RowStoreContract, a_read_ends_when_it_is_told_to) {
  put({raw(1, 1, "a"), raw(1, 2, "b"), raw(2, 1, "c")});
  const std::vector<RowRead> reads{raw_of(1), raw_of(2)};
  int rows = 0;
  const auto count = [&](std::size_t, const RowView&) {
    ++rows;
    return Status();
  };
  const Status stopped = store.read(reads, {}, [&](std::size_t number, const RowView& row) -> Status {
    EXPECT_TRUE(count(number, row));
    return fail(Code::too_large, "enough");
  });
  EXPECT_EQ(stopped.error().message, "enough");
  EXPECT_EQ(rows, 1);
  const std::atomic<bool> cancelled = true;
  EXPECT_EQ(store.read(reads, {&cancelled, 0}, count).error().code, Code::cancelled);
  EXPECT_EQ(store.read(reads, {nullptr, under_test->steady_ns() - 1}, count).error().code, Code::timeout);
  EXPECT_EQ(rows, 1);
  EXPECT_TRUE(store.read(reads, {nullptr, under_test->steady_ns() + 60'000'000'000}, count));
  EXPECT_EQ(rows, 4);
}

TEST_P(RowStoreContract, what_does_not_fit_a_table_is_refused) {
  const auto refused = [](const Status& status, std::string_view word) {
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, Code::invalid);
    EXPECT_NE(status.error().message.find(word), std::string::npos) << status.error().message;
  };
  RowWrite row = raw(1, 1, "v");
  row.clustering.pop_back();
  refused(store.write_now({raw(1, 2, "fits"), row}), tables.raw.name);
  row.clustering.push_back("short");
  refused(store.write_now({row}), "source");
  EXPECT_EQ(values(1), Values{}) << "nothing was written";
  refused(store.erase_now({{&tables.raw, {tenant}, {}, 1}}), tables.raw.name);
  refused(store.erase_now({{&tables.line_groups, {tenant, hash(1)}, {}, 1, {{hash(1), hash(2)}}}}),
          tables.line_groups.name);
  RowDelete both = no_raw(1, 1, 1);
  both.range = {hash(1), hash(2)};
  refused(store.erase_now({both}), tables.raw.name);
  const auto nothing = [](std::size_t, const RowView&) { return Status(); };
  RowRead wrong = raw_of(1);
  wrong.values = {"nonsense"};
  refused(store.read({&wrong, 1}, {}, nothing), "nonsense");
  wrong = {&tables.alarms, {tenant}, "short", {}, {}};
  refused(store.read({&wrong, 1}, {}, nothing), "source");
}

TEST_P(RowStoreContract, rows_by_keys) {
  std::vector<RowWrite> rows;
  for (int i = 0; i < 100; ++i) {
    for (const std::int64_t source : {1, 2}) {
      rows.push_back(raw(1, i, std::to_string(i)));
      rows.back().clustering[2] = bigint_cell(source);
    }
  }
  put(std::move(rows));
  RowRead wanted = raw_of(1);
  wanted.keys = {hash(3), hash(50), hash(1000)};
  std::vector<std::string> found;
  for (const Cells& row : read(wanted)) found.push_back(row[3]);
  EXPECT_EQ(found, (std::vector<std::string>{"3", "3", "50", "50"}));
  wanted.from = hash(1);
  EXPECT_EQ(store.read({&wanted, 1}, {}, [](std::size_t, const RowView&) { return Status(); }).error().code,
            Code::invalid);
}

TEST_P(RowStoreContract, the_whole_table) {
  std::vector<RowWrite> rows;
  std::map<std::pair<std::string, std::string>, int> wanted;
  for (int i = 0; i < 2'000; ++i) {
    const std::string key = shard(i % 700), name = "m" + std::to_string(i);
    rows.push_back({&tables.erasures,
                    {tenant, key},
                    {"group", bigint_cell(i)},
                    {timestamp_cell(0), timestamp_cell(1), name, bigint_cell(0)},
                    1});
    wanted[{key, name}] = 1;
  }
  put(std::move(rows));
  decltype(wanted) found;
  const std::vector<std::string> columns{"columns"};
  const auto collect = [&](const RowView& row) {
    EXPECT_EQ(row.cells.size(), 5U);
    if (row.cells[0] == tenant) ++found[{std::string(row.cells[1]), std::string(row.cells[4])}];
    return Status();
  };
  ASSERT_TRUE(store.read_all(tables.erasures, columns, collect));
  EXPECT_EQ(found, wanted);
  const auto stop = [](const RowView&) -> Status { return fail(Code::too_large, "enough"); };
  EXPECT_EQ(store.read_all(tables.erasures, columns, stop).error().message, "enough");
}

TEST_P(RowStoreContract, nothing_to_do) {
  EXPECT_TRUE(store.write_now({}));
  EXPECT_TRUE(store.erase_now({}));
  EXPECT_TRUE(store.read({}, {}, [](std::size_t, const RowView&) { return Status(); }));
}

TEST_P(RowStoreContract, many_writers) {
  constexpr int kThreads = 4, kCalls = 50;
  std::atomic<int> failed = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kCalls; ++i) {
        std::vector<RowWrite> rows;
        for (int slot = 0; slot < 5; ++slot) rows.push_back(raw(slot, t * kCalls + i, "v"));
        failed += !store.write_now(std::move(rows));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 0);
  for (int slot = 0; slot < 5; ++slot) EXPECT_EQ(values(slot).size(), kThreads * kCalls);
}

}  // namespace varve::engine::cassandra::testing
