// SPDX-License-Identifier: Apache-2.0
// Reconcile: what chunks hold of a series must not contradict itself.
//
// A series may stand in several line groups, and two of them may have brought the same timestamp. While both are rows,
// arrival tells which came later; chunks know no arrival. So when they are written, every cell that lost is given the
// winner's value: whichever of the groups is then read, the answer is the same. Samples of some groups live shorter
// than those of others: then a cell is given the value that was written last in those that live as long as its own, or
// longer. So the one that lives shortest of those that are still there has what was written last in all of them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "engine/shared/gather.h"
#include "engine/shared/series_merge.h"
#include "index/series_index.h"

namespace varve::engine::shared {

using Patches = std::unordered_map<std::uint32_t, std::vector<Gather::Patch>>;  // by group

// `groups`: those of one slot that share a series with another group. `add` brings all samples of one column of a group
// into the merge, with their ranks; what it brings must stay readable as long as the patches are used. The caller holds
// the index's lock.
Result<Patches> reconcile(const index::SeriesIndex& index, std::span<const std::uint32_t> groups,
                          const std::function<Status(SeriesMerge&, std::uint32_t group, std::uint16_t column)>& add);

}  // namespace varve::engine::shared
