// SPDX-License-Identifier: Apache-2.0
#include "logs/starting.h"

#include <cstdio>
#include <thread>

namespace varve::logs {

bool Starting::asks_again(int status, std::string_view answer) {
  if (status != 503 || answer.find("the server is starting or stopping") == std::string_view::npos) return false;
  if (waited_ >= kMost) return false;
  if (waited_.count() == 0) {
    std::fputs("varve: the server is starting or stopping; asking again for 10 seconds\n", stderr);
  }
  std::this_thread::sleep_for(kPause);
  waited_ += kPause;
  return true;
}

}  // namespace varve::logs
