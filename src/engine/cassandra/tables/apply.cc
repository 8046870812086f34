// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/tables/apply.h"

#include <string>

#include "base/bytes.h"
#include "driver/wait.h"

namespace varve::engine::cassandra {
namespace {

Result<driver::Rows> query(const driver::Session& session, std::string_view cql) {
  return driver::wait<driver::Rows>([&](driver::Done<driver::Rows> done) { session.query(cql, {}, std::move(done)); });
}

std::string upgrade_advice(int standing) {
  return "the schema in Cassandra is version " + std::to_string(standing) + ", this build wants " +
         std::to_string(kSchemaVersion) + ": run varve schema --apply";
}

Status too_new(int standing) {
  return fail(Code::unsupported, "the schema in Cassandra is version " + std::to_string(standing) +
                                     ", made by a newer varve; this build knows versions up to " +
                                     std::to_string(kSchemaVersion));
}

}  // namespace

Result<int> schema_version(const driver::Session& session, std::string_view keyspace) {
  VARVE_TRY(const auto tables, query(session, "SELECT table_name FROM system_schema.tables WHERE keyspace_name = '" +
                                                  std::string(keyspace) + "' AND table_name = 'schema_version'"));
  if (tables.count() == 0) return 0;
  VARVE_TRY(const auto rows,
            query(session, "SELECT version FROM " + std::string(keyspace) + ".schema_version WHERE id = 'varve'"));
  if (rows.count() == 0) return 0;
  const std::string_view cell = rows.row(0)[0].bytes();
  if (cell.size() != 4) return fail(Code::corrupt, "the version of the schema in Cassandra is not a number");
  return static_cast<int>(load_be32(cell.data()));
}

Status check_schema(const driver::Session& session, const SchemaOptions& options) {
  VARVE_TRY(const int standing, schema_version(session, options.keyspace));
  if (standing > kSchemaVersion) return too_new(standing);
  if (standing == kSchemaVersion) return {};
  return fail(Code::unsupported, standing == 0 ? "there is no varve schema in the keyspace " + options.keyspace +
                                                     " of Cassandra: run varve schema --apply"
                                               : upgrade_advice(standing));
}

Status apply_schema(const driver::Session& session, const SchemaOptions& options,
                    const std::function<void(std::string_view)>& said) {
  VARVE_TRY(const int standing, schema_version(session, options.keyspace));
  if (standing > kSchemaVersion) return too_new(standing);
  VARVE_TRY(const auto keyspace, query(session, create_keyspace(options)));
  said("keyspace " + options.keyspace);
  for (const Tables wanted(options); const Table* table : wanted.all()) {
    VARVE_TRY(const auto created, query(session, table->cql(options.keyspace)));
    said("table " + table->name);
  }
  VARVE_CHECK_OK(driver::wait<void>([&](driver::Done<void> done) { session.agree(std::move(done)); }));
  if (standing == kSchemaVersion) return {};
  // Last: who reads this version finds all its tables.
  VARVE_TRY(const auto marked, query(session, "INSERT INTO " + options.keyspace +
                                                  ".schema_version (id, version, applied) VALUES ('varve', " +
                                                  std::to_string(kSchemaVersion) + ", toTimestamp(now()))"));
  said("schema version " + std::to_string(kSchemaVersion));
  return {};
}

}  // namespace varve::engine::cassandra
