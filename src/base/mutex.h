// SPDX-License-Identifier: Apache-2.0
// Mutexes that say what they guard, so that clang proves it (-Wthread-safety is an error in the builds with
// sanitizers):
//
//   Mutex mutex;
//   std::deque<Task> queue VARVE_GUARDED_BY(mutex);
//   void drain() VARVE_REQUIRES(mutex);      // the caller holds it
//   void push(Task task) VARVE_EXCLUDES(mutex);  // the caller does not
//
// The meaning of each annotation is that of clang's "Thread Safety Analysis". GCC does not see them. The analysis does
// not look into lambdas: wait in a loop rather than with a predicate.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <shared_mutex>

#if defined(__clang__)
#define VARVE_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define VARVE_THREAD_ANNOTATION(x)
#endif

#define VARVE_CAPABILITY(name) VARVE_THREAD_ANNOTATION(capability(name))
#define VARVE_SCOPED_CAPABILITY VARVE_THREAD_ANNOTATION(scoped_lockable)
#define VARVE_GUARDED_BY(mutex) VARVE_THREAD_ANNOTATION(guarded_by(mutex))
#define VARVE_POINTEE_GUARDED_BY(mutex) VARVE_THREAD_ANNOTATION(pt_guarded_by(mutex))
#define VARVE_ACQUIRED_BEFORE(...) VARVE_THREAD_ANNOTATION(acquired_before(__VA_ARGS__))
#define VARVE_ACQUIRED_AFTER(...) VARVE_THREAD_ANNOTATION(acquired_after(__VA_ARGS__))
#define VARVE_REQUIRES(...) VARVE_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
#define VARVE_REQUIRES_SHARED(...) VARVE_THREAD_ANNOTATION(requires_shared_capability(__VA_ARGS__))
#define VARVE_EXCLUDES(...) VARVE_THREAD_ANNOTATION(locks_excluded(__VA_ARGS__))
#define VARVE_ACQUIRE(...) VARVE_THREAD_ANNOTATION(acquire_capability(__VA_ARGS__))
#define VARVE_ACQUIRE_SHARED(...) VARVE_THREAD_ANNOTATION(acquire_shared_capability(__VA_ARGS__))
#define VARVE_RELEASE(...) VARVE_THREAD_ANNOTATION(release_capability(__VA_ARGS__))
#define VARVE_RELEASE_SHARED(...) VARVE_THREAD_ANNOTATION(release_shared_capability(__VA_ARGS__))
#define VARVE_TRY_ACQUIRE(...) VARVE_THREAD_ANNOTATION(try_acquire_capability(__VA_ARGS__))
#define VARVE_RETURNS_MUTEX(mutex) VARVE_THREAD_ANNOTATION(lock_returned(mutex))
// For code that the analysis cannot follow; say why next to it.
#define VARVE_NO_THREAD_ANALYSIS VARVE_THREAD_ANNOTATION(no_thread_safety_analysis)

namespace varve {

class VARVE_CAPABILITY("mutex") Mutex {
 public:
  void lock() VARVE_ACQUIRE() { mutex_.lock(); }
  void unlock() VARVE_RELEASE() { mutex_.unlock(); }
  [[nodiscard]] bool try_lock() VARVE_TRY_ACQUIRE(true) { return mutex_.try_lock(); }

 private:
  friend class Condition;
  std::mutex mutex_;
};

// Several readers or one writer. Fair: a writer waits for those who read already, never for readers who come later. So
// a thread that reads must not ask to read again, nor two threads ask for two of these in different orders: each would
// wait for a writer who waits for it. The builds with sanitizers check the first.
class VARVE_CAPABILITY("mutex") SharedMutex {
 public:
  void lock() VARVE_ACQUIRE() {
    const std::lock_guard turn(turn_);
    mutex_.lock();
  }
  void unlock() VARVE_RELEASE() { mutex_.unlock(); }
  void lock_shared() VARVE_ACQUIRE_SHARED() {
    note_reader();
    const std::lock_guard turn(turn_);
    mutex_.lock_shared();
  }
  void unlock_shared() VARVE_RELEASE_SHARED() {
    mutex_.unlock_shared();
    forget_reader();
  }

 private:
#ifdef VARVE_SANITIZED
  void note_reader();
  void forget_reader();
#else
  void note_reader() {}
  void forget_reader() {}
#endif

  std::mutex turn_;  // of those who want it: a writer keeps it until the last reader has left
  std::shared_mutex mutex_;
};

// Holds a Mutex, or a SharedMutex as its writer, to the end of the scope.
template <class M>
class VARVE_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(M& mutex) VARVE_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~MutexLock() VARVE_RELEASE() {
    if (held_) mutex_.unlock();
  }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

  // Unlocks before the end of the scope, and locks again.
  void unlock() VARVE_RELEASE() {
    held_ = false;
    mutex_.unlock();
  }
  void lock() VARVE_ACQUIRE() {
    mutex_.lock();
    held_ = true;
  }

 private:
  M& mutex_;
  bool held_ = true;
};

// Holds a SharedMutex as one of its readers to the end of the scope.
class VARVE_SCOPED_CAPABILITY ReaderLock {
 public:
  explicit ReaderLock(SharedMutex& mutex) VARVE_ACQUIRE_SHARED(mutex) : mutex_(mutex) { mutex_.lock_shared(); }
  ~ReaderLock() VARVE_RELEASE() { mutex_.unlock_shared(); }
  ReaderLock(const ReaderLock&) = delete;
  ReaderLock& operator=(const ReaderLock&) = delete;

 private:
  SharedMutex& mutex_;
};

// Calls each(0) … each(count − 1) as a reader, who lets writers in between: for what is quick for one, but not for all.
// `each` is a lambda with VARVE_REQUIRES_SHARED(mutex), which the analysis knows by another name here.
template <class Each>
void for_each_in_pieces(SharedMutex& mutex, std::size_t count, const Each& each)
    VARVE_EXCLUDES(mutex) VARVE_NO_THREAD_ANALYSIS {
  constexpr std::size_t kPiece = 256;
  for (std::size_t i = 0; i < count;) {
    const std::size_t end = count - i > kPiece ? i + kPiece : count;
    const ReaderLock lock(mutex);
    for (; i < end; ++i) each(i);
  }
}

// A condition variable for a Mutex that the caller holds. Waits may wake spuriously: check in a loop.
class Condition {
 public:
  void notify_one() { condition_.notify_one(); }
  void notify_all() { condition_.notify_all(); }

  void wait(Mutex& mutex) VARVE_REQUIRES(mutex) {
    std::unique_lock lock(mutex.mutex_, std::adopt_lock);
    condition_.wait(lock);
    lock.release();
  }
  // Timeout: the time is over.
  template <class Duration>
  std::cv_status wait_for(Mutex& mutex, Duration duration) VARVE_REQUIRES(mutex) {
    return wait_until(mutex, std::chrono::steady_clock::now() + duration);
  }
  template <class TimePoint>
  std::cv_status wait_until(Mutex& mutex, TimePoint time) VARVE_REQUIRES(mutex) {
    std::unique_lock lock(mutex.mutex_, std::adopt_lock);
    const std::cv_status status = condition_.wait_until(lock, time);
    lock.release();
    return status;
  }

 private:
  std::condition_variable condition_;
};

}  // namespace varve
