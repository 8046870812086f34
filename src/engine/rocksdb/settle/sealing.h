// SPDX-License-Identifier: Apache-2.0
// Sealing: several slots sealed together, group by group, so that what they give to one series is written at once.
#pragma once

#include <deque>
#include <span>

#include "engine/rocksdb/settle/seal_batch.h"
#include "engine/rocksdb/settle/slot_sealer.h"

namespace varve::engine::rocksdb {

// One thread, under the maintenance lock. A slot that is damaged is set aside; other errors end the whole.
class Sealing {
 public:
  Sealing(SealBatcher& batcher, SetAside& set_aside, RollupWriter& writer, std::int64_t now_ms)
      : batcher_(batcher), set_aside_(set_aside), writer_(writer), now_ms_(now_ms) {}

  Status start(const SealContext& context, const SlotKey& slot);
  // Returns how many slots are sealed by this commit.
  Result<std::size_t> finish(Database::Commit& commit);

 private:
  Status set_aside(SlotSealer& sealer, const Status& status);

  SealBatcher& batcher_;
  SetAside& set_aside_;
  RollupWriter& writer_;
  const std::int64_t now_ms_;
  std::deque<SlotSealer> sealers_;
};

}  // namespace varve::engine::rocksdb
