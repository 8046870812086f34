// SPDX-License-Identifier: Apache-2.0
#include "migrate/kairosdb_source.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "driver/wait.h"
#include "migrate/token_ranges.h"

namespace varve::migrate {
namespace {

constexpr std::uint32_t kPageRows = 4000;

Result<driver::Rows> query(const driver::Session& session, const std::string& cql) {
  return driver::wait<driver::Rows>([&](driver::Done<driver::Rows> done) { session.query(cql, {}, std::move(done)); });
}

Result<driver::Statement> prepare(const driver::Session& session, std::string_view cql) {
  return driver::wait<driver::Statement>(
      [&](driver::Done<driver::Statement> done) { session.prepare(cql, std::move(done)); });
}

Result<RowSpec> read_spec(const driver::Session& session, bool has_table) {
  if (!has_table) return row_spec(std::nullopt);
  VARVE_ASSIGN_OR_RETURN(
      const auto rows,
      query(session, "SELECT value FROM spec WHERE spec_type = 'cluster_config' AND name = 'row_time_unit'"));
  if (rows.count() == 0) return row_spec(std::nullopt);
  return row_spec(rows.row(0)[0].bytes());
}

}  // namespace

Result<std::unique_ptr<KairosdbSource>> KairosdbSource::open(const driver::Runtime& runtime,
                                                             const driver::SessionOptions& wanted) {
  auto session = driver::wait<driver::Session>(
      [&](driver::Done<driver::Session> done) { driver::Session::connect(runtime, wanted, std::move(done)); });
  if (!session) {
    return fail(session.error().code,
                "KairosDB's Cassandra at " + wanted.contact_points + ": " + session.error().message);
  }
  VARVE_ASSIGN_OR_RETURN(
      const auto found,
      query(*session, "SELECT table_name FROM system_schema.tables WHERE keyspace_name = '" + wanted.keyspace + "'"));
  std::vector<std::string> tables;
  for (std::size_t i = 0; i < found.count(); ++i) tables.emplace_back(found.row(i)[0].bytes());
  const auto has = [&](std::string_view name) { return std::ranges::find(tables, name) != tables.end(); };
  if (!has("data_points"))
    return fail(Code::not_found, "keyspace " + wanted.keyspace + " has no table data_points; is it a KairosDB's?");
  VARVE_ASSIGN_OR_RETURN(const RowSpec spec, read_spec(*session, has("spec")));
  VARVE_ASSIGN_OR_RETURN(const auto cluster, query(*session, "SELECT cluster_name FROM system.local"));
  const std::string name = (cluster.count() == 0 ? "" : std::string(cluster.row(0)[0].bytes())) + "/" + wanted.keyspace;

  VARVE_ASSIGN_OR_RETURN(
      auto cells,
      prepare(*session, "SELECT key, column1, value FROM data_points WHERE token(key) >= ? AND token(key) <= ?"));
  VARVE_ASSIGN_OR_RETURN(
      auto keys, prepare(*session, "SELECT DISTINCT key FROM data_points WHERE token(key) >= ? AND token(key) <= ?"));
  VARVE_ASSIGN_OR_RETURN(auto cells_of,
                         prepare(*session, "SELECT column1, value, writetime(value) FROM data_points WHERE key = ?"));
  VARVE_ASSIGN_OR_RETURN(auto any_of, prepare(*session, "SELECT column1 FROM data_points WHERE key = ? LIMIT 1"));
  std::optional<driver::Statement> texts;
  if (has("service_index")) {
    VARVE_ASSIGN_OR_RETURN(texts, prepare(*session, "SELECT service, service_key, key, value FROM service_index"));
  }
  std::unique_ptr<KairosdbSource> source(new KairosdbSource(std::move(*session), name, spec));
  source->statements_ = std::make_unique<Statements>(
      Statements{std::move(cells), std::move(keys), std::move(cells_of), std::move(any_of), std::move(texts)});
  return source;
}

Result<std::vector<ServiceText>> KairosdbSource::texts(const std::atomic<bool>& stopping) const {
  std::vector<ServiceText> out;
  if (!statements_->texts) return out;
  Pages pages(session_, *statements_->texts, {}, kPageRows, stopping);
  for (;;) {
    VARVE_ASSIGN_OR_RETURN(const driver::Rows* const page, pages.next());
    if (page == nullptr) return out;
    for (std::size_t i = 0; i < page->count(); ++i) {
      const auto row = page->row(i);
      if (row[2].null() || row[3].null()) continue;  // all texts of a service key are gone, and its time is left
      out.push_back({std::string(row[0].bytes()), std::string(row[1].bytes()), std::string(row[2].bytes()),
                     std::string(row[3].bytes())});
    }
  }
}

Pages KairosdbSource::cells(std::size_t number, const std::atomic<bool>& stopping) const {
  return {session_, statements_->cells, token_bounds(number), kPageRows, stopping};
}
Pages KairosdbSource::keys(std::size_t number, const std::atomic<bool>& stopping) const {
  return {session_, statements_->keys, token_bounds(number), kPageRows, stopping};
}
Pages KairosdbSource::cells_of(std::string_view key, const std::atomic<bool>& stopping) const {
  return {session_, statements_->cells_of, {std::string(key)}, kPageRows, stopping};
}
Pages KairosdbSource::any_of(std::string_view key, const std::atomic<bool>& stopping) const {
  return {session_, statements_->any_of, {std::string(key)}, kPageRows, stopping};
}

}  // namespace varve::migrate
