// SPDX-License-Identifier: Apache-2.0
// Names of threads, as top -H, perf and debuggers show them. A thread has the name of the one that starts it, so
// whoever puts parts together names the threads of each.
#pragma once

#include <pthread.h>

#include <array>

namespace varve {

// The calling thread has this name, at most 15 bytes, while this lives; so have threads that are started meanwhile, for
// good.
class ThreadName {
 public:
  explicit ThreadName(const char* name) {
    ::pthread_getname_np(::pthread_self(), before_.data(), before_.size());
    ::pthread_setname_np(::pthread_self(), name);
  }
  ~ThreadName() { ::pthread_setname_np(::pthread_self(), before_.data()); }
  ThreadName(const ThreadName&) = delete;
  ThreadName& operator=(const ThreadName&) = delete;

 private:
  std::array<char, 16> before_{};
};

// What `fn` returns, and its threads have that name.
template <class F>
auto with_thread_name(const char* name, F&& fn) {
  const ThreadName named(name);
  return fn();
}

}  // namespace varve
