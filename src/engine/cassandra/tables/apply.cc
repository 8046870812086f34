// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/tables/apply.h"

#include <charconv>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "driver/wait.h"
#include "engine/cassandra/tables/cell.h"
#include "engine/cassandra/tables/list_lengths.h"

namespace varve::engine::cassandra {
namespace {

Result<driver::Rows> query(const driver::Session& session, std::string_view cql) {
  return driver::wait<driver::Rows>([&](driver::Done<driver::Rows> done) { session.query(cql, {}, std::move(done)); });
}

// A statement that changes the schema. Cassandra makes such changes one after the other, in all nodes: where it is busy
// that takes much longer than a request for data may.
Status change(const driver::Session& session, std::string_view cql) {
  driver::ExecuteOptions patient;
  patient.timeout_ms = 60'000;
  VARVE_ASSIGN_OR_RETURN(const auto changed, driver::wait<driver::Rows>([&](driver::Done<driver::Rows> done) {
                           session.query(cql, patient, std::move(done));
                         }));
  return {};
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

struct Setting {
  const char* name;
  std::int64_t value;
  const char* unit = "";
};

// What all replicas must have alike, as they stand beside the version.
std::vector<Setting> settings(const SchemaOptions& options) {
  return {{"slots.width", options.slot_width_ms / 1000, " s"}, {"slots.partitions", options.partitions}};
}

Result<std::optional<int>> number(const driver::Session& session, const std::string& keyspace, std::string_view id) {
  VARVE_ASSIGN_OR_RETURN(const auto rows, query(session, "SELECT version FROM " + keyspace +
                                                             ".schema_version WHERE id = '" + std::string(id) + "'"));
  if (rows.count() == 0) return std::optional<int>{};
  const std::string_view cell = rows.row(0)[0].bytes();
  if (cell.size() != 4) return fail(Code::corrupt, "the version of the schema in Cassandra is not a number");
  return std::optional<int>(static_cast<int>(load_be32(cell.data())));
}

Status put_number(const driver::Session& session, const std::string& keyspace, std::string_view id,
                  std::int64_t value) {
  VARVE_ASSIGN_OR_RETURN(const auto put,
                         query(session, "INSERT INTO " + keyspace + ".schema_version (id, version, applied) VALUES ('" +
                                            std::string(id) + "', " + std::to_string(value) + ", toTimestamp(now()))"));
  return {};
}

Status alter_tables(const driver::Session& session, const SchemaOptions& options, int standing,
                    const std::function<void(std::string_view)>& said) {
  const Tables wanted(options);
  for (const Table* table : wanted.changed_since(standing)) {
    VARVE_RETURN_IF_ERROR(change(session, table->alter_cql(options.keyspace)));
    said("options of " + table->name);
  }
  return {};
}

// A keyspace of an earlier build may have none.
Status check_settings(const driver::Session& session, const SchemaOptions& options) {
  for (const Setting& own : settings(options)) {
    VARVE_ASSIGN_OR_RETURN(const auto standing, number(session, options.keyspace, own.name));
    if (!standing || *standing == own.value) continue;
    const std::string name(own.name);
    return fail(Code::unsupported, "the keyspace " + options.keyspace + " has " + name + " " +
                                       std::to_string(*standing) + own.unit + ", this replica " +
                                       std::to_string(own.value) + own.unit +
                                       ": give all replicas the same, or change it as docs/operate/cluster.md says");
  }
  return {};
}

}  // namespace

Result<int> schema_version(const driver::Session& session, std::string_view keyspace) {
  VARVE_ASSIGN_OR_RETURN(const auto tables,
                         query(session, "SELECT table_name FROM system_schema.tables WHERE keyspace_name = '" +
                                            std::string(keyspace) + "' AND table_name = 'schema_version'"));
  if (tables.count() == 0) return 0;
  VARVE_ASSIGN_OR_RETURN(const auto version, number(session, std::string(keyspace), "varve"));
  return version.value_or(0);
}

Status check_schema(const driver::Session& session, const SchemaOptions& options) {
  VARVE_ASSIGN_OR_RETURN(const int standing, schema_version(session, options.keyspace));
  if (standing > kSchemaVersion) return too_new(standing);
  if (standing == kSchemaVersion) return check_settings(session, options);
  return fail(Code::unsupported, standing == 0 ? "there is no varve schema in the keyspace " + options.keyspace +
                                                     " of Cassandra: run varve schema --apply"
                                               : upgrade_advice(standing));
}

Result<bool> reads_see_writes(const model::TagViews& replication, driver::Consistency consistency) {
  std::uint64_t centres = 0, copies = 0;
  for (const auto& [name, value] : replication) {
    if (name == "class") continue;
    std::uint64_t here = 0;  // "3", or "3/1" with transient ones
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), here);
    if (error != std::errc()) return fail(Code::corrupt, "the replication of the keyspace is not understood");
    ++centres;
    copies += here;
  }
  switch (consistency) {
    case driver::Consistency::quorum:
    case driver::Consistency::all: return true;
    case driver::Consistency::local_quorum: return centres <= 1;
    default: return copies <= 1;
  }
}

Result<bool> reads_see_writes(const driver::Session& session, const std::string& keyspace,
                              driver::Consistency consistency) {
  VARVE_ASSIGN_OR_RETURN(
      const auto rows,
      query(session, "SELECT replication FROM system_schema.keyspaces WHERE keyspace_name = '" + keyspace + "'"));
  if (rows.count() == 0) return false;
  VARVE_ASSIGN_OR_RETURN(const auto replication, text_map_of(rows.row(0)[0].bytes()));
  return reads_see_writes(replication, consistency);
}

Status apply_schema(const driver::Session& session, const SchemaOptions& options,
                    const std::function<void(std::string_view)>& said) {
  VARVE_ASSIGN_OR_RETURN(const int standing, schema_version(session, options.keyspace));
  if (standing > kSchemaVersion) return too_new(standing);
  VARVE_RETURN_IF_ERROR(change(session, create_keyspace(options)));
  said("keyspace " + options.keyspace);
  for (const Tables wanted(options); const Table* table : wanted.all()) {
    VARVE_RETURN_IF_ERROR(change(session, table->cql(options.keyspace)));
    said("table " + table->name);
  }
  if (standing > 0) VARVE_RETURN_IF_ERROR(alter_tables(session, options, standing, said));
  VARVE_RETURN_IF_ERROR(driver::wait<void>([&](driver::Done<void> done) { session.agree(std::move(done)); }));
  for (const Setting& own : settings(options)) {
    VARVE_ASSIGN_OR_RETURN(const auto before, number(session, options.keyspace, own.name));
    if (before == own.value) continue;
    VARVE_RETURN_IF_ERROR(put_number(session, options.keyspace, own.name, own.value));
    said(std::string(own.name) + " " + std::to_string(own.value));
  }
  if (standing == kSchemaVersion) return {};
  if (standing > 0 && standing < 8) {
    VARVE_RETURN_IF_ERROR(list_prefix_lengths(session, options, SystemClock()));
    said("prefix lengths of " + Tables(options).raw.name);
  }
  // Last: who reads this version finds all its tables.
  VARVE_RETURN_IF_ERROR(put_number(session, options.keyspace, "varve", kSchemaVersion));
  said("schema version " + std::to_string(kSchemaVersion));
  return {};
}

}  // namespace varve::engine::cassandra
