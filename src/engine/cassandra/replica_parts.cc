// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/replica_parts.h"

#include "base/check.h"
#include "engine/shared/chunk_width.h"

namespace varve::engine::cassandra {
namespace {

SchemaOptions schema_of(const Options& options) {
  SchemaOptions schema = options.schema;
  schema.rollups = options.rollups.levels;
  return schema;
}

std::vector<std::int64_t> rollup_blocks_of(const std::vector<ChunkTable>& levels) {
  std::vector<std::int64_t> list;
  for (const ChunkTable& level : levels) list.push_back(level.row_ms);
  return list;
}

// Where reads need not see writes, no hot row is taken for whole: each one that is sealed is named.
MessageSealer::Watermark message_watermark(const Options& options, const Watermark& watermark) {
  if (!options.drops_hot_rows) return [] { return std::optional<std::int64_t>(0); };
  return [&watermark] { return watermark.value(); };
}

}  // namespace

ReplicaParts::ReplicaParts(const Options& o, const SharedServers& s)
    : options(o),
      servers(s),
      schema(schema_of(o)),
      slot_ms(shared::chunk_width_ms(schema.slot_width_ms, o.rollups)),
      levels(level_tables(s.tables, schema, slot_ms)),
      rollup_blocks_ms(rollup_blocks_of(levels)),
      series(scanner, {{schema.partitions, o.series_per_tenant_max, classes_of(schema)}, longest_retention_ms(schema)},
             s),
      names(series),
      trackers(s.make_trackers(names)),
      journal({slot_ms, o.slot_quiet_ms, schema.partitions, rollup_blocks_ms}, s.tables, s.rows, series, s.clock),
      watermark({schema.keyspace, o.source, o.replica}, s.tables, s.lease_rows, series.directory().stamps(), s.clock),
      missed_touches({schema.keyspace, o.source, o.replica}, s.tables, s.rows, *trackers, journal,
                     series.directory().stamps(), s.clock),
      mark(schema.keyspace, s.tables, s.rows),
      pending({slot_ms, o.slot_quiet_ms, rollup_blocks_ms}, *trackers, journal, missed_touches),
      appender({slot_ms, o.slot_quiet_ms, o.source}, s.tables, s.rows, series, pending, journal, missed_touches,
               watermark, s.clock),
      message_tables(s.tables, s.rows, slot_ms, schema.message_rules, schema.message_retention_ms),
      message_touches({o.slot_quiet_ms, schema.partitions}, *trackers, series, message_tables),
      message_appender({o.slot_quiet_ms, o.source}, s.tables, s.rows, message_tables, series.directory().stamps(),
                       message_touches, missed_touches, watermark, s.clock),
      message_reader(s.tables, s.rows, message_tables, s.clock),
      message_sealer(message_tables, s.rows, *trackers, message_watermark(o, watermark), s.clock, o.hot_kept_ms),
      message_worker(message_tables, message_sealer, message_touches, series, s.clock),
      message_eraser([patience = o.patience](const auto& step) { return patiently(patience, step); }, message_tables,
                     s.rows, *trackers, message_sealer, message_touches, s.clock),
      message_watch(
          message_tables, o.source, [this] { return watermark.value(); }, s.clock),
      chunks(s.rows, o.chunk_bytes_max),
      reader(chunks, s.tables, schema, slot_ms, o.drops_hot_rows),
      sealer(chunks, reader, *trackers, s.clock),
      widener(chunks, reader, *trackers, s.clock),
      maker(chunks, s.tables, reader, levels, schema, *trackers, s.clock),
      plan(series, options.rollups, reader.sealed(), o.slot_quiet_ms / 2, s.clock),
      worker({slot_ms, o.slot_quiet_ms, schema.partitions}, plan, pending, sealer, maker, widener, s.clock),
      dropper(
          {slot_ms, reader.sealed().retention_ms, rollup_blocks_ms, o.hot_kept_ms,
           mixed_stored_ms(series.directory(), reader.sealed())},
          s.tables, s.rows, series, pending, journal, [this] { return watermark.value(); }, s.clock),
      pool(o.threads),
      scanner({chunks, series, reader, levels, options.rollups, pending, pool, s.clock, schema.raw_retention_ms}),
      eraser({chunks, s.tables, reader, sealer, maker, *trackers, s.clock}) {
  check(trackers->levels() == levels.size(), "the trackers know each granularity");
  journal.also_replay([this] { return message_touches.replay(); });
  worker.also_do([this](std::uint32_t partition, tracker::When when, const std::function<bool()>& alive,
                        storage::SettleReport& report) { return message_worker.seal(partition, when, alive, report); });
  series.loader().when_numbers_are_missing([this] { return missed_touches.any(); });
}

}  // namespace varve::engine::cassandra
