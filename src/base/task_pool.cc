// SPDX-License-Identifier: Apache-2.0
#include "base/task_pool.h"

#include <algorithm>
#include <deque>
#include <thread>
#include <vector>

#include "base/guarded.h"
#include "base/mutex.h"
#include "base/thread_priority.h"

namespace varve {

struct TaskPool::State {
  explicit State(std::size_t max) : queue_max(max) {}

  const std::size_t queue_max;
  Mutex mutex;
  Condition wake;
  std::deque<std::function<void()>> queue VARVE_GUARDED_BY(mutex);
  bool stopping VARVE_GUARDED_BY(mutex) = false;
  std::vector<std::thread> threads;

  void run() {
    MutexLock lock(mutex);
    for (;;) {
      while (!stopping && queue.empty()) wake.wait(mutex);
      if (queue.empty()) return;
      std::function<void()> task = std::move(queue.front());
      queue.pop_front();
      lock.unlock();
      log_failure("a task failed", guarded(task));
      task = nullptr;  // what it holds goes before the next one starts, and without the lock
      lock.lock();
    }
  }
};

TaskPool::TaskPool(unsigned threads, std::size_t queue_max, Priority priority)
    : state_(std::make_unique<State>(queue_max)) {
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  state_->threads.reserve(threads);
  for (unsigned i = 0; i < threads; ++i) {
    state_->threads.emplace_back([state = state_.get(), priority] {
      if (priority == Priority::low) lower_thread_priority();
      state->run();
    });
  }
}

TaskPool::~TaskPool() {
  {
    const MutexLock lock(state_->mutex);
    state_->stopping = true;
  }
  state_->wake.notify_all();
  for (std::thread& thread : state_->threads) thread.join();
}

bool TaskPool::post(std::function<void()> task) {
  {
    const MutexLock lock(state_->mutex);
    if (state_->queue.size() >= state_->queue_max) return false;
    state_->queue.push_back(std::move(task));
  }
  state_->wake.notify_one();
  return true;
}

std::size_t TaskPool::waiting() const {
  const MutexLock lock(state_->mutex);
  return state_->queue.size();
}

}  // namespace varve
