// SPDX-License-Identifier: Apache-2.0
// Retired: epoch-based reclamation. Keeps replaced objects until no reader can still use them.
//
// Readers enter before they read and leave when they are done (an Ingest does so once per request). An object that a
// writer has unlinked is freed when all readers that entered before have left. There are two epochs of readers, the
// current one and the previous one; when the previous one is empty, everything that it could have seen is freed and the
// current one becomes the previous one. Thread-safe.
#pragma once

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "base/mutex.h"

namespace varve::write {

class Retired {
 public:
  // Pass the result to leave().
  [[nodiscard]] unsigned enter() {
    const MutexLock lock(mutex_);
    ++readers_[current_];
    return current_;
  }

  void leave(unsigned generation) {
    Things free_unlocked;
    const MutexLock lock(mutex_);
    --readers_[generation];
    advance(free_unlocked);
  }

  // `thing` must already be unreachable for readers that enter from now on.
  void add(std::shared_ptr<void> thing) {
    Things free_unlocked;
    const MutexLock lock(mutex_);
    things_[current_].push_back(std::move(thing));
    advance(free_unlocked);
  }

  [[nodiscard]] std::size_t waiting() const {
    const MutexLock lock(mutex_);
    return things_[0].size() + things_[1].size();
  }

 private:
  using Things = std::vector<std::shared_ptr<void>>;

  void advance(Things& freed) VARVE_REQUIRES(mutex_) {
    const unsigned older = 1 - current_;
    if (readers_[older] > 0) return;
    std::swap(freed, things_[older]);
    if (things_[current_].empty()) return;
    if (readers_[current_] == 0) {
      for (auto& thing : things_[current_]) freed.push_back(std::move(thing));
      things_[current_].clear();
    } else {
      current_ = older;
    }
  }

  mutable Mutex mutex_;
  unsigned current_ VARVE_GUARDED_BY(mutex_) = 0;
  std::array<std::size_t, 2> readers_ VARVE_GUARDED_BY(mutex_){};
  std::array<Things, 2> things_ VARVE_GUARDED_BY(mutex_);
};

}  // namespace varve::write
