// SPDX-License-Identifier: Apache-2.0
// Seen: which series of a query had a sample in a range of time, as far as their stats tell.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "base/result.h"
#include "model/ids.h"
#include "model/time.h"
#include "query/deadline.h"
#include "storage/series_store.h"

namespace varve::query {

// Calls found(position in `series`, its storage::SeriesStats) for each that was seen in the range, in their order.
// Errors: those of the store and of `deadline`, which is asked now and then.
template <class Found>
Status for_each_seen(const storage::SeriesStore& store, model::TenantId tenant, std::span<const model::SeriesId> series,
                     model::TimeRange range, const Deadline& deadline, const Found& found) {
  constexpr std::size_t kStatsAtOnce = 10'000;
  for (std::size_t first = 0; first < series.size(); first += kStatsAtOnce) {
    VARVE_RETURN_IF_ERROR(deadline.check());
    const auto some = series.subspan(first, std::min(kStatsAtOnce, series.size() - first));
    VARVE_ASSIGN_OR_RETURN(const auto stats, store.series_stats(tenant, some));
    for (std::size_t i = 0; i < some.size(); ++i) {
      if (stats[i].seen_in(range)) found(first + i, stats[i]);
    }
  }
  return {};
}

}  // namespace varve::query
