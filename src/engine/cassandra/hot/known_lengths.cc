// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/hot/known_lengths.h"

#include <algorithm>

namespace varve::engine::cassandra {

using model::Timestamp;

std::vector<KnownLengths::Length> KnownLengths::missing(model::TenantId tenant, std::span<const HotPiece> pieces,
                                                        Timestamp now_ms) const {
  std::vector<Length> all;
  for (const HotPiece& piece : pieces) {
    const Length length{tenant, piece.slot, bits_of(piece.prefix)};
    if (all.empty() || all.back() != length) all.push_back(length);
  }
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  const MutexLock lock(mutex_);
  std::erase_if(all, [&](const Length& length) VARVE_NO_THREAD_ANALYSIS {
    const auto found = written_.find(length);
    return found != written_.end() && now_ms - found->second < kKnownMs;
  });
  return all;
}

// What is forgotten costs a row more.
void KnownLengths::stand(std::span<const Length> lengths, Timestamp now_ms) {
  if (lengths.empty()) return;
  const MutexLock lock(mutex_);
  if (written_.size() + lengths.size() > entries_max_) {
    std::erase_if(written_, [now_ms](const auto& one) { return now_ms - one.second >= kKnownMs; });
    if (written_.size() + lengths.size() > entries_max_) written_.clear();
  }
  for (const Length& length : lengths) written_[length] = std::max(written_[length], now_ms);
}

}  // namespace varve::engine::cassandra
