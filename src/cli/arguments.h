// SPDX-License-Identifier: Apache-2.0
// The command line as a list of settings. Pure; config/ decides whether a key exists.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/load.h"

namespace varve::cli {

struct Arguments {
  std::string command;  // "" if none was given
  std::string object;   // the word behind the command: varve migrate kairosdb; "" if there is none
  bool help = false;
  std::optional<std::string> config_file;
  std::vector<config::Setting> flags;
  std::vector<std::string> faults;
};

// `args` without the program's name. A flag is --key=value or --key value; a switch may stand alone: --storage.repair.
Arguments parse_arguments(std::span<const std::string_view> args);

}  // namespace varve::cli
