// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"

#include <cstdio>

#include "cli/arguments.h"
#include "cli/help.h"
#include "config/load.h"
#include "server/build_info.h"
#include "server/serve.h"

namespace varve::cli {
namespace {

constexpr int kWrong = 2;

void print(std::FILE* to, std::string_view text) { std::fwrite(text.data(), 1, text.size(), to); }

int wrong(const std::vector<std::string>& faults) {
  for (const auto& fault : faults) print(stderr, "varve: " + fault + "\n");
  return kWrong;
}

int serve(const config::Sources& sources, const config::Loaded& loaded) { return server::serve(sources, loaded); }

int check(const config::Sources&, const config::Loaded& loaded) {
  print(stdout, config::to_yaml(loaded.effective));
  return 0;
}

int version(const config::Sources&, const config::Loaded&) {
  print(stdout, server::version_line() + "\n");
  return 0;
}

struct Command {
  std::string_view name;
  bool configured;  // takes --config and keys
  int (*run)(const config::Sources&, const config::Loaded&);
};

constexpr Command kCommands[] = {{"serve", true, serve}, {"check", true, check}, {"version", false, version}};

// Promised for later; a clear word is better than "unknown".
constexpr std::string_view kLater[] = {"schema", "query", "put", "backup", "restore", "migrate", "device", "tail"};

const Command* find_command(std::string_view name) {
  for (const Command& command : kCommands) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

int unknown(const std::string& name) {
  for (const auto later : kLater) {
    if (later == name) return wrong({"\"" + name + "\": not in this build yet; there are serve, check and version"});
  }
  return wrong({"\"" + name + "\": no such command; there are serve, check and version"});
}

}  // namespace

int run(std::span<const std::string_view> args, std::vector<std::string> environment) {
  Arguments given = parse_arguments(args);
  if (args.size() == 1 && args[0] == "--version")
    given = {.command = "version", .help = false, .config_file = {}, .flags = {}, .faults = {}};
  if (given.command.empty() || given.command == "help") {
    const bool asked = given.help || given.command == "help";
    print(asked ? stdout : stderr, overview());
    return asked ? 0 : kWrong;
  }
  const Command* command = find_command(given.command);
  if (command == nullptr) return unknown(given.command);
  if (given.help) {
    print(stdout, help(command->name));
    return 0;
  }
  config::Sources sources{std::move(given.config_file), std::move(given.flags), std::move(environment)};
  if (!command->configured) {
    for (const auto& flag : sources.flags) given.faults.push_back("--" + flag.key + ": not a flag of this command");
    if (!given.faults.empty()) return wrong(given.faults);
    return command->run(sources, {});
  }
  const config::Loaded loaded = config::load(sources);
  given.faults.insert(given.faults.end(), loaded.faults.begin(), loaded.faults.end());
  if (!given.faults.empty()) return wrong(given.faults);
  return command->run(sources, loaded);
}

}  // namespace varve::cli
