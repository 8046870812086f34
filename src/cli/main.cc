// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include "cli/commands.h"

int main(int argc, char** argv) {
  const std::vector<std::string_view> args(argv + 1, argv + argc);
  std::vector<std::string> environment;
  for (char** variable = environ; *variable != nullptr; ++variable) environment.emplace_back(*variable);
  return varve::cli::run(args, std::move(environment));
}
