// SPDX-License-Identifier: Apache-2.0
// Waiting for what answers through a callback, from a thread that may block.
#pragma once

#include <future>
#include <memory>
#include <utility>

#include "base/result.h"

namespace varve {

// ask(done): done(Status) is called once, on any thread, perhaps before ask() has returned.
template <class Ask>
Status wait_for(Ask&& ask) {
  // Shared: the waiting thread may be on its way before set_value has returned.
  const auto promise = std::make_shared<std::promise<Status>>();
  auto answer = promise->get_future();
  ask([promise](Status status) { promise->set_value(std::move(status)); });
  return answer.get();
}

}  // namespace varve
