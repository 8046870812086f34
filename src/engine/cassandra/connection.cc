// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/connection.h"

#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "base/log.h"
#include "driver/wait.h"
#include "engine/cassandra/hot/time_mark.h"
#include "engine/cassandra/settle/redis_trackers.h"
#include "engine/cassandra/tables/apply.h"
#include "engine/cassandra/tables/spans.h"
#include "engine/shared/chunk_width.h"

namespace varve::engine::cassandra {
namespace {

std::vector<RedisTrackers::Rollup> rollup_blocks_of(const rollup::Levels& rollups, std::int64_t slot_ms) {
  std::vector<std::int64_t> widths;
  for (const rollup::Level& level : rollups.levels) widths.push_back(level.width_ms);
  const auto lengths = rollup_blocks_ms(widths, slot_ms);
  std::vector<RedisTrackers::Rollup> list;
  for (std::size_t i = 0; i < widths.size(); ++i) list.push_back({widths[i], lengths[i]});
  return list;
}

// Before Redis has answered it is not known what time it is for the other replicas (tracker/redis/server_clock.h).
Status await_redis(tracker::redis::Link& link, const Connection::Waiting& waiting) {
  for (bool waits = false;; waits = true) {
    const Status answers = link.check();
    if (answers && waits) log::info("Redis answers");
    if (answers && waits) waiting.say("");
    if (answers || answers.error().code != Code::unavailable) return answers;
    if (!waits) log::warn("no Redis answers; it is waited for", {{"error", answers.error().message}});
    if (!waits) waiting.say("waiting for Redis: " + answers.error().message);
    if (!waiting.go_on()) return fail(Code::cancelled, "no Redis answers: " + answers.error().message);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

// One that has evicted something counts as lost from now on.
Status check_eviction(tracker::redis::Eviction& eviction) {
  VARVE_ASSIGN_OR_RETURN(const std::string wrong, eviction.look());
  return wrong.empty() ? Status() : Status(fail(Code::invalid, "redis.url: " + wrong));
}

// Whatever Redis' clock says: it is not earlier than it was.
Status go_on(tracker::redis::Link& link, TimeMark mark) {
  VARVE_ASSIGN_OR_RETURN(const model::Timestamp marked, mark.read());
  if (link.clock().now_ms() >= marked) return {};
  log::warn("the clock of Redis went back", {{"ms", marked - link.clock().now_ms()}});
  return link.not_before((marked + TimeMark::kWrittenWithinMs) * 1000);
}

}  // namespace

Result<driver::Session> connect(const driver::Runtime& runtime, const driver::SessionOptions& options) {
  auto session = driver::wait<driver::Session>(
      [&](driver::Done<driver::Session> done) { driver::Session::connect(runtime, options, std::move(done)); });
  if (session) return session;
  return fail(session.error().code,
              "no Cassandra answers at " + options.contact_points + ": " + session.error().message);
}

Result<std::unique_ptr<Connection>> Connection::open(const Options& options, const Servers& servers, const Clock& clock,
                                                     const Waiting& waiting) {
  VARVE_ASSIGN_OR_RETURN(auto runtime, driver::Runtime::start(0));
  VARVE_ASSIGN_OR_RETURN(auto session, connect(runtime, servers.cassandra));
  SchemaOptions schema = options.schema;
  schema.rollups = options.rollups.levels;
  std::unique_ptr<Connection> opened(new Connection(std::move(runtime), std::move(session), schema));
  VARVE_RETURN_IF_ERROR(check_schema(opened->session_, schema));
  Options own = options;
  VARVE_ASSIGN_OR_RETURN(const bool safe,
                         reads_see_writes(opened->session_, schema.keyspace, servers.cassandra.consistency));
  if (!safe) log::info("what is sealed stays as hot rows, too, for three weeks: reads do not see all writes at once");
  own.drops_hot_rows = own.drops_hot_rows && safe;
  VARVE_RETURN_IF_ERROR(opened->open_store(own, servers, clock, waiting));
  return opened;
}

Status Connection::open_store(const Options& options, const Servers& servers, const Clock& clock,
                              const Waiting& waiting) {
  const std::string& keyspace = options.schema.keyspace;
  VARVE_ASSIGN_OR_RETURN(rows_, CassandraRows::open(session_, tables_, {.keyspace = keyspace}, clock));
  lease_rows_ = rows_->with_own_queue();
  driver::RedisOptions wanted = servers.redis;
  wanted.lazy = true;
  auto redis = driver::wait<driver::Redis>(
      [&](driver::Done<driver::Redis> done) { driver::Redis::connect(runtime_, wanted, std::move(done)); });
  if (!redis) return fail(redis.error().code, "Redis: " + redis.error().message);
  link_ = std::make_unique<tracker::redis::Link>(std::move(*redis), tracker::redis::LinkOptions{keyspace + "|"}, clock);
  VARVE_RETURN_IF_ERROR(await_redis(*link_, waiting));
  eviction_ = std::make_unique<tracker::redis::Eviction>(*link_);
  VARVE_RETURN_IF_ERROR(check_eviction(*eviction_));
  VARVE_RETURN_IF_ERROR(go_on(*link_, {keyspace, tables_, *rows_}));
  versions_ = std::make_unique<tracker::redis::RedisVersions>(*link_);
  const std::int64_t slot_ms = shared::chunk_width_ms(options.schema.slot_width_ms, options.rollups);
  const tracker::TrackerOptions tracking{
      .width_ms = slot_ms, .quiet_ms = options.slot_quiet_ms, .partitions = options.schema.partitions};
  const auto make_trackers =
      [this, tracking, rollups = rollup_blocks_of(options.rollups, slot_ms)](tracker::redis::MemberNames& names) {
        return std::make_unique<RedisTrackers>(tracking, rollups, *link_, names);
      };
  store_ = std::make_unique<Store>(
      options, SharedServers{tables_, *rows_, *lease_rows_, *versions_, make_trackers, link_->clock()});
  VARVE_RETURN_IF_ERROR(store_->renew());
  texts_ = std::make_unique<Texts>(tables_, *rows_, link_->clock());
  return {};
}

}  // namespace varve::engine::cassandra
