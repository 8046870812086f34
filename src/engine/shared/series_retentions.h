// SPDX-License-Identifier: Apache-2.0
// SeriesRetentions: how long each series is kept (rollup/retention_classes.h), and how long the slots of each tenant.
// Both follow from names; they are found when first asked for, and remembered.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string_view>

#include "base/mutex.h"
#include "index/series_index.h"
#include "model/ids.h"
#include "rollup/retention_classes.h"

namespace varve::engine::shared {

// Thread-safe.
class SeriesRetentions {
 public:
  using Number = rollup::RetentionClasses::Number;
  struct OfTenant {
    rollup::Retention longest;  // that its series may have
    bool differ = false;        // may its series have several?
  };

  explicit SeriesRetentions(const rollup::RetentionClasses& classes);
  ~SeriesRetentions();
  SeriesRetentions(const SeriesRetentions&) = delete;
  SeriesRetentions& operator=(const SeriesRetentions&) = delete;

  // Are there classes at all? If not, all series are in none.
  [[nodiscard]] bool any() const { return !classes_.empty(); }
  [[nodiscard]] const rollup::RetentionClasses& classes() const { return classes_; }

  // The caller holds the index's lock. Of a series that has left the index: none.
  [[nodiscard]] Number class_of(const index::SeriesIndex& index, model::SeriesId series) const;

  // nullptr: not asked for yet.
  [[nodiscard]] const OfTenant* find(model::TenantId tenant) const VARVE_EXCLUDES(mutex_);
  // `name`: the tenant's.
  const OfTenant& add(model::TenantId tenant, std::string_view name) const VARVE_EXCLUDES(mutex_);

 private:
  static constexpr std::uint32_t kPage = 1U << 16;
  using Page = std::array<std::atomic<std::uint8_t>, kPage>;  // number + 1; 0: not known yet
  using Pages = std::array<std::atomic<Page*>, (1ULL << 32) / kPage>;
  [[nodiscard]] std::atomic<std::uint8_t>& place_of(model::SeriesId series) const;

  const rollup::RetentionClasses& classes_;
  const std::unique_ptr<Pages> pages_;  // nullptr: there are no classes
  mutable Mutex mutex_;
  mutable std::map<model::TenantId, OfTenant> of_tenants_ VARVE_GUARDED_BY(mutex_);  // addresses stay
};

}  // namespace varve::engine::shared
