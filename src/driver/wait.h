// SPDX-License-Identifier: Apache-2.0
// Turns a request into a blocking call, for start-up, tools and tests. Never on a thread of the runtime.
//
//   auto rows = wait<Rows>([&](Done<Rows> done) { session.execute(statement, cells, {}, std::move(done)); });
#pragma once

#include <future>
#include <utility>

#include "driver/request.h"

namespace varve::driver {

template <class T, class Ask>
Result<T> wait(Ask&& ask) {
  std::promise<Result<T>> promise;
  auto answer = promise.get_future();
  // The closure owns the promise, because the waiting thread may continue before set_value has returned.
  ask(Done<T>([promise = std::move(promise)](Result<T> result) mutable { promise.set_value(std::move(result)); }));
  return answer.get();
}

}  // namespace varve::driver
