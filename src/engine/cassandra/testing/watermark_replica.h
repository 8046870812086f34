// SPDX-License-Identifier: Apache-2.0
// For tests: the watermark of one replica, with numbers and a clock of its own, and a store that it may be cut off
// from.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/cassandra/hot/watermark.h"
#include "engine/cassandra/tables/cell.h"
#include "engine/cassandra/testing/cluster.h"

namespace varve::engine::cassandra::testing {

// A store whose writes may stand later than anybody waits for them.
class LateRows final : public RowStore {
 public:
  explicit LateRows(RowStore& below) : below_(below) {}
  void hold(bool holds) { holds_ = holds; }
  // What was held stands now.
  void land() { std::ignore = below_.write_now(std::exchange(held_, {})); }

  void write(std::vector<RowWrite> rows, Done done) override {
    if (!holds_) return below_.write(std::move(rows), std::move(done));
    std::ranges::move(rows, std::back_inserter(held_));
    done(fail(Code::timeout, "held"));
  }
  void erase(std::vector<RowDelete> rows, Done done) override { below_.erase(std::move(rows), std::move(done)); }
  Status read(std::span<const RowRead> reads, const ReadLimits& limits, const Each& each) override {
    return below_.read(reads, limits, each);
  }
  Status read_all(const Table& table, std::span<const std::string> values, const EachOfAll& each) override {
    return below_.read_all(table, values, each);
  }

 private:
  RowStore& below_;
  bool holds_ = false;
  std::vector<RowWrite> held_;
};

struct WatermarkReplica {
  // Its clock is ahead by so much, or behind.
  WatermarkReplica(Cluster& shared, std::int64_t source_number, std::int64_t ahead_ms = 0, std::string id = "varve")
      : cluster(shared),
        source(source_number),
        clock(shared.clock, ahead_ms),
        rows(shared.rows),
        watermark({.id = std::move(id), .source = source, .replica = "r"}, shared.tables, rows, stamps, clock) {}

  Result<Watermark::Append> begin() { return watermark.begin(clock.now_ms() * 1000); }
  // What stands of it; 0: nothing.
  std::int64_t published() {
    const RowRead read{&cluster.tables.alarms, {"varve|watermark"}, {}, {}, {"at"}, {bigint_cell(source)}};
    std::int64_t at = 0;
    EXPECT_TRUE(cluster.rows.read({&read, 1}, {}, [&](std::size_t, const RowView& row) -> Status {
      VARVE_ASSIGN_OR_RETURN(at, timestamp_of(row.cells[1]));
      return {};
    }));
    return at;
  }

  Cluster& cluster;
  const std::int64_t source;
  ShiftedClock clock;
  LateRows rows;
  Stamps stamps;
  Watermark watermark;
};

}  // namespace varve::engine::cassandra::testing
