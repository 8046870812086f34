// SPDX-License-Identifier: Apache-2.0
#include "logs/follow.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

#include "base/clock.h"
#include "logs/asking.h"
#include "logs/recent.h"

namespace varve::logs {
namespace {

constexpr std::chrono::seconds kPauseLeast{1}, kPauseMost{10};

bool may_come_back(Code code) { return code == Code::unavailable || code == Code::timeout || code == Code::io; }

void say(const std::string& what) { std::fputs(("varve: " + what + "\n").c_str(), stderr); }

}  // namespace

Status follow(const Options& options, Output& output, bool& started) {
  const SystemClock clock;
  Recent recent(clock);
  output.leave_out(recent);
  Options asked = options;
  auto pause = kPauseLeast;
  for (bool away = false;;) {
    bool connected = false;
    const Status went = print_answer(asked, output, connected);
    started = started || connected;
    if (output.failed() || !output.wants_more()) return went;
    if (!went && (!started || !may_come_back(went.error().code))) return went;
    if (connected) {
      pause = kPauseLeast;
      away = false;
    }
    // Once for each time that it is away.
    if (!away)
      say((went ? std::string("the server ended the connection") : went.error().message) + "; connecting again");
    away = true;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, kPauseMost);
    asked.start = std::to_string(recent.start_again());
  }
}

}  // namespace varve::logs
