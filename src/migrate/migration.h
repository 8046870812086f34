// SPDX-License-Identifier: Apache-2.0
// Migration: all token ranges that are not done yet, in parallel, with the progress on disk.
#pragma once

#include <string>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/task_pool.h"
#include "migrate/progress.h"
#include "migrate/range_copier.h"

namespace varve::migrate {

class Migration {
 public:
  // `progress` goes into the file `path` as it grows. Both references outlive it.
  Migration(Copying& shared, Progress progress, std::string path, const Clock& clock)
      : shared_(shared), progress_(std::move(progress)), path_(std::move(path)), clock_(clock) {}

  // Blocking. The file is as new as can be when it returns. Errors: cancelled (shared.stopping was set), and those of
  // Cassandra, of the store and of the file, after which it may be called again.
  Status copy(TaskPool& pool, std::size_t threads);

  [[nodiscard]] std::size_t ranges_done() const {
    const MutexLock lock(mutex_);
    return progress_.ranges_done();
  }
  [[nodiscard]] const Progress& progress() const { return progress_; }  // not during copy()

 private:
  Status copy_range(std::size_t range);
  Status done(std::size_t range, const Totals& totals);
  Status save() VARVE_REQUIRES(mutex_);

  Copying& shared_;
  mutable Mutex mutex_;
  Progress progress_;
  std::int64_t save_at_ns_ VARVE_GUARDED_BY(mutex_) = 0;  // of the steady clock
  const std::string path_;
  const Clock& clock_;
};

}  // namespace varve::migrate
