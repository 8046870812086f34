// SPDX-License-Identifier: Apache-2.0
// RunWriter: writes the fragments of one tenant and slot as the blocks of one run.
#pragma once

#include <memory>

#include "base/result.h"
#include "chunk/block.h"
#include "engine/rocksdb/runs/database.h"
#include "engine/rocksdb/runs/run.h"

namespace varve::engine::rocksdb {

// Reusable, for one thread. Nothing is visible before the run that finish() returns is committed.
class RunWriter {
 public:
  explicit RunWriter(Database::Draft& draft) : draft_(draft) {}

  // `content` as in Run.
  void start(const RunKey& key, std::uint64_t content);
  void start(const RunKey& key) { start(key, key.run); }
  // In ascending order of group.
  Status add(const chunk::Fragment& fragment);
  [[nodiscard]] bool takes(std::uint32_t group) const { return run_.chunks == 0 || group > last_group_; }
  Result<std::shared_ptr<const Run>> finish();

 private:
  Status close_block();

  Database::Draft& draft_;
  chunk::BlockBuilder builder_;
  Run run_;
  model::GroupId first_group_{};  // of the open block
  std::uint32_t last_group_ = 0;
};

}  // namespace varve::engine::rocksdb
