// SPDX-License-Identifier: Apache-2.0
// What the cluster engine can be told.
#pragma once

#include <cstdint>
#include <string>

#include "engine/cassandra/patience.h"
#include "engine/cassandra/tables/schema.h"
#include "engine/cassandra/tables/split_rows.h"
#include "rollup/levels.h"

namespace varve::engine::cassandra {

struct Options {
  SchemaOptions schema;  // slots' width and partitions, raw.retention; its rollups are those of `rollups`
  rollup::Levels rollups;
  bool rolls_up = true;        // false: reads what others seal, and seals nothing
  bool drops_hot_rows = true;  // when they are sealed: only where reads see writes (tables/apply.h)
  std::int64_t slot_quiet_ms = 300'000;
  std::int64_t hot_kept_ms = 0;  // hot rows stay so long from their arrival, though sealed (settle/dropper.h)
  std::size_t series_per_tenant_max = 10'000'000;
  std::string replica = "varve";                         // its name, for people
  std::int64_t source = 0;                               // of this process: random, names its rows
  std::size_t chunk_bytes_max = SplitRows::kPieceBytes;  // of a row; larger ones are in pieces
  unsigned threads = 0;                                  // of reads; 0: one a core
  Patience patience;                                     // of deletes and of settling by hand
};

}  // namespace varve::engine::cassandra
