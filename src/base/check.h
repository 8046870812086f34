// SPDX-License-Identifier: Apache-2.0
// check(condition, "why"): an invariant of our own code, kept in release builds. Never for user input.
#pragma once

#include <source_location>

namespace varve {

[[noreturn]] void check_failed(const char* what, std::source_location where);

inline void check(bool condition, const char* what, std::source_location where = std::source_location::current()) {
  if (!condition) [[unlikely]]
    check_failed(what, where);
}

}  // namespace varve
