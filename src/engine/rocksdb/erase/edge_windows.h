// SPDX-License-Identifier: Apache-2.0
// EdgeWindows: recomputes the windows that the erased range covers in part. There are at most two of each granularity.
//
// Where the samples are kept, a window is folded again of those that stay. Where some of them have been dropped by
// retention it is made of the finer windows that stay, if these count as many samples; else it stays as it is
// (shared::remake).
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "engine/rocksdb/erase/erasure.h"
#include "engine/rocksdb/settle/rollup_writer.h"
#include "engine/rocksdb/settle/slot_folder.h"
#include "rollup/window.h"

namespace varve::engine::rocksdb {

// One thread.
class EdgeWindows {
 public:
  explicit EdgeWindows(const EraseContext& context) : context_(context) {}

  // Computes the new windows. `touched`: raw slots of the batch from which samples are erased.
  Status find(const std::set<model::Timestamp>& touched);
  // Is the stored window of this group (rollup/columns.h) to be deleted, because write() replaces it or nothing of it
  // is left?
  [[nodiscard]] bool goes(std::int64_t width_ms, model::Timestamp start, std::uint32_t group) const;
  Status write(RollupWriter& writer) const;

 private:
  struct Edge {
    std::int64_t width_ms;
    model::Timestamp start;
    bool from_samples;                                              // for all groups; else for those in `made`
    std::vector<std::uint32_t> made;                                // ascending
    std::vector<std::pair<std::uint32_t, rollup::Window>> windows;  // new ones, ascending by group once found
  };

  void list_edges(std::int64_t width_ms, std::int64_t finer_ms, const std::set<model::Timestamp>& touched);
  Status fold_slot(const SlotKey& slot, const std::vector<std::size_t>& edges);
  Status fold_group(SlotFolder& folder, std::uint32_t group, const SlotFolder::Out& out);
  void combine(Edge& edge);
  Status make_of_finer(Edge& edge, std::int64_t finer_ms);
  [[nodiscard]] const Edge* edge_of(std::int64_t width_ms, model::Timestamp start) const;
  [[nodiscard]] const rollup::Window* made(const Edge& edge, std::uint32_t group) const;
  rollup::Window keep(const rollup::Window& window);

  const EraseContext& context_;
  std::vector<Edge> edges_;
  std::map<SlotKey, std::vector<std::size_t>> of_slots_;        // raw slots to be folded, and the edges that need it
  std::vector<std::pair<std::size_t, std::int64_t>> of_finer_;  // edges made of finer windows, and their width
  rollup::Windows coarser_;
  rollup::PartPool parts_;
};

}  // namespace varve::engine::rocksdb
