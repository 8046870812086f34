// SPDX-License-Identifier: Apache-2.0
#include "logs/command.h"

#include <cstdio>
#include <string>

#include "base/guarded.h"
#include "logs/asking.h"
#include "logs/follow.h"
#include "logs/help.h"
#include "logs/options.h"
#include "logs/output.h"

namespace varve::logs {
namespace {

constexpr int kFailed = 1, kWrong = 2;

int say(int status, const std::string& why) {
  std::fputs(("varve: " + why + "\n").c_str(), stderr);
  return status;
}

Status answer(const Options& options) {
  Output output(options);
  VARVE_RETURN_IF_ERROR(output.open());
  bool started = false;
  const Status printed = options.follow ? follow(options, output, started) : print_answer(options, output, started);
  // A list that has begun is closed also where something went wrong.
  if (started) VARVE_RETURN_IF_ERROR(output.finish());
  VARVE_RETURN_IF_ERROR(printed);
  if (options.send_syslog) std::fprintf(stderr, "%llu messages sent\n", static_cast<unsigned long long>(output.rows()));
  return {};
}

}  // namespace

int run(std::span<const std::string_view> arguments) {
  const ParsedOptions parsed = parse_options(arguments);
  for (const std::string& fault : parsed.faults) say(kWrong, fault);
  if (!parsed.faults.empty()) return kWrong;
  if (parsed.options.help) {
    std::fputs(help_text().c_str(), stdout);
    return 0;
  }
  const Status done = guarded([&] { return answer(parsed.options); });
  return done ? 0 : say(kFailed, done.error().message);
}

}  // namespace varve::logs
