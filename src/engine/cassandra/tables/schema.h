// SPDX-License-Identifier: Apache-2.0
// Schema: the tables of the cluster engine, in one place, with the types of their columns. docs/internals/schema.md
// explains each of them. Pure text: apply.h sends it; row_store.h reads and writes rows of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "message/classes.h"
#include "rollup/levels.h"
#include "rollup/retention_classes.h"

namespace varve::engine::cassandra {

// Raised with every change of a table; steps from one to the next are additive.
inline constexpr int kSchemaVersion = 8;

struct SchemaOptions {
  std::string keyspace = "varve";
  std::string replication = "SimpleStrategy:1";  // SimpleStrategy:N, or datacenter:N,datacenter:N
  std::int64_t slot_width_ms = 3'600'000;
  std::int64_t raw_retention_ms = rollup::kForEver;
  std::vector<rollup::Level> rollups;
  std::uint32_t partitions = 64;                            // of the tracker (slots.partitions)
  std::int64_t message_retention_ms = rollup::kForEver;     // of the default class
  std::vector<message::ClassRule> message_rules = {};       // of the others, in order
  std::vector<rollup::RetentionRule> retention_rules = {};  // of series that are kept for another time
};

// As CQL has them; cell.h encodes values. Those of clustering columns are ordered as Cassandra orders them.
enum class CellType { text, blob, smallint, integer, bigint, timestamp, text_list, text_map };

struct ColumnDefinition {
  std::string name;
  CellType type;
};

struct Table {
  std::string name;     // without the keyspace
  std::string purpose;  // one line: what it holds, how large a partition becomes
  std::vector<ColumnDefinition> partition;
  std::vector<ColumnDefinition> clustering;  // may be empty: one row
  std::vector<ColumnDefinition> values;      // may be empty
  std::string options;                       // what follows WITH; empty: none
  std::uint32_t ttl_s = 0;                   // rows' time to live where a write names none; 0: none

  // CREATE TABLE IF NOT EXISTS …, without a semicolon.
  [[nodiscard]] std::string cql(std::string_view keyspace) const;
  // ALTER TABLE …, to these options.
  [[nodiscard]] std::string alter_cql(std::string_view keyspace) const;
};

// Each slot width and granularity has tables of its own, so that a later change of slots.width leaves the old ones
// readable. Tables stay where they are as long as this object lives.
class Tables {
 public:
  explicit Tables(const SchemaOptions& options);
  Tables(const Tables&) = delete;
  Tables& operator=(const Tables&) = delete;

  Table schema_version, tenants, metric_names, metric_lists, line_groups, series_sets, metric_time_windows, forgotten;
  Table raw, prefix_lengths, dropped, sealed;
  std::vector<Table> levels;  // as options.rollups
  bool has_classes = false;   // of series
  // Of log messages (messages/).
  Table messages, message_buckets, message_time_windows, message_slots, message_erasures, message_blocks, message_names;
  Table pending_journal, erasures, texts;
  Table
      alarms;  // missed-touch markers; in partitions of their own, what each replica has of the watermark and the time

  // In the order they are created.
  [[nodiscard]] std::vector<const Table*> all() const;
  // Those whose options may be others where that version was applied: those of samples, windows and blocks of messages
  // follow the classes, and an earlier build of the same version may have compacted hot rows otherwise.
  [[nodiscard]] std::vector<const Table*> changed_since(int version) const;
};

std::string create_keyspace(const SchemaOptions& options);

// The whole as a script for people and cqlsh: comments, statements, semicolons.
std::string script(const SchemaOptions& options);

// A width in names of tables: pt1h, pt5m, p1d, pt90s, pt1500ms: hours, minutes and so on, the largest that divides it.
std::string width_name(std::int64_t width_ms);

// Rows of messages stay so much longer than messages.retention says: clocks of nodes and replicas may differ by that.
inline constexpr std::int64_t kMessageSlackMs = 86'400'000;

// How long rows of samples stay that nobody seals: weeks without anybody who does lose nothing. What is sealed is
// dropped before (settle/dropper.h).
inline constexpr std::int64_t kHotKeptMs = 21 * 86'400'000LL;

// Which hash prefixes they have is known for so much longer (hot/known_lengths.h).
inline constexpr std::int64_t kLengthsSlackMs = 2 * 86'400'000LL;

}  // namespace varve::engine::cassandra
