// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/living.h"

#include <algorithm>
#include <vector>

namespace varve::engine::rocksdb {
namespace {

constexpr std::uint32_t kPagesCountedAtOnce = 8;  // definitions wait while they are counted

}  // namespace

// What is in a head only was seen when it came, or was defined since: it counts as living either way, or soon will.
void Living::count() {
  last_ns_ = env_.clock.steady_ns();
  const std::vector<model::TenantId> tenants = catalog_.filling_tenants();
  if (tenants.empty()) return;
  const auto stats = visible_.stats();
  const model::Timestamp since = env_.clock.now_ms() - model::kDayMs;
  std::vector<std::size_t> quiet(model::to_int(tenants.back()) + std::size_t{1});
  for (std::uint32_t first = 0; first < stats->page_count(); first += kPagesCountedAtOnce) {
    const ReaderLock lock(catalog_.mutex);
    for (std::uint32_t number = first; number < std::min(stats->page_count(), first + kPagesCountedAtOnce); ++number) {
      const StatsPage* const page = stats->page(number);
      for (std::uint32_t i = 0; page != nullptr && i < StatsPage::kSeries; ++i) {
        const storage::SeriesStats one = (*page)[i];
        if (one.points == 0 || one.last_ms >= since) continue;
        const model::SeriesId series{number * StatsPage::kSeries + i};
        const auto tenant = model::to_int(catalog_.index.series_tenant(series));
        if (tenant < quiet.size() && !catalog_.index.is_forgotten(series)) ++quiet[tenant];
      }
    }
  }
  for (const model::TenantId tenant : tenants) catalog_.set_quiet(tenant, quiet[model::to_int(tenant)]);
}

}  // namespace varve::engine::rocksdb
