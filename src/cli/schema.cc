// SPDX-License-Identifier: Apache-2.0
#include "cli/schema.h"

#include <cstdio>

#ifdef VARVE_CLUSTER
#include "engine/cassandra/connection.h"
#include "engine/cassandra/tables/apply.h"
#include "server/cluster_options.h"
#endif

namespace varve::cli {
namespace {

int not_printed(const std::string& why) {
  std::fputs(("varve: " + why + "\n").c_str(), stderr);
  return 1;
}

#ifdef VARVE_CLUSTER
Status apply(const config::Config& config) {
  VARVE_ASSIGN_OR_RETURN(const auto servers, server::cluster_servers(config));
  VARVE_ASSIGN_OR_RETURN(auto runtime, driver::Runtime::start(1));
  VARVE_ASSIGN_OR_RETURN(const auto session, engine::cassandra::connect(runtime, servers.cassandra));
  return engine::cassandra::apply_schema(session, server::schema_options(config), [](std::string_view step) {
    std::printf("%.*s\n", static_cast<int>(step.size()), step.data());
    std::fflush(stdout);
  });
}
#endif

}  // namespace

#ifdef VARVE_CLUSTER
int print_schema(const config::Config& config) {
  std::fputs(engine::cassandra::script(server::schema_options(config)).c_str(), stdout);
  return 0;
}

int apply_schema(const config::Config& config) {
  if (const Status status = apply(config); !status) return not_printed(status.error().message);
  std::printf("the schema is ready in the keyspace %s\n", config.cassandra.keyspace.c_str());
  return 0;
}
#else
int print_schema(const config::Config&) { return not_printed("built without the cluster engine (VARVE_CLUSTER=OFF)"); }
int apply_schema(const config::Config& config) { return print_schema(config); }
#endif

}  // namespace varve::cli
