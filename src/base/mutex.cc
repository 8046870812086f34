// SPDX-License-Identifier: Apache-2.0
#include "base/mutex.h"

#include <algorithm>
#include <vector>

#include "base/check.h"

namespace varve {

#ifdef VARVE_SANITIZED

namespace {

std::vector<const SharedMutex*>& read_by_this_thread() {
  thread_local std::vector<const SharedMutex*> mutexes;
  return mutexes;
}

}  // namespace

void SharedMutex::note_reader() {
  auto& reading = read_by_this_thread();
  check(std::ranges::find(reading, this) == reading.end(), "a thread that reads does not ask to read again");
  reading.push_back(this);
}

void SharedMutex::forget_reader() { std::erase(read_by_this_thread(), this); }

#endif

}  // namespace varve
