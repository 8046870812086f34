// SPDX-License-Identifier: Apache-2.0
#include "migrate/contrail_source.h"

#include <algorithm>
#include <cctype>

#include "base/bytes.h"
#include "driver/wait.h"
#include "migrate/token_ranges.h"

namespace varve::migrate {
namespace {

// A message has a few kilobytes, a name and a partition's key some bytes.
constexpr std::uint32_t kPageMessages = 1000, kPageNames = 5000;

Result<driver::Rows> ask(const driver::Session& session, const std::string& cql) {
  return driver::wait<driver::Rows>([&](driver::Done<driver::Rows> done) { session.query(cql, {}, std::move(done)); });
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

Result<std::unique_ptr<ContrailSource>> ContrailSource::open(const driver::Runtime& runtime,
                                                             driver::SessionOptions wanted,
                                                             const std::string& exact_keyspace) {
  wanted.keyspace.clear();
  auto session = driver::wait<driver::Session>(
      [&](driver::Done<driver::Session> done) { driver::Session::connect(runtime, wanted, std::move(done)); });
  if (!session) {
    return fail(session.error().code,
                "Contrail's Cassandra at " + wanted.contact_points + ": " + session.error().message);
  }
  std::unique_ptr<ContrailSource> source(new ContrailSource(std::move(*session)));
  VARVE_RETURN_IF_ERROR(source->find(exact_keyspace));
  return source;
}

Status ContrailSource::find(const std::string& exact_keyspace) {
  for (const auto& keyspace : {exact_keyspace, lower(exact_keyspace)}) {
    keyspace_ = keyspace;
    VARVE_RETURN_IF_ERROR(prepare_messages(ContrailTable::v1, "messagetable"));
    VARVE_RETURN_IF_ERROR(prepare_messages(ContrailTable::v2, "messagetablev2"));
    if (has(ContrailTable::v1) || has(ContrailTable::v2)) break;
  }
  if (!has(ContrailTable::v1) && !has(ContrailTable::v2)) {
    return fail(Code::not_found, "keyspace " + exact_keyspace +
                                     " has neither messagetablev2 nor messagetable; is it a Contrail's? (upper and "
                                     "lower case count: ContrailAnalyticsCql)");
  }
  VARVE_RETURN_IF_ERROR(prepare_names());
  VARVE_RETURN_IF_ERROR(prepare_slots(ContrailTable::v1, "messagetabletimestamp"));
  VARVE_RETURN_IF_ERROR(prepare_slots(ContrailTable::v2, "messagetablev2"));
  VARVE_ASSIGN_OR_RETURN(const auto cluster, ask(session_, "SELECT cluster_name FROM system.local"));
  name_ = (cluster.count() == 0 ? "" : std::string(cluster.row(0)[0].bytes())) + "/" + keyspace_;
  return {};
}

// Empty: there is no such table.
Result<std::vector<ColumnInfo>> ContrailSource::columns_of(const std::string& table) const {
  VARVE_ASSIGN_OR_RETURN(const auto rows,
                         ask(session_,
                             "SELECT column_name, type, kind, position FROM system_schema.columns WHERE "
                             "keyspace_name = '" +
                                 keyspace_ + "' AND table_name = '" + table + "'"));
  std::vector<ColumnInfo> out;
  for (std::size_t i = 0; i < rows.count(); ++i) {
    const auto row = rows.row(i);
    const auto text = [&](std::size_t at) { return std::string(row[at].bytes()); };
    const bool in_key = row[2].bytes() == "partition_key" && row[3].bytes().size() == sizeof(std::uint32_t);
    out.push_back({text(0), text(1), in_key ? static_cast<int>(load_be32(row[3].bytes().data())) : -1});
  }
  return out;
}

Result<driver::Statement> ContrailSource::prepare_of_range(const std::string& select, const std::string& table,
                                                           const std::vector<ColumnInfo>& columns) const {
  const std::string token = key_of(columns, "token");
  const std::string cql =
      "SELECT " + select + " FROM \"" + keyspace_ + "\"." + table + " WHERE " + token + " >= ? AND " + token + " <= ?";
  return driver::wait<driver::Statement>(
      [&](driver::Done<driver::Statement> done) { session_.prepare(cql, std::move(done)); });
}

Status ContrailSource::prepare_messages(ContrailTable table, const std::string& name) {
  VARVE_ASSIGN_OR_RETURN(const auto columns, columns_of(name));
  if (columns.empty()) return {};
  auto layout = table == ContrailTable::v2 ? layout_of_v2(columns) : layout_of_v1(columns);
  if (!layout) return fail(layout.error().code, keyspace_ + "." + name + ": " + layout.error().message);
  VARVE_ASSIGN_OR_RETURN(auto rows, prepare_of_range(layout->names(), name, columns));
  tables_[index(table)] = std::make_unique<Table>(Table{std::move(*layout), std::move(rows)});
  return {};
}

Status ContrailSource::prepare_names() {
  VARVE_ASSIGN_OR_RETURN(const auto columns, columns_of("objecttable"));
  if (columns.empty() || !has(ContrailTable::v1)) return {};
  const auto found = object_columns(columns);
  if (!found) return fail(found.error().code, keyspace_ + ".objecttable: " + found.error().message);
  const std::string select = R"(")" + found->type + R"(", ")" + found->value + R"(", ")" + found->id + R"(")";
  VARVE_ASSIGN_OR_RETURN(auto names, prepare_of_range(select, "objecttable", columns));
  names_ = std::make_unique<driver::Statement>(std::move(names));
  ids_are_text_ = found->id_is_text;
  return {};
}

Status ContrailSource::prepare_slots(ContrailTable table, const std::string& name) {
  VARVE_ASSIGN_OR_RETURN(const auto columns, columns_of(name));
  const bool begins_with_slot = std::ranges::any_of(
      columns, [](const auto& info) { return info.name == "key" && info.type == "int" && info.key_position == 0; });
  if (!has(table) || !begins_with_slot) return {};
  VARVE_ASSIGN_OR_RETURN(auto slots, prepare_of_range("DISTINCT " + key_of(columns, ""), name, columns));
  slots_[index(table)] = std::make_unique<driver::Statement>(std::move(slots));
  return {};
}

Pages ContrailSource::rows(ContrailTable table, std::size_t range, const std::atomic<bool>& stopping) const {
  return {session_, tables_[index(table)]->rows, token_bounds(range), kPageMessages, stopping};
}
Pages ContrailSource::names(std::size_t range, const std::atomic<bool>& stopping) const {
  return {session_, *names_, token_bounds(range), kPageNames, stopping};
}
Pages ContrailSource::slots(ContrailTable table, std::size_t range, const std::atomic<bool>& stopping) const {
  return {session_, *slots_[index(table)], token_bounds(range), kPageNames, stopping};
}

}  // namespace varve::migrate
