// SPDX-License-Identifier: Apache-2.0
// For tests: a line group whose samples are put as hot rows, sealed, and made into rollup blocks, on rows in memory.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "engine/cassandra/hot/hot_pieces.h"
#include "engine/cassandra/scan/erasure_rows.h"
#include "engine/cassandra/settle/rollup_block_maker.h"
#include "engine/cassandra/settle/sealer.h"
#include "engine/cassandra/tables/hot_rows.h"
#include "engine/cassandra/tables/prefix_lengths.h"
#include "engine/cassandra/tables/testing/memory_rows.h"
#include "model/testing/lengths.h"

namespace varve::engine::cassandra::testing {

using model::testing::kDay;
using model::testing::kHour;
using model::testing::kMinute;
inline constexpr model::Timestamp kStart = 400'032 * kHour;  // a multiple of 48 hours and of 4

// Numbers of one process alone.
class CountedVersions final : public WriteVersions {
 public:
  Result<std::int64_t> draw(std::int64_t above) override {
    last_ = std::max(last_, above) + 1;
    return last_;
  }

 private:
  std::int64_t last_ = 0;
};

class GroupRows : public ::testing::Test {
 protected:
  static SchemaOptions schema_of(std::vector<rollup::Level> levels, std::int64_t raw_retention_ms) {
    SchemaOptions options;
    options.keyspace = "k";
    options.slot_width_ms = kHour;
    options.raw_retention_ms = raw_retention_ms;
    options.rollups = std::move(levels);
    return options;
  }
  explicit GroupRows(std::vector<rollup::Level> levels = {}, std::int64_t raw_retention_ms = rollup::kForEver)
      : schema(schema_of(std::move(levels), raw_retention_ms)) {}

  ManualClock clock{400'000 * kHour};
  SchemaOptions schema;
  Tables tables{schema};
  MemoryRows rows{clock};
  Stamps stamps;
  CountedVersions versions;
  SlotReader reader{rows, tables, schema, kHour};
  Sealer sealer{rows, reader, versions, clock};

  static GroupRef group_named(char name, std::size_t columns) { return {{"acme", std::string(16, name)}, columns}; }
  std::int64_t now_us() { return stamps.draw(clock.now_ms() * 1000); }

  // All series of the group have the value, at each time.
  void put(const GroupRef& group, const std::vector<std::pair<model::Timestamp, model::Value>>& samples) {
    model::LineGroup line;
    line.id = model::GroupId{1};
    line.count = static_cast<std::uint16_t>(group.columns);
    model::RowBatch batch;
    for (const auto& [time, value] : samples) batch.add(line, time, std::vector<model::Value>(group.columns, value));
    for (HotPiece& piece : pieces_of(group, batch)) {
      ASSERT_TRUE(rows.write_now(
          {hot_write(tables, "acme", piece.prefix, piece.slot, {now_us(), 1}, piece.value), length_row(piece.slot)}));
    }
  }
  static std::vector<HotPiece> pieces_of(const GroupRef& group, const model::RowBatch& batch) {
    GroupName name;
    EXPECT_TRUE(hash_of(group.cells.group, name.hash));
    name.prefix_bits = 64;
    return hot_pieces(batch, kHour, [&](std::span<const model::GroupId>) { return std::vector{name}; }).pieces;
  }
  RowWrite length_row(model::Timestamp slot) {
    return prefix_length_write(tables, "acme", slot, kHour, 64, now_us(), clock.now_ms());
  }
  // A row of the group that says this.
  RowWrite bad_row(const GroupRef& group, model::Timestamp slot, std::string_view said) {
    std::string value;
    append_section(value, group.cells.group, said);
    return hot_write(tables, "acme", hash_prefix_of(group.cells.group, 64), slot, {now_us(), 1}, value);
  }
  SealedSlot seal(const GroupRef& group, model::Timestamp slot) {
    const SealWork work{group, slot};
    auto sealed = sealer.seal({&work, 1});
    EXPECT_TRUE(sealed) << sealed.error().message;
    EXPECT_TRUE((*sealed)[0].status);
    return (*sealed)[0];
  }
  // Of a column in these slots, also what is not sealed of the slots `hot`.
  std::vector<std::pair<model::Timestamp, std::int64_t>> samples_of(const GroupRef& group, std::uint16_t column,
                                                                    model::TimeRange slots,
                                                                    std::vector<model::Timestamp> hot = {}) {
    const SlotsWanted wanted{&group, slots, {column / kSeriesPerColumnShard}, std::move(hot)};
    const auto lists = reader.read({&wanted, 1}, {});
    EXPECT_TRUE(lists) << lists.error().message;
    std::vector<std::pair<model::Timestamp, std::int64_t>> samples;
    for (const SlotData& data : (*lists)[0]) {
      if (wanted.hot.empty()) {
        EXPECT_EQ(data.stored_shards, 1U);
      }
      shared::Gather gather;
      EXPECT_TRUE(gather_columns(data, {&column, 1}, gather));
      gather.finish();
      for (std::size_t i = 0; i < gather.times().size(); ++i) {
        const chunk::Column& c = gather.columns()[0];
        const bool typed = c.form == chunk::Column::Form::typed;
        if (typed && c.types[i] == chunk::kErased) continue;
        samples.emplace_back(gather.times()[i], typed ? static_cast<std::int64_t>(c.bits[i]) : c.ints[i]);
      }
    }
    return samples;
  }
  // As Eraser writes it.
  Erasure begin_erasure(const GroupRef& group, std::vector<std::uint16_t> columns, model::TimeRange range) {
    std::vector<model::Timestamp> slots;
    for (auto slot = model::window_start(range.first, kHour); slot < range.last; slot += kHour) slots.push_back(slot);
    auto seen = reader.last_arrivals(group, slots, {});
    EXPECT_TRUE(seen);
    Erasure erasure{
        .number = *versions.draw(0), .range = range, .columns = std::move(columns), .seen = std::move(*seen)};
    EXPECT_TRUE(rows.write_now({erasure_write(tables, group.cells, erasure, erasure.number)}));
    return erasure;
  }
  void end_erasure(const GroupRef& group, Erasure erasure) {
    erasure.blocks = *versions.draw(0);
    ASSERT_TRUE(rows.write_now({erasure_write(tables, group.cells, erasure, erasure.blocks)}));
  }
  void erase(const GroupRef& group, std::vector<std::uint16_t> columns, model::TimeRange range) {
    end_erasure(group, begin_erasure(group, std::move(columns), range));
  }
};

}  // namespace varve::engine::cassandra::testing
