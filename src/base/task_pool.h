// SPDX-License-Identifier: Apache-2.0
// TaskPool: threads for work that is too long for an I/O thread (queries, settling). The queue is bounded, so that
// overload becomes an error for a client instead of growing memory.
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
  // Runs the queued tasks, then joins. No post() may be running.
  ~TaskPool();
  TaskPool(const TaskPool&) = delete;
  TaskPool& operator=(const TaskPool&) = delete;

  // False when the queue is full: the task was not taken. Thread-safe, also from inside a task.
  // A task that throws is destroyed and logged; the destructors of its captures must notify whoever waits for it.
  [[nodiscard]] bool post(std::function<void()> task);

  [[nodiscard]] std::size_t waiting() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace varve
