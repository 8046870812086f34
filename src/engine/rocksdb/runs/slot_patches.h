// SPDX-License-Identifier: Apache-2.0
// SlotPatches: finds cells in which the runs of a slot contradict one another, because a series is in several line
// groups. Needed before they are merged: within one run, the order of writes to different groups is lost.
#pragma once

#include <span>
#include <vector>

#include "engine/rocksdb/runs/run_cursor.h"
#include "engine/rocksdb/runs/run_reader.h"
#include "engine/rocksdb/series/catalog.h"
#include "engine/shared/reconcile.h"

namespace varve::engine::rocksdb {

class SlotPatches {
 public:
  SlotPatches(const ScanSource& source, std::span<const std::shared_ptr<const Run>> runs) {
    for (const auto& run : runs) readers_.emplace_back(source, *run);
  }

  // Reads the groups that share a series with another group.
  Status find(const Database& database, const RunList& runs, const Catalog& catalog) {
    const std::vector<bool> shared = catalog.which_are_shared();
    if (shared.empty()) return {};
    std::vector<std::uint32_t> groups;
    VARVE_ASSIGN_OR_RETURN(auto cursors, cursors_of(database, runs));
    VARVE_RETURN_IF_ERROR(for_each_group(cursors, [&](std::uint32_t group, const std::vector<RunCursor*>&) -> Status {
      if (group < shared.size() && shared[group]) groups.push_back(group);
      return {};
    }));
    const auto add = [this](shared::SeriesMerge& merge, std::uint32_t group, std::uint16_t column) -> Status {
      return add_column(readers_, group, column, merge);
    };
    VARVE_ASSIGN_OR_RETURN(patches_, shared::reconcile(catalog.shared_of(groups), add));
    return {};
  }

  [[nodiscard]] std::span<const shared::Gather::Patch> of(std::uint32_t group) const {
    const auto at = patches_.find(group);
    return at == patches_.end() ? std::span<const shared::Gather::Patch>{} : std::span(at->second);
  }

 private:
  std::vector<RunReader> readers_;  // own the blocks that patches point into
  shared::Patches patches_;
};

}  // namespace varve::engine::rocksdb
