// SPDX-License-Identifier: Apache-2.0
// Reconcile: makes the chunks of a series that is in several line groups consistent.
//
// Two line groups of a series may have a sample at the same time. For rows, the arrival tells which was written later;
// chunks do not store it. So when chunks are written, every cell that lost gets the winner's value, and any of the
// groups gives the same answer. If groups have different TTLs, a cell gets the latest value among the groups that live
// as long as its own or longer. So of the groups that have not expired, the one with the shortest TTL holds the value
// that was written last in any of them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "engine/shared/gather.h"
#include "engine/shared/series_merge.h"
#include "model/ids.h"

namespace varve::engine::shared {

using Patches = std::unordered_map<std::uint32_t, std::vector<Gather::Patch>>;  // by group

// A group that shares a series with another group.
struct SharedGroup {
  std::uint32_t group;
  std::uint32_t ttl_s;
  std::span<const model::SeriesId> series;  // one a column
};

// `groups`: those of one slot. `add` adds all samples of one column of a group, with their ranks, to the merge; their
// bytes must stay valid as long as the patches. It may read, and needs no lock of the index.
Result<Patches> reconcile(std::span<const SharedGroup> groups,
                          const std::function<Status(SeriesMerge&, std::uint32_t group, std::uint16_t column)>& add);

}  // namespace varve::engine::shared
