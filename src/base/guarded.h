// SPDX-License-Identifier: Apache-2.0
// Guarded: turns exceptions into errors where one of our threads calls code that may throw. Most of them are bad_alloc:
// running out of memory ends the work that needed it, never the process.
#pragma once

#include <string_view>
#include <type_traits>
#include <utility>

#include "base/result.h"

namespace varve {

// The exception being handled, as an error: unavailable for bad_alloc, io for anything else. Call it inside a catch
// block only.
Error error_of_exception() noexcept;

// Calls fn(), which returns void, a Status or a Result, and turns an exception into such an error.
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

// Logs the failure of work whose error nobody else receives. Never throws.
void log_failure(std::string_view what, const Status& done) noexcept;

}  // namespace varve
