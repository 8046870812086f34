// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"

#include <cstdio>

#include "cli/arguments.h"
#include "cli/help.h"
#include "cli/migrate.h"
#include "cli/migrate_contrail.h"
#include "cli/schema.h"
#include "config/load.h"
#include "devices/command.h"
#include "logs/command.h"
#include "server/build_info.h"
#include "server/files.h"
#include "server/serve.h"

namespace varve::cli {
namespace {

constexpr int kWrong = 2;

void print(std::FILE* to, std::string_view text) { std::fwrite(text.data(), 1, text.size(), to); }

int wrong(const std::vector<std::string>& faults) {
  for (const auto& fault : faults) print(stderr, "varve: " + fault + "\n");
  return kWrong;
}

// What was given of a command's own flags.
using Own = std::vector<config::Setting>;

int serve(const config::Sources& sources, const config::Loaded& loaded, const Own&) {
  return server::serve(sources, loaded);
}

int check(const config::Sources&, const config::Loaded& loaded, const Own&) {
  print(stdout, config::to_yaml(loaded.effective));
  return 0;
}

int schema(const config::Sources&, const config::Loaded& loaded, const Own& apply) {
  return apply.empty() ? print_schema(loaded.config) : apply_schema(loaded.config);
}

int kairosdb(const config::Sources&, const config::Loaded& loaded, const Own& own) {
  return migrate_kairosdb(loaded.config, own);
}
int contrail(const config::Sources&, const config::Loaded& loaded, const Own& own) {
  return migrate_contrail(loaded.config, own);
}

int version(const config::Sources&, const config::Loaded&, const Own&) {
  print(stdout, server::version_line() + "\n");
  return 0;
}

struct Command {
  std::string_view name;
  std::string_view object;  // the word that must follow; empty: none
  bool configured;          // takes --config and keys
  bool reads_files;         // that these name
  std::string_view own;     // flags that are no keys, each between blanks
  int (*run)(const config::Sources&, const config::Loaded&, const Own&);
};

constexpr Command kCommands[] = {{"serve", "", true, true, "", serve},
                                 {"check", "", true, true, "", check},
                                 {"schema", "", true, false, " apply ", schema},
                                 {"migrate", "kairosdb", true, false, " from to tenant progress ", kairosdb},
                                 {"migrate", "contrail", true, false, " from tenant progress ", contrail},
                                 {"version", "", false, false, "", version}};
constexpr std::string_view kThereAre = "there are serve, logs, device, check, schema, migrate and version";

// The one with this object, or else the first of this name.
const Command* find_command(std::string_view name, std::string_view object) {
  const Command* first = nullptr;
  for (const Command& command : kCommands) {
    if (command.name != name) continue;
    if (command.object == object) return &command;
    if (first == nullptr) first = &command;
  }
  return first;
}

// "varve migrate kairosdb or varve migrate contrail"
std::string forms_of(std::string_view name) {
  std::string out;
  for (const Command& command : kCommands) {
    if (command.name != name) continue;
    out += (out.empty() ? "varve " : " or varve ") + std::string(name) + " " + std::string(command.object);
  }
  return out;
}

int unknown(const std::string& name) { return wrong({"\"" + name + "\": no such command; " + std::string(kThereAre)}); }

// As `varve COMMAND --help`.
int help_of(const std::string& name) {
  constexpr std::string_view kHelp[] = {"--help"};
  if (name == "logs") return logs::run(kHelp);
  if (name == "device") return devices::run(kHelp);
  const Command* const command = find_command(name, "");
  if (command == nullptr) return unknown(name);
  print(stdout, help(command->name));
  return 0;
}

}  // namespace

int run(std::span<const std::string_view> args, std::vector<std::string> environment) {
  if (!args.empty() && args[0] == "logs") return logs::run(args.subspan(1));  // clients have no configuration
  if (!args.empty() && args[0] == "device") return devices::run(args.subspan(1));
  Arguments given = parse_arguments(args);
  if (args.size() == 1 && args[0] == "--version")
    given = {.command = "version", .object = {}, .help = false, .config_file = {}, .flags = {}, .faults = {}};
  if (given.command == "help" && !given.object.empty()) return help_of(given.object);
  if (given.command.empty() || given.command == "help") {
    const bool asked = given.help || given.command == "help";
    print(asked ? stdout : stderr, overview());
    return asked ? 0 : kWrong;
  }
  const Command* command = find_command(given.command, given.object);
  if (command == nullptr) return unknown(given.command);
  if (given.help) {
    print(stdout, help(command->name));
    return 0;
  }
  if (given.object != command->object) {
    given.faults.push_back("expected: " + forms_of(given.command));
  }
  Own own;
  std::erase_if(given.flags, [&](const auto& flag) {
    const bool is_own = command->own.find(" " + flag.key + " ") != std::string_view::npos;
    if (is_own) own.push_back(flag);
    return is_own;
  });
  config::Sources sources{std::move(given.config_file), std::move(given.flags), std::move(environment)};
  if (!command->configured) {
    for (const auto& flag : sources.flags) given.faults.push_back("--" + flag.key + ": not a flag of this command");
    if (!given.faults.empty()) return wrong(given.faults);
    return command->run(sources, {}, own);
  }
  const config::Loaded loaded = config::load(sources);
  given.faults.insert(given.faults.end(), loaded.faults.begin(), loaded.faults.end());
  if (given.faults.empty() && command->reads_files) given.faults = server::file_faults(loaded.config);
  if (!given.faults.empty()) return wrong(given.faults);
  return command->run(sources, loaded, own);
}

}  // namespace varve::cli
