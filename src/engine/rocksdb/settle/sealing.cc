// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/settle/sealing.h"

#include <algorithm>

namespace varve::engine::rocksdb {

Status Sealing::start(const SealContext& context, const SlotKey& slot) {
  SlotSealer& sealer = sealers_.emplace_back(context, slot, writer_);
  const Status status = sealer.start();
  return status ? Status{} : set_aside(sealer, status);
}

// Nothing of it is committed; windows of a slot whose samples are kept may be, and are then made again.
Status Sealing::set_aside(SlotSealer& sealer, const Status& status) {
  if (status.error().code != Code::corrupt) return status;
  set_aside_.failed(sealer.slot(), kSealOfSlot, status.error(), now_ms_);
  sealer.give_up();
  return {};
}

Result<std::size_t> Sealing::finish(Database::Commit& commit) {
  std::vector<std::uint32_t> groups;
  for (const SlotSealer& sealer : sealers_) groups.insert(groups.end(), sealer.groups().begin(), sealer.groups().end());
  std::ranges::sort(groups);
  const auto twice = std::ranges::unique(groups);
  groups.erase(twice.begin(), twice.end());
  for (std::span<const std::uint32_t> rest(groups); !rest.empty();) {
    const SealBatch& batch = batcher_.next(rest);
    for (SlotSealer& sealer : sealers_) {
      if (const Status status = sealer.add(batch); !status) VARVE_CHECK_OK(set_aside(sealer, status));
    }
    VARVE_CHECK_OK(writer_.complete());
    rest = rest.subspan(batch.groups.size());
  }
  std::size_t sealed = 0;
  for (SlotSealer& sealer : sealers_) {
    if (sealer.has_given_up()) continue;
    sealer.finish(commit);
    set_aside_.succeeded(sealer.slot(), kSealOfSlot);
    ++sealed;
  }
  return sealed;
}

}  // namespace varve::engine::rocksdb
