// SPDX-License-Identifier: Apache-2.0
// For tests of handlers: waits for the answer, whichever thread gives it.
#pragma once

#include <condition_variable>
#include <mutex>
#include <utility>

#include "http/handler.h"

namespace varve::http {

class WaitingSink final : public Responder::Sink {
 public:
  void send(Response response) override {
    const std::lock_guard lock(mutex_);
    response_ = std::move(response);
    done_ = true;
    sent_.notify_all();
  }
  Response wait() {
    std::unique_lock lock(mutex_);
    sent_.wait(lock, [&] { return done_; });
    return std::move(response_);
  }

 private:
  std::mutex mutex_;
  std::condition_variable sent_;
  bool done_ = false;
  Response response_;
};

}  // namespace varve::http
