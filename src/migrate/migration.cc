// SPDX-License-Identifier: Apache-2.0
#include "migrate/migration.h"

#include "base/parallel.h"

namespace varve::migrate {
namespace {

constexpr std::int64_t kSaveNs = 1'000'000'000;

}  // namespace

Status Migration::copy(TaskPool& pool, std::size_t threads) {
  std::vector<std::size_t> ranges;
  for (std::size_t i = 0; i < kRanges; ++i) {
    if (!progress_.done[i]) ranges.push_back(i);
  }
  VARVE_CHECK_OK(save_progress(path_, progress_));  // before the work, so that a bad path is seen now
  saved_steady_ns_ = clock_.steady_ns();
  const Status copied =
      in_parallel(pool, threads - 1, ranges.size(), [&](std::size_t i) { return copy_range(ranges[i]); });
  const Status saved = save_progress(path_, progress_);
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
  const std::lock_guard lock(mutex_);
  progress_.done[range] = true;
  progress_.totals.add(totals);
  if (clock_.steady_ns() - saved_steady_ns_ < kSaveNs) return {};
  saved_steady_ns_ = clock_.steady_ns();
  return save_progress(path_, progress_);
}

}  // namespace varve::migrate
