// SPDX-License-Identifier: Apache-2.0
// Schema: the tables of the cluster engine, in one place. docs/schema.md explains each of them. Pure text: apply.h
// sends it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "rollup/levels.h"

namespace varve::engine::cassandra {

// Raised with every change of a table; steps from one to the next are additive.
inline constexpr int kSchemaVersion = 1;

struct SchemaOptions {
  std::string keyspace = "varve";
  std::string replication = "SimpleStrategy:1";  // SimpleStrategy:N, or datacenter:N,datacenter:N
  std::int64_t slot_width_ms = 3'600'000;
  std::int64_t raw_retention_ms = rollup::kForEver;
  std::vector<rollup::Level> rollups;
};

struct Table {
  std::string name;     // without the keyspace
  std::string purpose;  // one line: what it holds, how large a partition becomes
  std::string columns;  // with the primary key
  std::string options;  // what follows WITH; empty: none

  // CREATE TABLE IF NOT EXISTS …, without a semicolon.
  [[nodiscard]] std::string cql(std::string_view keyspace) const;
};

// In the order they are created. Each time width and granularity has tables of its own, so that a later change of
// slots.width leaves the old ones readable.
std::vector<Table> tables(const SchemaOptions& options);
std::string create_keyspace(const SchemaOptions& options);

// The whole as a script for people and cqlsh: comments, statements, semicolons.
std::string script(const SchemaOptions& options);

// A width in names of tables: pt1h, pt5m, p1d, pt90s, pt1500ms: hours, minutes and so on, the largest that divides it.
std::string width_name(std::int64_t width_ms);

// How long rows of samples that are not sealed yet stay: a weekend without anybody who seals loses nothing.
inline constexpr std::int64_t kHotKeptMs = 3 * 86'400'000LL;

}  // namespace varve::engine::cassandra
