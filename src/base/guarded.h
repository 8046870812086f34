// SPDX-License-Identifier: Apache-2.0
// Guarded: where a thread of ours calls code that may throw, an exception becomes an error. Memory that ran out is
// mostly what is thrown: it ends the piece of work that wanted it, never the process.
#pragma once

#include <string_view>
#include <type_traits>
#include <utility>

#include "base/result.h"

namespace varve {

// The exception that is being handled, as an error: unavailable for memory that ran out, io for anything else. Call it
// inside a catch block only.
Error error_of_exception() noexcept;

// Calls fn(), which returns void, a Status or a Result. What it throws becomes such an error.
template <class F>
auto guarded(F&& fn) noexcept {
  using Returned = std::invoke_result_t<F>;
  using Outcome = std::conditional_t<std::is_void_v<Returned>, Status, Returned>;
  try {
    if constexpr (std::is_void_v<Returned>) {
      std::forward<F>(fn)();
      return Outcome();
    } else {
      return Outcome(std::forward<F>(fn)());
    }
  } catch (...) {
    return Outcome(fail(error_of_exception()));
  }
}

// Tells the log of a piece of work that failed and whose error nobody else is told. Never throws.
void log_failure(std::string_view what, const Status& done) noexcept;

}  // namespace varve
