// SPDX-License-Identifier: Apache-2.0
#include "cli/help.h"

#include <algorithm>

#include "config/keys.h"

namespace varve::cli {
namespace {

constexpr std::string_view kOverview =
    R"(varve stores time series and log messages: it accepts many protocols, makes everything durable at once, and answers fast.

usage: varve COMMAND [--config FILE] [--KEY=VALUE ...]

  serve     run the server
  logs      print log messages of a running server, and follow new ones
  device    what a running server polls by SNMP: add, list, import …
  check     check a configuration and print all of it, with defaults
  schema    print the tables of the cluster engine, or create them
  migrate   copy the samples of a KairosDB, or the messages of a Contrail
  version   print the version

varve help COMMAND, or varve COMMAND --help, explains a command with an example.
)";

constexpr std::string_view kServe =
    R"(varve serve runs the server until SIGTERM or SIGINT; SIGHUP reads the configuration again.

usage: varve serve [--config FILE] [--KEY=VALUE ...]

example: keep data in ./demo, serve port 8080 on this machine only
  varve serve --storage.path=./demo &
  curl -d 'weather,city=oslo temperature=7.5' http://127.0.0.1:8080/write
  curl -d '{"start_relative":{"value":1,"unit":"hours"},"metrics":[{"name":"weather_temperature"}]}' \
       http://127.0.0.1:8080/api/v1/datapoints/query

)";

constexpr std::string_view kCheck =
    R"(varve check reads a configuration as serve would, with the files that it names (certificates, credentials, keys), and
prints all of it: every key, its value and where it was set. Exit status 2 and one line per fault if something is wrong.

usage: varve check [--config FILE] [--KEY=VALUE ...]

example: write a file with every key, override one, check it
  varve check > varve.yaml
  varve check --config varve.yaml --slots.width=30m

)";

constexpr std::string_view kSchema =
    R"(varve schema prints the CQL of the cluster engine's tables; docs/internals/schema.md explains each. With --apply it creates
what is missing in Cassandra and waits until all nodes agree. Running it again changes nothing. Run it once before the
first replica starts, and after an upgrade that asks for it; never two at a time.

usage: varve schema [--apply] [--config FILE] [--KEY=VALUE ...]

example: print it, then create it
  varve schema --cassandra.keyspace=varve > varve.cql
  varve schema --apply --cassandra.hosts=db1:9042,db2:9042 --cassandra.replication=dc1:3

)";

constexpr std::string_view kMigrate =
    R"(varve migrate reads another database's keyspace from Cassandra and writes what is there into this varve's store:
  varve migrate kairosdb   every sample of a KairosDB 1.x
  varve migrate contrail   every log message of a Contrail's analytics (messagetablev2 and messagetable)
in parallel by token range. A run that was interrupted resumes: --progress names the file that records what is done
(kairosdb-KEYSPACE.progress, contrail-KEYSPACE.progress). At the end it is counted on both sides, and every difference
has a line; then the exit status is 1. docs/operate/migrate-kairosdb.md and docs/operate/migrate-contrail.md explain
what is copied, and what is not.

usage: varve migrate kairosdb|contrail --from cassandra://HOST:PORT[,HOST...]/KEYSPACE [--to http://HOST:PORT]
                                       [--tenant NAME] [--progress FILE] [--config FILE] [--KEY=VALUE ...]

--to (kairosdb only) writes into a server that runs and takes its clients' samples meanwhile, with KairosDB's roll-up
tasks and metadata. Without it no server may have the embedded engine's directory open meanwhile. The other database's
Cassandra is reached with the same cassandra.username, cassandra.password_file, cassandra.tls and cassandra.datacenter
as varve's own; if it is another cluster, append what differs: ?username=U&password_file=FILE&tls=true&datacenter=DC.

example: copy KairosDB's samples into the server to which its clients write by now
  varve migrate kairosdb --from=cassandra://127.0.0.1:9042/kairosdb --to=http://127.0.0.1:8080

example: copy KairosDB's samples and Contrail's messages into the directory of a new server, then serve them
  varve migrate kairosdb --from=cassandra://127.0.0.1:9042/kairosdb --tenant=default --storage.path=./varve-data
  varve migrate contrail --from=cassandra://127.0.0.1:9042/ContrailAnalyticsCql --storage.path=./varve-data
  varve serve --storage.path=./varve-data

)";

constexpr std::string_view kVersion = R"(varve version prints one line: varve VERSION (commit, compiler).

usage: varve version

example:
  varve version
)";

// Does the command depend on this key? serve and check do on all.
bool uses(std::string_view command, std::string_view key) {
  if (command == "serve" || command == "check") return true;
  constexpr std::string_view kSchemaKeys[] = {
      "cassandra.",       "tls.",    "slots.width", "slots.partitions", "raw.", "messages.retention",
      "messages.classes", "rollups", "retention.",  "log.level"};
  constexpr std::string_view kMigrateKeys[] = {"engine",        "storage.path", "redis.",         "tenant.default",
                                               "limits.memory", "tags.",        "messages.future"};
  const auto begins = [&](std::string_view begin) { return key.starts_with(begin); };
  return std::ranges::any_of(kSchemaKeys, begins) ||
         (command == "migrate" && std::ranges::any_of(kMigrateKeys, begins));
}

std::string key_table(std::string_view command) {
  std::string out =
      "A key is a path in the YAML file, a flag with dots, and an environment variable: --slots.width=1h is\n"
      "VARVE_SLOTS_WIDTH=1h. Flag beats environment beats file beats default. ";
  out += uses(command, "http.listen") ? "The keys:\n\n" : "All keys are taken; those that matter here:\n\n";
  for (const auto& key : config::keys()) {
    if (!uses(command, key.name)) continue;
    std::string line = "  --" + std::string(key.name) + "=" + std::string(key.fallback);
    line.resize(std::max<std::size_t>(line.size() + 2, 52), ' ');
    out += line + std::string(key.meaning) + "\n";
  }
  return out;
}

}  // namespace

std::string overview() { return std::string(kOverview); }

std::string help(std::string_view command) {
  if (command == "version") return std::string(kVersion);
  const std::string_view text = command == "serve"     ? kServe
                                : command == "schema"  ? kSchema
                                : command == "migrate" ? kMigrate
                                                       : kCheck;
  return std::string(text) + key_table(command);
}

}  // namespace varve::cli
