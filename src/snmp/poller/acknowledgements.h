// SPDX-License-Identifier: Apache-2.0
// Internal to poller/: answers to informs, which wait until the message is stored, and that of each device that it is
// of. Whoever stores may outlive the worker that sends them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "snmp/session/peer.h"

namespace varve::snmp::poller {

// Thread-safe.
class Acknowledgements : public std::enable_shared_from_this<Acknowledgements> {
 public:
  using Answer = std::pair<session::Peer, std::string>;

  // `wake` is called when there is something to take, until close().
  explicit Acknowledgements(std::function<void()> wake) : wake_(std::move(wake)) {}

  // To be called `count` times, at least once; the answer is there to be taken if all of them said that it is stored.
  std::function<void(bool is_stored)> after(std::size_t count, Answer answer) {
    const auto left = std::make_shared<Left>(count, true, std::move(answer));
    return [self = shared_from_this(), left](bool is_stored) { self->on_stored(*left, is_stored); };
  }

  std::vector<Answer> take() {
    const MutexLock lock(mutex_);
    return std::exchange(answers_, {});
  }

  // From now on nothing is kept.
  void close() {
    const MutexLock lock(mutex_);
    wake_ = nullptr;
    answers_.clear();
  }

 private:
  struct Left {
    std::size_t count;
    bool all_stored;
    Answer answer;
  };

  void on_stored(Left& left, bool is_stored) {
    const MutexLock lock(mutex_);
    left.all_stored = left.all_stored && is_stored;
    if (--left.count > 0 || !left.all_stored || !wake_) return;
    answers_.push_back(std::move(left.answer));
    wake_();
  }

  Mutex mutex_;
  std::function<void()> wake_ VARVE_GUARDED_BY(mutex_);
  std::vector<Answer> answers_ VARVE_GUARDED_BY(mutex_);
};

}  // namespace varve::snmp::poller
