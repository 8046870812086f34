// SPDX-License-Identifier: Apache-2.0
// For tests: what stands of a cluster's groups in sealed rows and rollup blocks.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "engine/cassandra/scan/window_rows.h"
#include "engine/cassandra/testing/cluster.h"

namespace varve::engine::cassandra::testing {

using Samples = std::map<model::Timestamp, std::int64_t>;

// "count/sum/min/max" of numbers, by window.
using ShownWindows = std::map<model::Timestamp, std::string>;
inline std::string shown(std::uint64_t count, double sum, double min, double max) {
  return std::to_string(count) + "/" + std::to_string(static_cast<long>(sum)) + "/" +
         std::to_string(static_cast<long>(min)) + "/" + std::to_string(static_cast<long>(max));
}
inline ShownWindows shown(const rollup::Windows& windows) {
  ShownWindows out;
  for (const auto& w : windows) {
    if (w.count > 0) out[w.start] = shown(w.count, w.sum, w.min, w.max);
  }
  return out;
}

inline rollup::Windows windows_of(const Samples& samples, std::int64_t width_ms) {
  rollup::Windows out;
  rollup::PartPool none;
  for (const auto& [time, number] : samples) {
    const auto value = static_cast<double>(number);
    const rollup::Window one{model::window_start(time, width_ms), time, time, 1, value, value, value, {}};
    if (out.empty() || out.back().start != one.start) {
      out.push_back(one);
    } else {
      rollup::combine(out.back(), one, none);
    }
  }
  return out;
}

// Whole numbers of one column of a slot.
inline Samples samples_of(const SlotData& data, std::uint16_t column) {
  Samples out;
  shared::Gather gather;
  EXPECT_TRUE(gather_columns(data, {&column, 1}, gather));
  gather.finish();
  const chunk::Column* const found = gather.times().empty() ? nullptr : gather.columns().data();
  for (std::size_t i = 0; i < gather.times().size(); ++i) {
    const bool typed = found->form == chunk::Column::Form::typed;
    if (typed && found->types[i] == chunk::kErased) continue;
    out[gather.times()[i]] = typed ? static_cast<std::int64_t>(found->bits[i]) : found->ints[i];
  }
  return out;
}

class SealedView {
 public:
  explicit SealedView(Cluster& cluster)
      : cluster_(cluster), reader_(cluster.rows, cluster.tables, cluster.schema, Cluster::kSlotMs) {}

  static GroupCells cells(const std::string& host, const std::vector<std::string>& metrics,
                          const std::string& tenant = "t") {
    const std::vector<std::string_view> views(metrics.begin(), metrics.end());
    return {tenant, blob_of(group_hash(views, {{"host", host}}))};
  }

  // Of one column of the group, in sealed rows alone; groups of one shard.
  Samples sealed(const GroupCells& group, std::size_t columns, std::uint16_t column, model::TimeRange range) {
    const GroupRef ref{group, columns};
    const SlotsWanted wanted{&ref, range, {0}, {}};
    const auto read = reader_.read({&wanted, 1}, {});
    EXPECT_TRUE(read);
    Samples out;
    for (const SlotData& slot : (*read)[0]) out.merge(samples_of(slot, column));
    return out;
  }

  // Of one column of the group, all rollup blocks that overlap the range.
  rollup::Windows windows(const GroupCells& group, unsigned column, std::size_t level, model::TimeRange range) {
    const auto table = level_tables(cluster_.tables, cluster_.schema, Cluster::kSlotMs)[level];
    std::vector<RowRead> reads;
    add_reads(reads, table, group, 0, range);
    std::map<model::Timestamp, rollup::Windows> blocks;
    EXPECT_TRUE(cluster_.rows.read(reads, {}, [&](std::size_t, const RowView& view) -> Status {
      VARVE_ASSIGN_OR_RETURN(const ChunkRow row, chunk_row(view));
      VARVE_ASSIGN_OR_RETURN(const auto block, open_windows(row.chunk));
      if (block == nullptr) return {};
      VARVE_ASSIGN_OR_RETURN(const SeriesWindows found, cassandra::windows_of(*block, column));
      blocks[row.start] = found.numbers;
      return {};
    }));
    rollup::Windows out;
    for (const auto& [start, windows] : blocks) out.insert(out.end(), windows.begin(), windows.end());
    return out;
  }

 private:
  Cluster& cluster_;
  const SlotReader reader_;
};

}  // namespace varve::engine::cassandra::testing
