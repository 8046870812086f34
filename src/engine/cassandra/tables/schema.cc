// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/tables/schema.h"

#include <algorithm>

#include "model/time.h"

namespace varve::engine::cassandra {
namespace {

using enum CellType;

constexpr std::int64_t kWindowsWanted = 30;  // of time window compaction: that many files stay, each dropped whole

// Blocks are compressed already; what Cassandra keeps around them, and their heads, gain: the more of them are
// together.
constexpr std::string_view kPacked = "{'class': 'ZstdCompressor', 'chunk_length_in_kb': 64}";
constexpr std::string_view kLz4 = "{'class': 'LZ4Compressor'}";

constexpr int kFilesTogether = 8;
constexpr std::int64_t kCompactedTogetherBytes = std::int64_t{8} << 30;
constexpr std::int64_t kFlushedWithinMs = 600'000;

// Hints are kept three hours: after that a node that was down is repaired. Rows without deletes need no more.
constexpr std::int64_t kGraceHotS = 6 * 3600;
constexpr std::int64_t kGraceDataS = 86'400;

// Of compactions of a single file, of which so much is over.
constexpr std::string_view kShrinking =
    ", 'tombstone_threshold': '0.2', 'tombstone_compaction_interval': '3600', 'unchecked_tombstone_compaction': 'true'";

// Cassandra keeps a time to live of 20 years at the most; 0: for ever.
std::uint32_t ttl_s(std::int64_t retention_ms) {
  return retention_ms >= rollup::kForEver ? 0 : static_cast<std::uint32_t>(retention_ms / 1000);
}

std::string with(const std::string& compaction, std::string_view compression, std::uint32_t ttl, std::int64_t grace_s) {
  return "compaction = {" + compaction + "} AND compression = " + std::string(compression) +
         " AND default_time_to_live = " + std::to_string(ttl) + " AND gc_grace_seconds = " + std::to_string(grace_s);
}

// Rows are written once and die by time: files hold one window of time each, and go as a whole. `shrinking`:
// kShrinking, where some rows of a file go much earlier than others; else empty.
Table by_time(Table table, std::int64_t retention_ms, std::int64_t grace_s, std::string_view compression,
              std::string_view shrinking = {}) {
  const std::int64_t wanted_ms = retention_ms >= rollup::kForEver ? 30 * model::kDayMs : retention_ms / kWindowsWanted;
  const bool days = wanted_ms > model::kDayMs;
  const std::int64_t rollup_block_ms = days ? model::kDayMs : model::kHourMs;
  const std::int64_t size = std::max<std::int64_t>(1, (wanted_ms + rollup_block_ms - 1) / rollup_block_ms);
  table.ttl_s = ttl_s(retention_ms);
  table.options = with("'class': 'TimeWindowCompactionStrategy', 'compaction_window_unit': '" +
                           std::string(days ? "DAYS" : "HOURS") +
                           "', 'compaction_window_size': " + std::to_string(size) + std::string(shrinking),
                       compression, table.ttl_s, grace_s);
  return table;
}

// Rows that go within hours: what is deleted gives its room back when a file of it and the files of its deletes are
// compacted together. So all files up to a size are compacted with each other, and what is in memory becomes a file
// soon, also where little is written. Each time all that is alive is written again, so not before there are several.
Table transient(Table table, std::int64_t kept_ms) {
  table.ttl_s = ttl_s(kept_ms);
  table.options = with("'class': 'SizeTieredCompactionStrategy', 'min_threshold': '" + std::to_string(kFilesTogether) +
                           "', 'min_sstable_size': '" + std::to_string(kCompactedTogetherBytes) + "'",
                       kLz4, table.ttl_s, kGraceHotS) +
                  " AND memtable_flush_period_in_ms = " + std::to_string(kFlushedWithinMs);
  return table;
}

// Small rows that every process writes again in each index bucket and that are read much more often than written: few
// files may hold a partition. 'L10' is levelled compaction with a fan-out of ten.
Table levelled(Table table, std::uint32_t ttl = 0) {
  table.ttl_s = ttl;
  table.options = with("'class': 'UnifiedCompactionStrategy', 'scaling_parameters': 'L10'", kLz4, ttl, kGraceDataS);
  return table;
}

// The columns `era`, `period` and `part` are called partition bucket, index bucket and column shard in the code, `unit`
// is the start of a rollup block, `bundle` a hash prefix.
const ColumnDefinition kTenant{"tenant", text}, kMetric{"metric_name", text}, kShard{"shard", smallint},
    kGroup{"group_hash", blob}, kList{"list_hash", blob}, kSlot{"time_slot", timestamp}, kBucket{"era", timestamp},
    kIndexBucket{"period", timestamp}, kColumnShard{"part", smallint}, kChunk{"chunk", blob}, kLives{"lives", blob},
    kTags{"tags", text_map}, kSource{"source", bigint}, kOpened{"opened", bigint};

std::string_view cql_type(CellType type) {
  switch (type) {
    case text: return "text";
    case blob: return "blob";
    case smallint: return "smallint";
    case integer: return "int";
    case bigint: return "bigint";
    case timestamp: return "timestamp";
    case text_list: return "frozen<list<text>>";
    case text_map: break;
  }
  return "frozen<map<text, text>>";
}

std::string names_of(const std::vector<ColumnDefinition>& columns) {
  std::string names;
  for (const ColumnDefinition& column : columns) names += (names.empty() ? "" : ", ") + column.name;
  return names;
}

void make_message_tables(Tables& tables, const std::string& width, const message::Classes& classes) {
  const std::int64_t retention_ms = classes.longest_ms();
  const std::int64_t kept_ms =
      retention_ms >= rollup::kForEver ? rollup::kForEver : std::min(retention_ms + kMessageSlackMs, rollup::kForEver);
  tables.messages = transient({"messages_p_" + width,
                               "log messages that are not sealed yet: a row for what one request has for a slot; what "
                               "one process writes into it within 5 minutes, 64 MB",
                               {kTenant, kSlot, kSource, kOpened},
                               {{"arrived", bigint}},
                               {{"head", blob}, {"value", blob}},
                               {}},
                              kept_ms);
  tables.message_buckets = transient({"message_buckets_p_" + width,
                                      "which partitions hold messages of a slot that are not sealed yet; a row each",
                                      {kTenant, kBucket},
                                      {kSlot, kSource, kOpened},
                                      {},
                                      {}},
                                     kept_ms);
  tables.message_time_windows = levelled({"message_time_windows_p_" + width,
                                          "partition buckets in which a tenant has messages; 53 rows a year",
                                          {kTenant},
                                          {kBucket},
                                          {},
                                          {}},
                                         ttl_s(kept_ms));
  tables.message_slots = by_time({"message_slots_p_" + width,
                                  "of what blocks the sealed messages of a slot consist; 168 rows",
                                  {kTenant, kBucket},
                                  {kSlot},
                                  {{"sealed", blob}},
                                  {}},
                                 kept_ms, kGraceDataS, kLz4);
  tables.message_erasures = by_time({"message_erasures_p_" + width,
                                     "deletes of messages; a row for each slot of which one erased some",
                                     {kTenant, kBucket},
                                     {kSlot, {"version", bigint}},
                                     {{"mark", blob}},
                                     {}},
                                    kept_ms, kGraceDataS, kLz4);
  tables.message_blocks = by_time({"message_blocks_p_" + width,
                                   "sealed messages: a block in sections of up to 1 MiB; a few MB",
                                   {kTenant, kSlot, {"version", bigint}, {"number", integer}},
                                   {{"section", integer}},
                                   {{"value", blob}},
                                   {}},
                                  kept_ms, kGraceHotS, kLz4, classes.shortest_ms() < retention_ms ? kShrinking : "");
  tables.message_names = levelled({"message_names",
                                   "names of messages' free fields and types of objects, in 16 shards by name; a row "
                                   "each",
                                   {kTenant, kShard},
                                   {{"name", blob}},
                                   {},
                                   {}},
                                  ttl_s(kept_ms));
}

Table level_table(const rollup::Level& level, const std::string& slot_width, std::string_view shrinking) {
  const std::string width = width_name(level.width_ms);
  return by_time(
      {"data_" + width + "_p_" + slot_width,
       "windows of " + width + ": a row for each rollup block and 32 series of a line group; 42 rows, 300 KB",
       {kTenant, kGroup, kColumnShard, kBucket},
       {{"unit", timestamp}},
       {kChunk, kLives, {"added", blob}},
       {}},
      level.retention_ms, kGraceDataS, kPacked, shrinking);
}

}  // namespace

std::string width_name(std::int64_t width_ms) {
  struct Unit {
    std::int64_t ms;
    const char *prefix, *suffix;
  };
  for (const Unit& unit : {Unit{model::kDayMs, "p", "d"}, Unit{model::kHourMs, "pt", "h"}, Unit{60'000, "pt", "m"},
                           Unit{1000, "pt", "s"}}) {
    if (width_ms % unit.ms == 0) return unit.prefix + std::to_string(width_ms / unit.ms) + unit.suffix;
  }
  return "pt" + std::to_string(width_ms) + "ms";
}

Tables::Tables(const SchemaOptions& options) : has_classes(!options.retention_rules.empty()) {
  const std::string width = width_name(options.slot_width_ms);
  const rollup::RetentionClasses classes(options.retention_rules, {options.raw_retention_ms, options.rollups});
  const rollup::Retention longest = classes.longest();
  const std::string_view shrinking = classes.shortest() == longest ? "" : kShrinking;
  schema_version = {"schema_version",
                    "what this keyspace was made for; three rows",
                    {{"id", text}},
                    {},
                    {{"version", integer}, {"applied", timestamp}},
                    {}};
  tenants =
      levelled({"tenants", "names of tenants, in 16 shards by name; a row a tenant", {kShard}, {kTenant}, {}, {}});
  metric_names = levelled({"metric_names",
                           "metric names of a tenant, in 16 shards by name; 62,500 rows for a million names",
                           {kTenant, kShard},
                           {kMetric},
                           {},
                           {}});
  metric_lists = levelled({"metric_lists",
                           "the lists of metric names that line groups have, by hash; one row",
                           {kTenant, kList},
                           {},
                           {{"names", text_list}},
                           {}});
  line_groups = levelled(
      {"line_groups", "what a line group is made of, by hash; one row", {kTenant, kGroup}, {}, {kTags, kList}, {}});
  series_sets = levelled(
      {"series_sets",
       "series of a metric that have samples in an index bucket, as they were announced, in 16 shards by hash; "
       "62,500 rows for a million series, from each process that takes samples of them",
       {kTenant, kMetric, kIndexBucket, kShard},
       {{"seen", bigint}, kGroup},
       {kList, kTags},
       {}});
  metric_time_windows = levelled({"metric_time_windows",
                                  "index buckets in which a metric has samples; 53 rows a year",
                                  {kTenant, kMetric},
                                  {kIndexBucket},
                                  {},
                                  {}});
  forgotten = levelled({"forgotten",
                        "series that were erased: announced before that they are not there, in 16 shards by hash; a "
                        "row a deleted series",
                        {kTenant, kMetric, kShard},
                        {{"forgotten", bigint}, {"series_set_hash", blob}},
                        {},
                        {}});
  raw = transient(
      {"data_raw_p_" + width,
       "samples that are not sealed yet: a row for what one request says of some line groups; what arrives in a "
       "slot for one of 32 shards of the tenant's groups, 50 MB for a million series every ten seconds",
       {kTenant, kSlot, kShard},
       {{"bundle", blob}, {"arrived", bigint}, {"source", bigint}},
       {{"value", blob}},
       {}},
      kHotKeptMs);
  prefix_lengths = by_time({"prefix_lengths_p_" + width,
                            "how many bits the hash prefixes have under which a slot has samples that are not sealed "
                            "yet; a row each, one to seven a slot",
                            {kTenant, kBucket},
                            {kSlot, {"bits", smallint}},
                            {},
                            {}},
                           kHotKeptMs + kLengthsSlackMs, kGraceHotS, kLz4);
  dropped = by_time({"dropped_p_" + width,
                     "up to which arrival the rows of a slot do not count any more, as sealed rows hold them; 168 rows",
                     {kTenant, kBucket},
                     {kSlot},
                     {{"until", bigint}},
                     {}},
                    kHotKeptMs + model::kDayMs, kGraceHotS, kLz4);
  sealed = by_time({"data_sealed_p_" + width,
                    "sealed samples: a row for each slot and 32 series of a line group; 168 rows, up to 3 MB",
                    {kTenant, kGroup, kColumnShard, kBucket},
                    {kSlot},
                    {kChunk, kLives},
                    {}},
                   longest.raw_ms, kGraceDataS, kPacked, shrinking);
  for (const rollup::Level& level : longest.levels) levels.push_back(level_table(level, width, shrinking));
  make_message_tables(*this, width, message::Classes(options.message_rules, options.message_retention_ms));
  pending_journal = by_time({"pending_journal",
                             "what was written and has to be sealed, by the hour it was written in; a row for each "
                             "group and slot of one of the tracker's partitions",
                             {{"partition", smallint}, {"hour", timestamp}},
                             {kSlot, kTenant, kGroup},
                             {},
                             {}},
                            kHotKeptMs, kGraceHotS, kLz4);
  alarms = levelled({"alarms",
                     "processes whose touches may be missing in Redis; a row each",
                     {{"id", text}},
                     {{"source", bigint}},
                     {{"at", timestamp}, {"replica", text}},
                     {}},
                    ttl_s(kHotKeptMs));
  erasures = by_time({"erasures",
                      "deletes, as long as hot rows older than they may be read, in 16 shards by group; a row for each "
                      "group of a delete",
                      {kTenant, kShard},
                      {kGroup, {"erased", bigint}},
                      {{"first", timestamp}, {"last", timestamp}, {"columns", blob}, {"blocks", bigint}},
                      {}},
                     kHotKeptMs + model::kDayMs, kGraceHotS, kLz4);
  texts = levelled({"texts",
                    "texts that people and services keep, and tasks: all of one service of a tenant; a row each",
                    {kTenant, {"service", text}},
                    {{"name", text}},
                    {{"value", blob}},
                    {}});
}

std::vector<const Table*> Tables::all() const {
  std::vector<const Table*> out{
      &schema_version,      &tenants,   &metric_names, &metric_lists,   &line_groups, &series_sets,
      &metric_time_windows, &forgotten, &raw,          &prefix_lengths, &dropped,     &sealed};
  for (const Table& level : levels) out.push_back(&level);
  out.insert(out.end(), {&messages, &message_buckets, &message_time_windows, &message_slots, &message_erasures,
                         &message_blocks, &message_names});
  out.insert(out.end(), {&pending_journal, &alarms, &erasures, &texts});
  return out;
}

std::vector<const Table*> Tables::changed_since(int version) const {
  std::vector<const Table*> out{&message_blocks, &raw, &messages, &message_buckets};
  if (has_classes) {
    out.push_back(&sealed);
    for (const Table& level : levels) out.push_back(&level);
  }
  if (version < 3) out.insert(out.end(), {&pending_journal, &alarms, &erasures});
  return out;
}

std::string Table::alter_cql(std::string_view keyspace) const {
  return "ALTER TABLE " + std::string(keyspace) + "." + name + " WITH " + options;
}

std::string Table::cql(std::string_view keyspace) const {
  std::string out = "CREATE TABLE IF NOT EXISTS " + std::string(keyspace) + "." + name + " (";
  for (const auto* columns : {&partition, &clustering, &values}) {
    for (const ColumnDefinition& column : *columns)
      out += column.name + " " + std::string(cql_type(column.type)) + ", ";
  }
  out += "PRIMARY KEY ((" + names_of(partition) + ")" + (clustering.empty() ? "" : ", ") + names_of(clustering) + "))";
  return options.empty() ? out : out + " WITH " + options;
}

std::string create_keyspace(const SchemaOptions& options) {
  const std::string& replication = options.replication;
  std::string map;
  const bool simple = replication.starts_with("SimpleStrategy:");
  for (std::size_t at = 0; at < replication.size();) {
    const std::size_t colon = replication.find(':', at);
    const std::size_t end = std::min(replication.find(',', at), replication.size());
    const std::string name = simple ? "replication_factor" : replication.substr(at, colon - at);
    map += ", '" + name + "': " + replication.substr(colon + 1, end - colon - 1);
    at = end + 1;
  }
  return "CREATE KEYSPACE IF NOT EXISTS " + options.keyspace + " WITH replication = {'class': '" +
         (simple ? "SimpleStrategy" : "NetworkTopologyStrategy") + "'" + map + "}";
}

std::string script(const SchemaOptions& options) {
  std::string out =
      "-- varve, schema version " + std::to_string(kSchemaVersion) + "\n" + create_keyspace(options) + ";\n";
  for (const Tables tables(options); const Table* table : tables.all()) {
    out += "\n-- " + table->purpose + "\n" + table->cql(options.keyspace) + ";\n";
  }
  return out;
}

}  // namespace varve::engine::cassandra
