// SPDX-License-Identifier: Apache-2.0
// RunCursor: iterates over the groups of a run in ascending order; for_each_group() merges several cursors.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/check.h"
#include "chunk/block.h"
#include "engine/rocksdb/runs/database.h"
#include "engine/rocksdb/runs/run.h"

namespace varve::engine::rocksdb {

// Reads and opens block `number` of the run. Errors: corrupt, io.
inline Result<std::shared_ptr<const chunk::Block>> open_block(const Database& database, const Run& run,
                                                              std::size_t number) {
  VARVE_ASSIGN_OR_RETURN(const auto bytes, database.get(run.block_key(run.first_groups[number]), nullptr));
  return chunk::Block::open(std::as_bytes(std::span(*bytes)));
}

class RunCursor {
 public:
  RunCursor(const Database& database, const Run& run) : database_(database), run_(run) {}

  Status start() { return run_.first_groups.empty() ? Status{} : load(); }
  [[nodiscard]] bool done() const { return block_ == nullptr; }
  [[nodiscard]] std::uint32_t group() const { return model::to_int(block_->group(at_)); }
  [[nodiscard]] const chunk::Block& block() const { return *block_; }
  [[nodiscard]] std::size_t at() const { return at_; }
  // The previous block stays readable until the next call.
  Status next() {
    check(!done(), "a cursor moves until it is done");
    before_ = block_;
    if (++at_ < block_->groups()) return {};
    at_ = 0;
    if (++number_ < run_.first_groups.size()) return load();
    block_ = nullptr;
    return {};
  }

 private:
  Status load() {
    VARVE_ASSIGN_OR_RETURN(block_, open_block(database_, run_, number_));
    return {};
  }

  const Database& database_;
  const Run& run_;
  std::size_t number_ = 0;  // of the block
  std::size_t at_ = 0;      // of the group in it
  std::shared_ptr<const chunk::Block> block_;
  std::shared_ptr<const chunk::Block> before_;
};

inline Result<std::vector<RunCursor>> cursors_of(const Database& database, const RunList& runs) {
  std::vector<RunCursor> cursors;
  for (const auto& run : runs) {
    cursors.emplace_back(database, *run);
    VARVE_RETURN_IF_ERROR(cursors.back().start());
  }
  return cursors;
}

// Calls each(group, cursors that are at it, in their order) for all groups in ascending order.
template <class Each>
Status for_each_group(std::vector<RunCursor>& cursors, const Each& each) {
  std::vector<RunCursor*> same;
  while (true) {
    same.clear();
    for (RunCursor& cursor : cursors) {
      if (cursor.done()) continue;
      if (!same.empty() && cursor.group() < same[0]->group()) same.clear();
      if (same.empty() || cursor.group() == same[0]->group()) same.push_back(&cursor);
    }
    if (same.empty()) return {};
    VARVE_RETURN_IF_ERROR(each(same[0]->group(), same));
    for (RunCursor* cursor : same) VARVE_RETURN_IF_ERROR(cursor->next());
  }
}

}  // namespace varve::engine::rocksdb
