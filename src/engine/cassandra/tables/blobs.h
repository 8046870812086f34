// SPDX-License-Identifier: Apache-2.0
// Blobs: what stands beside chunks in a row (docs/formats/cluster.md). Foreign bytes are safe: corrupt, unsupported
// (another version).
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

// What is known of the series of a part without reading its chunk, and the version of the row.
struct PartStats {
  std::int64_t version = 0;                  // write_versions.h: what it was made of was read after this was drawn
  std::vector<storage::SeriesStats> series;  // in order of the columns
};
std::string encode_stats(const PartStats& stats, model::Timestamp start);
Result<PartStats> decode_stats(std::string_view blob, model::Timestamp start);

// What one process wrote at one moment: names a hot row within its partition, and orders them.
struct Arrival {
  std::int64_t us = 0;
  std::int64_t source = 0;
  auto operator<=>(const Arrival&) const = default;
};
std::string encode_arrivals(std::span<const Arrival> arrivals);
Result<std::vector<Arrival>> decode_arrivals(std::string_view blob);

}  // namespace varve::engine::cassandra
