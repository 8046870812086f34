// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments.h"

#include "config/keys.h"

namespace varve::cli {
namespace {

bool is_switch(std::string_view key) {
  const config::Key* known = config::find_key(key);
  return known != nullptr && (known->fallback == "true" || known->fallback == "false");
}

// Flags of single commands that are no keys and have a value.
bool is_own(std::string_view name) { return name == "from" || name == "tenant" || name == "progress"; }

}  // namespace

Arguments parse_arguments(std::span<const std::string_view> args) {
  Arguments out;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const std::string_view arg = args[i];
    if (arg == "--help" || arg == "-h") {
      out.help = true;
      continue;
    }
    if (!arg.starts_with("--")) {
      if (out.command.empty() && out.flags.empty() && !out.config_file) {
        out.command = arg;
      } else if (out.object.empty() && (out.command == "migrate" || out.command == "help") && out.flags.empty() &&
                 !out.config_file) {
        out.object = arg;
      } else {
        out.faults.push_back("\"" + std::string(arg) + "\": unexpected; a key is given as --key=value");
      }
      continue;
    }
    const std::size_t equals = arg.find('=');
    const std::string key(arg.substr(2, equals == std::string_view::npos ? equals : equals - 2));
    std::string value;
    if (equals != std::string_view::npos) {
      value = arg.substr(equals + 1);
    } else if (is_switch(key)) {
      value = "true";
    } else if (key == "config" || is_own(key) || config::find_key(key) != nullptr) {
      if (i + 1 == args.size() || args[i + 1].starts_with("--")) {
        out.faults.push_back("--" + key + ": a value is missing; write --" + key + "=VALUE");
        continue;
      }
      value = args[++i];
    }
    if (key == "config") {
      out.config_file = std::move(value);
    } else {
      out.flags.push_back({key, std::move(value), "--" + key});
    }
  }
  return out;
}

}  // namespace varve::cli
