// SPDX-License-Identifier: Apache-2.0
// How long random tests go on. A sanitizer makes a test several times as slow, and finds what it looks for in its first
// steps: there a part of the rounds that the release build makes is enough.
#pragma once

#include <algorithm>

namespace varve::testing {

#ifdef VARVE_SANITIZED
inline constexpr int kOneOf = 4;
#else
inline constexpr int kOneOf = 1;
#endif

constexpr int effort(int rounds) { return std::max(1, rounds / kOneOf); }

}  // namespace varve::testing
