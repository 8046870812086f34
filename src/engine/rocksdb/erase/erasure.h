// SPDX-License-Identifier: Apache-2.0
// Erasure: what one erase() is about: which series of one tenant, where they stand, and in which time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "index/series_index.h"
#include "model/time.h"

namespace varve::engine::rocksdb {

// Constant once made.
class Erasure {
 public:
  // Series of other tenants are left out. The caller holds the index's lock.
  Erasure(const index::SeriesIndex& index, model::TenantId tenant, std::span<const model::SeriesId> series,
          model::TimeRange range);

  [[nodiscard]] model::TenantId tenant() const { return tenant_; }
  [[nodiscard]] model::TimeRange range() const { return range_; }
  [[nodiscard]] bool whole_tenant() const { return whole_tenant_; }                // every series that has data
  [[nodiscard]] std::span<const std::uint32_t> series() const { return series_; }  // ascending
  [[nodiscard]] bool has_series(std::uint32_t series) const;
  [[nodiscard]] std::span<const std::uint32_t> groups() const { return groups_; }  // that hold some, ascending
  // Which columns of the group are erased, ascending; none: the group is not touched.
  [[nodiscard]] std::span<const std::uint16_t> columns(std::uint32_t group) const;

  [[nodiscard]] bool overlaps(model::Timestamp start, std::int64_t width_ms) const {
    return range_.overlaps({start, start + width_ms});
  }
  [[nodiscard]] bool covers(model::Timestamp start, std::int64_t width_ms) const {
    return range_.first <= start && start + width_ms <= range_.last;
  }

 private:
  const model::TenantId tenant_;
  const model::TimeRange range_;
  bool whole_tenant_ = false;
  std::vector<std::uint32_t> series_;
  std::vector<std::uint32_t> groups_;
  std::vector<std::uint32_t> firsts_;  // of each group's columns in columns_, and their end
  std::vector<std::uint16_t> columns_;
};

}  // namespace varve::engine::rocksdb
