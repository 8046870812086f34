// SPDX-License-Identifier: Apache-2.0
// Several slots in one commit: how many, and what if one of them is damaged. A commit ends with a flush of the
// database, a table over the whole range of its keys and several syncs, whatever is in it: small slots are committed
// many at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/rocksdb/jobs.h"

namespace varve::engine::rocksdb {

inline constexpr std::size_t kSlotsPerCommit = 8192;
inline constexpr std::uint64_t kBytesPerCommit = std::uint64_t{16} << 20;  // of the runs that are read for it

// How many of the first slots of a list, which is not empty: `least` at least, as far as there are so many, and more of
// them as long as they are small. What is no longer there counts nothing.
inline std::size_t commit_size(const SlotMap<Runs::OfSlot>& slots, std::span<const SlotKey> list,
                               std::size_t least = 1) {
  std::uint64_t bytes = 0;
  std::size_t count = 0;
  for (const SlotKey& slot : list.first(std::min(list.size(), kSlotsPerCommit))) {
    const auto known = slots.find(slot);
    if (known != slots.end()) {
      for (const auto& run : known->second.runs) bytes += run->bytes;
    }
    if (bytes > kBytesPerCommit && count >= least) break;
    ++count;
  }
  return std::max<std::size_t>(count, 1);
}

// Calls work(slots, at), which commits what it makes of all these slots, or nothing. If it fails because one of them is
// damaged (`at` says which), that one is set aside, and the others are tried again. Other errors end it.
template <class Work>
Status without_damaged(const JobContext& job, std::span<const SlotKey> slots, std::uint32_t aside, const Work& work) {
  std::vector<SlotKey> left(slots.begin(), slots.end());
  while (!left.empty()) {
    SlotKey at = left.front();
    const Status status = work(std::span<const SlotKey>(left), at);
    if (status) {
      for (const SlotKey& slot : left) job.set_aside.succeeded(slot, aside);
      return {};
    }
    if (status.error().code != Code::corrupt) return status;
    job.set_aside.failed(at, aside, status.error());
    std::erase(left, at);
  }
  return {};
}

}  // namespace varve::engine::rocksdb
