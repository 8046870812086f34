// SPDX-License-Identifier: Apache-2.0
// Erasure: the arguments of one erase(): series of one tenant, the columns that hold them, and a time range.
// EraseContext: the state of the store when a batch of it began.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "engine/rocksdb/env/options.h"
#include "engine/rocksdb/runs/database.h"
#include "engine/rocksdb/runs/view.h"
#include "engine/rocksdb/series/catalog.h"
#include "model/time.h"

namespace varve::engine::rocksdb {

// Constant after construction.
class Erasure {
 public:
  // Ignores series of other tenants.
  Erasure(const Catalog& catalog, model::TenantId tenant, std::span<const model::SeriesId> series,
          model::TimeRange range);

  [[nodiscard]] model::TenantId tenant() const { return tenant_; }
  [[nodiscard]] model::TimeRange range() const { return range_; }
  [[nodiscard]] bool whole_tenant() const { return whole_tenant_; }                // are these all series with data?
  [[nodiscard]] std::span<const std::uint32_t> series() const { return series_; }  // ascending
  [[nodiscard]] bool has_series(std::uint32_t series) const;
  [[nodiscard]] std::span<const std::uint32_t> groups() const { return groups_; }  // that hold these series, ascending
  // The erased columns of the group, ascending; empty: the group is not affected.
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
  std::vector<std::uint32_t> firsts_;  // position of each group's columns in columns_; at the end columns_.size()
  std::vector<std::uint16_t> columns_;
};

// What the parts of an erase share.
struct EraseContext {
  const Erasure& erasure;
  model::TimeRange batch;  // of the slots and windows in this commit; begins and ends at edges of windows
  std::uint64_t last_run;  // runs with higher numbers were written after the erase began, and stay
  std::shared_ptr<const Runs> runs;
  ScanSource source;
  Database& database;
  Database::Draft& draft;  // of the batch
  const Options& options;
  const Catalog& catalog;
  // To be called between groups. Error: cancelled.
  std::function<Status()> pause;

  // The slot without runs that were written after the erase began.
  [[nodiscard]] Runs::OfSlot before(const Runs::OfSlot& slot) const {
    Runs::OfSlot out = slot;
    std::erase_if(out.runs, [this](const auto& run) { return run->key.run > last_run; });
    return out;
  }
};

}  // namespace varve::engine::rocksdb
