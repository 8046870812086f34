// SPDX-License-Identifier: Apache-2.0
#include "base/guarded.h"

#include <exception>
#include <new>

#include "base/log.h"

namespace varve {

// Texts of fewer than 16 bytes need no memory of their own.
Error error_of_exception() noexcept {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return {Code::unavailable, "out of memory"};
  } catch (const std::exception& error) {
    try {
      return {Code::io, error.what()};
    } catch (...) {
      return {Code::unavailable, "out of memory"};
    }
  } catch (...) {
    return {Code::io, "unknown error"};
  }
}

void log_failure(std::string_view what, const Status& done) noexcept {
  if (done) return;
  try {
    log::error(what, {{"error", done.error().message}});
  } catch (const std::bad_alloc&) {
    log::error(what);
  }
}

}  // namespace varve
