// SPDX-License-Identifier: Apache-2.0
// Partitions: the pieces in which the tracker's work is shared out among replicas. They are shared state in a cluster:
// every replica, of every version, must come to the same number.
//
//   partition := jump consistent hash of murmur3 x86 32 (tenant, series), over the number of partitions
//   series    := the series set hash as it is shown: 24 characters of Base64
//
// One partition more moves 1 / n of the series, all of them to the new one.
#pragma once

#include <cstdint>
#include <string_view>

#include "model/series_key.h"

namespace varve::tracker {

// 0 ≤ result < partitions; partitions ≥ 1.
std::uint32_t partition_of(std::string_view tenant, std::string_view series, std::uint32_t partitions);
std::uint32_t partition_of(std::string_view tenant, const model::SeriesSetHash& series, std::uint32_t partitions);

}  // namespace varve::tracker
