// SPDX-License-Identifier: Apache-2.0
// ReaderTurns: the turns of a call whose caller holds a lock as a reader.
#pragma once

#include "base/mutex.h"
#include "index/turns.h"
#include "storage/series_store.h"

namespace varve::engine::shared {

// The analysis does not see who calls: the caller's lock is held whenever it is not left.
class ReaderTurns final : public index::Turns {
 public:
  ReaderTurns(SharedMutex& mutex, const storage::GoOn& go_on) : mutex_(mutex), go_on_(go_on) {}
  void leave() override VARVE_NO_THREAD_ANALYSIS { mutex_.unlock_shared(); }
  void enter() override VARVE_NO_THREAD_ANALYSIS { mutex_.lock_shared(); }
  [[nodiscard]] Status go_on() override { return go_on_ ? go_on_() : Status(); }

 private:
  SharedMutex& mutex_;
  const storage::GoOn& go_on_;
};

}  // namespace varve::engine::shared
