// SPDX-License-Identifier: Apache-2.0
// Replica parts: everything that one replica is made of, wired once: for the Store, and for tests that look into it.
#pragma once

#include <memory>
#include <vector>

#include "base/task_pool.h"
#include "engine/cassandra/erase/eraser.h"
#include "engine/cassandra/hot/appender.h"
#include "engine/cassandra/hot/journal.h"
#include "engine/cassandra/hot/missed_touches.h"
#include "engine/cassandra/hot/pending_trackers.h"
#include "engine/cassandra/hot/time_mark.h"
#include "engine/cassandra/hot/watermark.h"
#include "engine/cassandra/messages/message_appender.h"
#include "engine/cassandra/messages/message_eraser.h"
#include "engine/cassandra/messages/message_reader.h"
#include "engine/cassandra/messages/message_watch.h"
#include "engine/cassandra/messages/message_worker.h"
#include "engine/cassandra/options.h"
#include "engine/cassandra/scan/scan.h"
#include "engine/cassandra/series/series_tables.h"
#include "engine/cassandra/settle/dropper.h"
#include "engine/cassandra/settle/worker.h"
#include "engine/cassandra/shared_servers.h"
#include "engine/cassandra/tables/split_rows.h"

namespace varve::engine::cassandra {

// Series as the index has them, with what the scan knows of their samples.
class ScannedSeries final : public SeriesTables {
 public:
  // The scanner may be made later: it is not used until series_stats() is.
  ScannedSeries(const Scanner& scanner, const SeriesOptions& options, const SharedServers& servers)
      : SeriesTables(options, servers.tables, servers.rows, servers.versions, servers.clock), scanner_(scanner) {}
  [[nodiscard]] Result<std::vector<storage::SeriesStats>> series_stats(
      model::TenantId tenant, std::span<const model::SeriesId> of) const override {
    return scanner_.series_stats(tenant, of);
  }

 private:
  const Scanner& scanner_;
};

// In the order in which they need one another.
struct ReplicaParts {
  ReplicaParts(const Options& options, const SharedServers& servers);

  const Options options;
  const SharedServers servers;
  const SchemaOptions schema;
  const std::int64_t slot_ms;
  const std::vector<ChunkTable> levels;
  const std::vector<std::int64_t> rollup_blocks_ms;
  ScannedSeries series;
  GroupNames names;
  const std::unique_ptr<SharedTrackers> trackers;
  Journal journal;
  Watermark watermark;  // outlives the markers, which tell what waits for them that it failed
  MissedTouches missed_touches;
  TimeMark mark;
  PendingTrackers pending;
  Appender appender;
  MessageTables message_tables;
  MessageTouches message_touches;
  MessageAppender message_appender;
  MessageReader message_reader;
  MessageSealer message_sealer;
  MessageWorker message_worker;
  MessageEraser message_eraser;
  MessageWatch message_watch;
  SplitRows chunks;  // the same rows, for whom those of sealed samples and of windows may be large
  SlotReader reader;
  Sealer sealer;
  Widener widener;
  RollupBlockMaker maker;
  WorkPlan plan;
  Worker worker;
  Dropper dropper;
  TaskPool pool;
  Scanner scanner;
  Eraser eraser;
};

}  // namespace varve::engine::cassandra
