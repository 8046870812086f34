// SPDX-License-Identifier: Apache-2.0
// TaskPool: threads for work that is too long for an I/O thread (queries, settling). The queue is bounded, so that
// overload is an answer to somebody instead of memory.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace varve {

class TaskPool {
 public:
  enum class Priority { normal, low };  // low: thread_priority.h

  // threads 0: one per core. At most `queue_max` tasks wait.
  explicit TaskPool(unsigned threads, std::size_t queue_max = 1024, Priority priority = Priority::normal);
  // Runs what is queued, then joins. No post() may be under way.
  ~TaskPool();
  TaskPool(const TaskPool&) = delete;
  TaskPool& operator=(const TaskPool&) = delete;

  // False when the queue is full: the task was not taken. Thread-safe, also from inside a task.
  // A task that throws is dropped with what it holds, which has to tell who waits for it, and named in the log.
  [[nodiscard]] bool post(std::function<void()> task);

  [[nodiscard]] std::size_t waiting() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace varve
