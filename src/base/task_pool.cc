// SPDX-License-Identifier: Apache-2.0
#include "base/task_pool.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "base/guarded.h"
#include "base/thread_priority.h"

namespace varve {

struct TaskPool::State {
  explicit State(std::size_t max) : queue_max(max) {}

  const std::size_t queue_max;
  mutable std::mutex mutex;  // protects what follows up to `threads`
  std::condition_variable wake;
  std::deque<std::function<void()>> queue;
  bool stopping = false;
  std::vector<std::thread> threads;

  void run() {
    std::unique_lock lock(mutex);
    for (;;) {
      wake.wait(lock, [this] { return stopping || !queue.empty(); });
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
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
  }
  state_->wake.notify_all();
  for (std::thread& thread : state_->threads) thread.join();
}

bool TaskPool::post(std::function<void()> task) {
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->queue.size() >= state_->queue_max) return false;
    state_->queue.push_back(std::move(task));
  }
  state_->wake.notify_one();
  return true;
}

std::size_t TaskPool::waiting() const {
  const std::lock_guard lock(state_->mutex);
  return state_->queue.size();
}

}  // namespace varve
