// SPDX-License-Identifier: Apache-2.0
// Waits for a callback, on a thread that may block.
#pragma once

#include <future>
#include <memory>
#include <utility>

#include "base/result.h"

namespace varve {

// ask(done) must call done(Status) exactly once, on any thread, possibly before ask() has returned.
template <class Ask>
Status wait_for(Ask&& ask) {
  // Shared, because the waiting thread may continue before set_value has returned.
  const auto promise = std::make_shared<std::promise<Status>>();
  auto answer = promise->get_future();
  ask([promise](Status status) { promise->set_value(std::move(status)); });
  return answer.get();
}

}  // namespace varve
