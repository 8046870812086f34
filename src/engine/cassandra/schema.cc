// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/schema.h"

#include <algorithm>

namespace varve::engine::cassandra {
namespace {

constexpr std::int64_t kHourMs = 3'600'000;
constexpr std::int64_t kDayMs = 24 * kHourMs;
constexpr std::int64_t kWindowsWanted = 30;  // of time window compaction: that many files stay, each dropped whole

// Cassandra keeps a time to live of 20 years at the most; 0: for ever.
std::int64_t ttl_s(std::int64_t retention_ms) { return retention_ms >= rollup::kForEver ? 0 : retention_ms / 1000; }

// Rows are written once and die by time: files hold one window of time each, and go as a whole.
std::string by_time(std::int64_t retention_ms, std::int64_t grace_s, std::string_view compression) {
  const std::int64_t wanted_ms = retention_ms >= rollup::kForEver ? 30 * kDayMs : retention_ms / kWindowsWanted;
  const bool days = wanted_ms > kDayMs;
  const std::int64_t unit_ms = days ? kDayMs : kHourMs;
  const std::int64_t size = std::max<std::int64_t>(1, (wanted_ms + unit_ms - 1) / unit_ms);
  return "compaction = {'class': 'TimeWindowCompactionStrategy', 'compaction_window_unit': '" +
         std::string(days ? "DAYS" : "HOURS") + "', 'compaction_window_size': " + std::to_string(size) +
         "} AND compression = " + std::string(compression) +
         " AND default_time_to_live = " + std::to_string(ttl_s(retention_ms)) +
         " AND gc_grace_seconds = " + std::to_string(grace_s);
}

constexpr std::string_view kPacked = "{'enabled': false}";  // blocks are compressed already
constexpr std::string_view kLz4 = "{'class': 'LZ4Compressor'}";

// Hints are kept three hours: after that a node that was down is repaired. Rows without deletes need no more.
constexpr std::int64_t kGraceHotS = 6 * 3600;
constexpr std::int64_t kGraceDataS = 86'400;

void add_catalogs(std::vector<Table>& out) {
  out.push_back({"metric_names",
                 "metric names of a tenant, in 16 shards by name: under 100,000 rows for a million names",
                 "tenant text, shard smallint, metric_name text, aggregators frozen<set<text>>, "
                 "PRIMARY KEY ((tenant, shard), metric_name)",
                 ""});
  out.push_back({"metric_lists", "the lists of metric names that line groups have, by hash; one row",
                 "tenant text, list_hash blob, names frozen<list<text>>, PRIMARY KEY ((tenant, list_hash))", ""});
  out.push_back({"line_groups", "what a line group is made of, by hash; one row",
                 "tenant text, group_hash blob, tags frozen<map<text, text>>, list_hash blob, "
                 "PRIMARY KEY ((tenant, group_hash))",
                 ""});
  out.push_back({"series_sets",
                 "series of a metric in order of first sight, in 16 shards by hash: 62,500 rows for a million series",
                 "tenant text, metric_name text, shard smallint, seen timestamp, series_set_hash blob, list_hash blob, "
                 "tags frozen<map<text, text>>, "
                 "PRIMARY KEY ((tenant, metric_name, shard), seen, series_set_hash, list_hash)",
                 ""});
  out.push_back({"metric_time_windows", "days in which a metric has samples: 365 rows a year",
                 "tenant text, metric_name text, time_window timestamp, "
                 "PRIMARY KEY ((tenant, metric_name), time_window)",
                 ""});
  out.push_back({"series_metadata", "series of a metric that have samples in a day, in 16 shards",
                 "tenant text, metric_name text, time_window timestamp, shard smallint, series_set_hash blob, "
                 "value_type tinyint, first_seen timestamp, last_seen timestamp, point_count bigint, "
                 "PRIMARY KEY ((tenant, metric_name, time_window, shard), series_set_hash)",
                 ""});
  out.push_back({"metric_catalog", "metrics of a tenant by month (YYYY-MM), in 16 shards",
                 "tenant text, time_bucket text, shard smallint, metric_name text, first_seen timestamp, "
                 "last_seen timestamp, data_types frozen<set<text>>, series_count_estimate bigint, "
                 "PRIMARY KEY ((tenant, time_bucket, shard), metric_name)",
                 ""});
  out.push_back({"tag_catalog", "tags of a metric with counts, in 16 shards by tag",
                 "tenant text, metric_name text, shard smallint, tag_key text, tag_value text, series_count bigint, "
                 "first_seen timestamp, last_seen timestamp, "
                 "PRIMARY KEY ((tenant, metric_name, shard), tag_key, tag_value)",
                 ""});
  out.push_back({"metric_groups", "metrics of each group, the value of the tag metricGroup, in 16 shards by group",
                 "tenant text, shard smallint, metric_group text, metric_name text, updated_at timestamp, "
                 "PRIMARY KEY ((tenant, shard), metric_group, metric_name)",
                 ""});
  out.push_back({"devices", "metrics of each device, the value of the tag resource, in 16 shards by device",
                 "tenant text, shard smallint, device text, metric_name text, updated_at timestamp, "
                 "PRIMARY KEY ((tenant, shard), device, metric_name)",
                 ""});
  out.push_back({"tags_data", "keys and values of a tenant's tags (type TAGK, TAGV), in 16 shards",
                 "tenant text, type text, shard smallint, data text, PRIMARY KEY ((tenant, type, shard), data)", ""});
}

}  // namespace

std::string width_name(std::int64_t width_ms) {
  struct Unit {
    std::int64_t ms;
    const char *prefix, *suffix;
  };
  for (const Unit& unit :
       {Unit{kDayMs, "p", "d"}, Unit{kHourMs, "pt", "h"}, Unit{60'000, "pt", "m"}, Unit{1000, "pt", "s"}}) {
    if (width_ms % unit.ms == 0) return unit.prefix + std::to_string(width_ms / unit.ms) + unit.suffix;
  }
  return "pt" + std::to_string(width_ms) + "ms";
}

std::vector<Table> tables(const SchemaOptions& options) {
  std::vector<Table> out;
  out.push_back({"schema_version", "what this keyspace was made for; one row",
                 "id text, version int, applied timestamp, PRIMARY KEY (id)", ""});
  add_catalogs(out);
  const std::string width = width_name(options.slot_width_ms);
  const auto add = [&](std::string name, std::string purpose, std::string columns, std::string with) {
    out.push_back({std::move(name), std::move(purpose), std::move(columns), std::move(with)});
  };
  add("data_raw_p_" + width, "samples that are not sealed yet: a row for what one request says of a line group",
      "tenant text, group_hash blob, time_slot timestamp, arrived bigint, source bigint, value blob, "
      "PRIMARY KEY ((tenant, group_hash, time_slot), arrived, source)",
      by_time(kHotKeptMs, kGraceHotS, kLz4));
  add("data_sealed_p_" + width, "sealed samples: a row for each slot and 32 series of a line group",
      "tenant text, group_hash blob, era timestamp, time_slot timestamp, part smallint, chunk blob, "
      "PRIMARY KEY ((tenant, group_hash, era), time_slot, part)",
      by_time(options.raw_retention_ms, kGraceDataS, kPacked));
  for (const rollup::Level& level : options.rollups) {
    add("data_" + width_name(level.width_ms) + "_p_" + width,
        "windows of " + width_name(level.width_ms) + ": a row for each unit and 32 series of a line group",
        "tenant text, group_hash blob, era timestamp, time_slot timestamp, part smallint, chunk blob, "
        "PRIMARY KEY ((tenant, group_hash, era), time_slot, part)",
        by_time(level.retention_ms, kGraceDataS, kPacked));
  }
  add("pending_journal", "what was written and had to be sealed, by the hour it was written in",
      "partition smallint, hour timestamp, time_slot timestamp, tenant text, group_hash blob, "
      "PRIMARY KEY ((partition, hour), time_slot, tenant, group_hash)",
      by_time(kHotKeptMs, kGraceHotS, kLz4));
  add("erasures", "deletes, as long as hot rows older than they may be read",
      "tenant text, group_hash blob, erased bigint, first timestamp, last timestamp, series frozen<set<blob>>, "
      "PRIMARY KEY ((tenant, group_hash), erased)",
      by_time(kHotKeptMs + kDayMs, kGraceHotS, kLz4));
  return out;
}

std::string Table::cql(std::string_view keyspace) const {
  std::string text = "CREATE TABLE IF NOT EXISTS " + std::string(keyspace) + "." + name + " (" + columns + ")";
  return options.empty() ? text : text + " WITH " + options;
}

std::string create_keyspace(const SchemaOptions& options) {
  const std::string& text = options.replication;
  std::string map;
  const bool simple = text.starts_with("SimpleStrategy:");
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t colon = text.find(':', at);
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string name = simple ? "replication_factor" : text.substr(at, colon - at);
    map += ", '" + name + "': " + text.substr(colon + 1, end - colon - 1);
    at = end + 1;
  }
  return "CREATE KEYSPACE IF NOT EXISTS " + options.keyspace + " WITH replication = {'class': '" +
         (simple ? "SimpleStrategy" : "NetworkTopologyStrategy") + "'" + map + "}";
}

std::string script(const SchemaOptions& options) {
  std::string text =
      "-- varve, schema version " + std::to_string(kSchemaVersion) + "\n" + create_keyspace(options) + ";\n";
  for (const Table& table : tables(options)) {
    text += "\n-- " + table.purpose + "\n" + table.cql(options.keyspace) + ";\n";
  }
  return text;
}

}  // namespace varve::engine::cassandra
