// SPDX-License-Identifier: Apache-2.0
// Migration: all token ranges that are not done yet, in parallel, with the progress on disk.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/parallel.h"
#include "base/task_pool.h"
#include "migrate/retry.h"

namespace varve::migrate {

// Copier(shared).copy(range) copies one range: done again it changes nothing. Copier::Progress says what is done
// (`done`, by range) and counted (`totals`), and save_progress() writes it to a file.
template <class Copier>
class Migration {
 public:
  using Shared = typename Copier::Shared;
  using Progress = typename Copier::Progress;

  // `progress` goes into the file `path` as it grows. Both references outlive it.
  Migration(Shared& shared, Progress progress, std::string path, const Clock& clock)
      : shared_(shared), progress_(std::move(progress)), path_(std::move(path)), clock_(clock) {}

  // Blocking. The file is as new as can be when it returns. Errors: cancelled (shared.stopping was set), and those of
  // Cassandra, of the store and of the file, after which it may be called again.
  Status copy(TaskPool& pool, std::size_t threads) {
    std::vector<std::size_t> ranges;
    for (std::size_t i = 0; i < progress_.done.size(); ++i) {
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

  [[nodiscard]] std::size_t ranges_done() const {
    const MutexLock lock(mutex_);
    return progress_.ranges_done();
  }
  [[nodiscard]] std::size_t ranges() const { return progress_.done.size(); }
  [[nodiscard]] const Progress& progress() const { return progress_; }  // not during copy()

 private:
  static constexpr std::int64_t kSaveNs = 250'000'000;
  static constexpr std::int64_t kSaveShare = 20;  // a twentieth of the time at most

  Status copy_range(std::size_t range) {
    Copier copier(shared_);
    auto totals = copier.copy(range);
    // What could not be done in half a minute inside is begun once more from its beginning, as after a restart.
    if (!totals && is_passing(totals.error().code) && !shared_.stopping) totals = copier.copy(range);
    if (!totals) return fail(totals.error());
    const MutexLock lock(mutex_);
    progress_.done[range] = true;
    progress_.totals.add(*totals);
    return clock_.steady_ns() < save_at_ns_ ? Status() : save();
  }

  Status save() VARVE_REQUIRES(mutex_) {
    const std::int64_t began_ns = clock_.steady_ns();
    VARVE_RETURN_IF_ERROR(save_progress(path_, progress_));
    const std::int64_t ended_ns = clock_.steady_ns();
    save_at_ns_ = ended_ns + std::max(kSaveNs, kSaveShare * (ended_ns - began_ns));
    return {};
  }

  Shared& shared_;
  mutable Mutex mutex_;
  Progress progress_;
  std::int64_t save_at_ns_ VARVE_GUARDED_BY(mutex_) = 0;  // of the steady clock
  const std::string path_;
  const Clock& clock_;
};

}  // namespace varve::migrate
