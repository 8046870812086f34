// SPDX-License-Identifier: Apache-2.0
// TaskPool: threads for work that is too long for an I/O thread (queries, settling). The queue is bounded, so that
// overload becomes an error for a client instead of growing memory. Who posts names a share, as a rule a tenant: shares
// take turns, so that what one of them has waiting lies in nobody else's way.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

namespace varve {

class TaskPool {
 public:
  enum class Priority { normal, low };  // low: thread_priority.h

  // threads 0: one per core. At most `queue_max` tasks wait, half of them of one share that has a name; and at most
  // `share_threads` of one share run at once, 0: as many as there are threads.
  explicit TaskPool(unsigned threads, std::size_t queue_max = 1024, Priority priority = Priority::normal,
                    unsigned share_threads = 0);
  // Runs the queued tasks, then joins. No post() may be running.
  ~TaskPool();
  TaskPool(const TaskPool&) = delete;
  TaskPool& operator=(const TaskPool&) = delete;

  // False when there is no room in the queue: the task was not taken. Thread-safe, also from inside a task.
  // A task that throws is destroyed and logged; the destructors of its captures must notify whoever waits for it.
  [[nodiscard]] bool post(std::function<void()> task, std::string_view share = {});

  // Tasks that have not begun: all, or those of a share.
  [[nodiscard]] std::size_t waiting() const;
  [[nodiscard]] std::size_t waiting(std::string_view share) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace varve
