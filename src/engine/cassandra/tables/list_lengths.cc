// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/tables/list_lengths.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "driver/wait.h"
#include "engine/cassandra/tables/cassandra_rows.h"
#include "engine/cassandra/tables/cell.h"
#include "engine/cassandra/tables/hot_rows.h"
#include "engine/cassandra/tables/prefix_lengths.h"
#include "engine/shared/chunk_width.h"

namespace varve::engine::cassandra {
namespace {

using TenantSlot = std::pair<std::string, model::Timestamp>;

constexpr std::uint32_t kPageOfSlots = 1000;
constexpr std::int64_t kWrittenFirst = 1;  // whoever writes such a row later writes it with a later timestamp

// Of each page those that were not seen yet: a slot has many partitions.
template <class Each>
Status each_hot_slot(const driver::Session& session, const std::string& table, Each&& each) {
  const driver::ExecuteOptions how{.timestamp_us = {}, .page_size = kPageOfSlots};
  const std::string cql = "SELECT DISTINCT tenant, time_slot, shard FROM " + table;
  auto page =
      driver::wait<driver::Rows>([&](driver::Done<driver::Rows> done) { session.query(cql, how, std::move(done)); });
  for (std::set<TenantSlot> seen;;) {
    if (!page) return fail(page.error());
    std::vector<TenantSlot> fresh;
    for (std::size_t i = 0; i < page->count(); ++i) {
      VARVE_ASSIGN_OR_RETURN(const model::Timestamp slot, timestamp_of(page->row(i)[1].bytes()));
      const auto [at, is_new] = seen.emplace(page->row(i)[0].bytes(), slot);
      if (is_new) fresh.push_back(*at);
    }
    VARVE_RETURN_IF_ERROR(each(fresh));
    if (!page->more()) return {};
    page = driver::wait<driver::Rows>([&](driver::Done<driver::Rows> done) { page->next(std::move(done)); });
  }
}

}  // namespace

Status list_prefix_lengths(const driver::Session& session, const SchemaOptions& options, const Clock& clock) {
  const Tables tables(options);
  VARVE_ASSIGN_OR_RETURN(const auto rows, CassandraRows::open(session, tables, {.keyspace = options.keyspace}, clock));
  const std::int64_t slot_ms = shared::chunk_width_ms(options.slot_width_ms, {options.rollups, {}});
  return each_hot_slot(session, options.keyspace + "." + tables.raw.name, [&](const std::vector<TenantSlot>& slots) {
    std::vector<RowWrite> writes;
    for (const auto& [tenant, slot] : slots) {
      for (const unsigned bits : kPrefixLengths) {
        writes.push_back(prefix_length_write(tables, tenant, slot, slot_ms, bits, kWrittenFirst, clock.now_ms()));
      }
    }
    return rows->write_now(std::move(writes));
  });
}

}  // namespace varve::engine::cassandra
