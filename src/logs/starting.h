// SPDX-License-Identifier: Apache-2.0
// Starting: whoever starts a server and asks it at once is not to be refused because it is not ready yet.
//
//   for (Starting starting;;) {
//     …ask…
//     if (starting.asks_again(status, body)) continue;
#pragma once

#include <chrono>
#include <string_view>

namespace varve::logs {

class Starting {
 public:
  // Has the answer been that the server is starting? Then a line on stderr says so, once, and after a moment the same
  // may be asked again: nothing was done. False: it is another answer, or it takes too long.
  bool asks_again(int status, std::string_view answer);

 private:
  static constexpr std::chrono::milliseconds kPause{250}, kMost{10'000};
  std::chrono::milliseconds waited_{0};
};

}  // namespace varve::logs
