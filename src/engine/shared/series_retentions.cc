// SPDX-License-Identifier: Apache-2.0
#include "engine/shared/series_retentions.h"

namespace varve::engine::shared {

SeriesRetentions::SeriesRetentions(const rollup::RetentionClasses& classes)
    : classes_(classes), pages_(classes.empty() ? nullptr : std::make_unique<Pages>()) {}

SeriesRetentions::~SeriesRetentions() {
  if (pages_ == nullptr) return;
  for (auto& page : *pages_) delete page.load();
}

std::atomic<std::uint8_t>& SeriesRetentions::place_of(model::SeriesId series) const {
  const std::uint32_t id = model::to_int(series);
  std::atomic<Page*>& at = (*pages_)[id / kPage];
  Page* page = at.load(std::memory_order_acquire);
  if (page == nullptr) {
    auto made = std::make_unique<Page>();
    if (at.compare_exchange_strong(page, made.get())) page = made.release();
  }
  return (*page)[id % kPage];
}

SeriesRetentions::Number SeriesRetentions::class_of(const index::SeriesIndex& index, model::SeriesId series) const {
  const model::TenantId tenant = pages_ == nullptr ? model::kNoTenant : index.series_tenant(series);
  if (tenant == model::kNoTenant) return rollup::RetentionClasses::kNone;
  std::atomic<std::uint8_t>& place = place_of(series);
  if (const std::uint8_t known = place.load(std::memory_order_relaxed); known != 0) return known - 1;
  model::TagViews tags;
  index.tags(series, tags);
  const Number number = classes_.of(index.tenant_name(tenant), index.metric(series), tags);
  place.store(static_cast<std::uint8_t>(number + 1), std::memory_order_relaxed);
  return number;
}

const SeriesRetentions::OfTenant* SeriesRetentions::find(model::TenantId tenant) const {
  const MutexLock lock(mutex_);
  const auto known = of_tenants_.find(tenant);
  return known == of_tenants_.end() ? nullptr : &known->second;
}

const SeriesRetentions::OfTenant& SeriesRetentions::add(model::TenantId tenant, std::string_view name) const {
  const MutexLock lock(mutex_);
  return of_tenants_.try_emplace(tenant, OfTenant{classes_.longest_of(name), classes_.differ_in(name)}).first->second;
}

}  // namespace varve::engine::shared
