// SPDX-License-Identifier: Apache-2.0
#include "migrate/migration.h"

#include <algorithm>

#include "base/parallel.h"

namespace varve::migrate {
namespace {

constexpr std::int64_t kSaveNs = 250'000'000;
constexpr std::int64_t kSaveShare = 20;  // a twentieth of the time at most

}  // namespace

Status Migration::copy(TaskPool& pool, std::size_t threads) {
  std::vector<std::size_t> ranges;
  for (std::size_t i = 0; i < kRanges; ++i) {
    if (!progress_.done[i]) ranges.push_back(i);
  }
  {
    const MutexLock lock(mutex_);
    VARVE_RETURN_IF_ERROR(save());  // before the work, so that a bad path is seen now
  }
  const Status copied =
      in_parallel(pool, threads - 1, ranges.size(), [&](std::size_t i) { return copy_range(ranges[i]); });
  const MutexLock lock(mutex_);
  const Status saved = save();
  return copied ? saved : copied;
}

Status Migration::copy_range(std::size_t range) {
  RangeCopier copier(shared_);
  auto totals = copier.copy(range);
  // What could not be done in half a minute inside is begun once more from its beginning, as after a restart.
  if (!totals && is_passing(totals.error().code) && !shared_.stopping) totals = copier.copy(range);
  if (!totals) return fail(totals.error());
  return done(range, *totals);
}

Status Migration::done(std::size_t range, const Totals& totals) {
  const MutexLock lock(mutex_);
  progress_.done[range] = true;
  progress_.totals.add(totals);
  return clock_.steady_ns() < save_at_ns_ ? Status() : save();
}

Status Migration::save() {
  const std::int64_t began_ns = clock_.steady_ns();
  VARVE_RETURN_IF_ERROR(save_progress(path_, progress_));
  const std::int64_t ended_ns = clock_.steady_ns();
  save_at_ns_ = ended_ns + std::max(kSaveNs, kSaveShare * (ended_ns - began_ns));
  return {};
}

}  // namespace varve::migrate
