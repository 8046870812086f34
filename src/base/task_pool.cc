// SPDX-License-Identifier: Apache-2.0
#include "base/task_pool.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/guarded.h"
#include "base/mutex.h"
#include "base/thread_priority.h"

namespace varve {

namespace {

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

// Is there while it has tasks.
struct Share {
  std::string_view name;
  std::deque<std::function<void()>> tasks = {};  // that wait
  unsigned running = 0;
  bool has_turn = false;  // it stands in the list of turns
};

}  // namespace

struct TaskPool::State {
  State(std::size_t max, unsigned most) : queue_max(max), share_threads(most) {}

  const std::size_t queue_max;
  const unsigned share_threads;
  Mutex mutex;
  Condition wake;
  std::unordered_map<std::string, Share, TextHash, std::equal_to<>> shares VARVE_GUARDED_BY(mutex);
  std::deque<Share*> turns VARVE_GUARDED_BY(mutex);  // shares with a task that may begin
  std::size_t waiting VARVE_GUARDED_BY(mutex) = 0;
  bool stopping VARVE_GUARDED_BY(mutex) = false;
  std::vector<std::thread> threads;

  [[nodiscard]] bool may_begin(const Share& share) const {
    return !share.tasks.empty() && share.running < share_threads;
  }

  // False: it has one already, or no use for one.
  bool give_turn(Share& share) VARVE_REQUIRES(mutex) {
    if (share.has_turn || !may_begin(share)) return false;
    share.has_turn = true;
    turns.push_back(&share);
    return true;
  }

  bool add(std::function<void()> task, std::string_view name) VARVE_REQUIRES(mutex) {
    if (waiting >= queue_max) return false;
    auto found = shares.find(name);
    if (found == shares.end()) {
      found = shares.try_emplace(std::string(name)).first;
      found->second.name = found->first;
    }
    Share& share = found->second;
    if (!name.empty() && share.tasks.size() >= std::max<std::size_t>(1, queue_max / 2)) return false;
    share.tasks.push_back(std::move(task));
    ++waiting;
    give_turn(share);
    return true;
  }

  void end(Share& share) VARVE_REQUIRES(mutex) {
    --share.running;
    if (give_turn(share)) wake.notify_one();
    if (share.tasks.empty() && share.running == 0) shares.erase(shares.find(share.name));
    if (stopping) wake.notify_all();
  }

  void run() {
    MutexLock lock(mutex);
    for (;;) {
      while (turns.empty() && !(stopping && waiting == 0)) wake.wait(mutex);
      if (turns.empty()) return;
      Share& share = *turns.front();
      turns.pop_front();
      share.has_turn = false;
      std::function<void()> task = std::move(share.tasks.front());
      share.tasks.pop_front();
      --waiting;
      ++share.running;
      give_turn(share);
      lock.unlock();
      log_failure("a task failed", guarded(task));
      task = nullptr;  // what it holds goes before the next one starts, and without the lock
      lock.lock();
      end(share);
    }
  }
};

TaskPool::TaskPool(unsigned threads, std::size_t queue_max, Priority priority, unsigned share_threads) {
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  state_ = std::make_unique<State>(queue_max, share_threads == 0 ? threads : share_threads);
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

bool TaskPool::post(std::function<void()> task, std::string_view share) {
  {
    const MutexLock lock(state_->mutex);
    if (!state_->add(std::move(task), share)) return false;
  }
  state_->wake.notify_one();
  return true;
}

std::size_t TaskPool::waiting() const {
  const MutexLock lock(state_->mutex);
  return state_->waiting;
}

std::size_t TaskPool::waiting(std::string_view share) const {
  const MutexLock lock(state_->mutex);
  const auto found = state_->shares.find(share);
  return found == state_->shares.end() ? 0 : found->second.tasks.size();
}

}  // namespace varve
