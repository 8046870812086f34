// SPDX-License-Identifier: Apache-2.0
// Blobs: the other blobs of a row that has a chunk (docs/formats/cluster.md). Decoding is safe for any bytes. Errors:
// corrupt, unsupported (another version).
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/time.h"
#include "storage/series_stats.h"

namespace varve::engine::cassandra {

// The series stats of a column shard, and the version of its row.
struct ColumnShardStats {
  std::int64_t version = 0;                  // write_versions.h: what it was made of was read after this was drawn
  std::vector<storage::SeriesStats> series;  // in order of the columns
};
std::string encode_stats(const ColumnShardStats& stats, model::Timestamp start);
Result<ColumnShardStats> decode_stats(std::string_view blob, model::Timestamp start);

// The same of a row that has several successive slots.
struct StratumStats {
  std::int64_t version = 0;
  std::vector<std::vector<storage::SeriesStats>> slots;
};
std::string encode_stratum(const StratumStats& stats, model::Timestamp first, std::int64_t slot_ms);
Result<StratumStats> decode_stratum(std::string_view blob, model::Timestamp first, std::int64_t slot_ms);

// When a hot row arrived, and at which process: identifies the row within its partition, and orders rows.
struct Arrival {
  std::int64_t us = 0;
  std::int64_t source = 0;
  auto operator<=>(const Arrival&) const = default;
};
std::string encode_arrivals(std::span<const Arrival> arrivals);
Result<std::vector<Arrival>> decode_arrivals(std::string_view blob);

}  // namespace varve::engine::cassandra
