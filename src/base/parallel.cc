// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.h"

#include <atomic>
#include <memory>
#include <optional>

#include "base/guarded.h"
#include "base/mutex.h"

namespace varve {
namespace {

struct Work {
  const std::function<Status(std::size_t)>* job;  // valid while `open` or somebody is active
  std::size_t count;
  std::atomic<std::size_t> next{0};

  Mutex mutex;
  Condition idle;
  bool open VARVE_GUARDED_BY(mutex) = true;
  std::size_t active VARVE_GUARDED_BY(mutex) = 0;  // helpers
  std::optional<Error> failure VARVE_GUARDED_BY(mutex);

  void run() {
    for (std::size_t i = next++; i < count; i = next++) {
      Status status = guarded([&] { return (*job)(i); });
      if (status) continue;
      next = count;
      const MutexLock lock(mutex);
      if (!failure) failure = std::move(status.error());
    }
  }

  void help() {
    {
      const MutexLock lock(mutex);
      if (!open) return;
      ++active;
    }
    run();
    const MutexLock lock(mutex);
    if (--active == 0) idle.notify_one();
  }
};

}  // namespace

Status in_parallel(TaskPool& pool, std::size_t helpers, std::size_t count,
                   const std::function<Status(std::size_t)>& job) {
  const auto work = std::make_shared<Work>();
  work->job = &job;
  work->count = count;
  for (std::size_t h = 0; h < helpers && h + 1 < count; ++h) {
    if (!pool.post([work] { work->help(); })) break;  // a full queue: fewer helpers
  }
  work->run();
  const MutexLock lock(work->mutex);
  work->open = false;
  while (work->active != 0) work->idle.wait(work->mutex);
  if (work->failure) return fail(std::move(*work->failure));
  return {};
}

}  // namespace varve
